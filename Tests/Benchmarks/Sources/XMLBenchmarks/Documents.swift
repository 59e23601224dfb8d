/// Documents in the shape of the server's reports.
enum Documents {
    /// About so many bytes of reports.
    static func reports(bytes: Int) -> [UInt8] {
        var text =
            """
            <?xml version=\"1.0\" encoding=\"utf-8\" ?><Reports><Summary total_document_count=\"49\" \
            limit=\"100\"
            """
        text +=
            """
             offset=\"0\" order_by=\"None\" /><QueryParams><Filters><Filter name=\"record_id\" \
            value=\"b04a756a\"/>
            """
        text += "</Filters></QueryParams>"
        var number = 0
        while text.utf8.count < bytes - 11 {
            text += report(number)
            number += 1
        }
        return Array((text + "</Reports>").utf8)
    }

    private static func report(_ number: Int) -> String {
        let id = "b04a756a-1657-461a-82e1-\(100_000_000_000 + number)"
        return """
            <Report><Meta><Document id="\(id)" type="http://indivo.org/vocab/xml/documents#Procedure" \
            size="618" \
            digest="" record_id="c8c3\(number)"><createdAt>2012-05-04T15:34:23Z</createdAt><creator \
            id="drchildren@indivo.org" \
            type="Account"><fullname>Doctor &amp; Children</fullname></creator><original id="\(id)"/><latest \
            id="\(id)" \
            createdAt="2012-05-04T15:34:23Z" createdBy="drchildren@indivo.org"/><status>active</status>\
            <nevershare>false</nevershare></Document></Meta><Item><Models><Model name="VitalSigns" \
            documentId="\(id)">
            <Field name="date">2003-04-09T00:00:00Z</Field>
            <Field name="height_unit">m</Field>
            <Field name="height_value">1.\(73_228 + number % 1_000)</Field>
            <Field name="height_name_code_title">Body height</Field>
            <Field name="height_name_code_identifier">8302-2</Field>
            <Field name="height_name_code_system">http://purl.bioontology.org/ontology/LNC/</Field>
            </Model></Models></Item></Report>
            """
    }
}
