import GRDB

/// The report in ASTM's Continuity of Care Record. As the real server's, of the facts it says nothing but
/// their ids.
enum CCRCalls {
    static let routes: [Route] = [
        .get("report_ccr", "/records/{record}/reports/experimental/ccr", .recordDocument) { call in
            let record = try call.record.id
            func documents(_ model: String) throws -> [String] {
                let condition =
                    "fact.record = ? AND fact.model = ? AND document.status = 'active' ORDER BY fact.serial"
                return try FactRow.fetch(call.db, condition, [record, model]).map(\.document)
            }
            let markup: Markup = """

                <?xml version="1.0"?>
                <ContinuityOfCareRecord xmlns="urn:astm-org:CCR"><CCRDocumentObjectID>0</CCRDocumentObjectID>\
                <Language><Text>ENGLISH</Text></Language><Version>V1.0</Version>\
                <DateTime><Type><Text>Create</Text><ObjectAttribute><Attribute>DisplayDate</Attribute>\
                <AttributeValue><Value>09/30/10</Value></AttributeValue></ObjectAttribute></Type>\
                <ExactDateTime>\(call.now.text)</ExactDateTime></DateTime>\
                <Patient><ActorID>\(record)</ActorID></Patient><From><ActorLink/></From><Body>\
                <Medications>\(try documents("Medication").map(medication))</Medications>\
                <Immunizations>\(try documents("Immunization").map(immunization))</Immunizations>\
                <VitalSigns>\(try documents("VitalSigns").map(vitalSign))</VitalSigns>\
                </Body><Actors></Actors></ContinuityOfCareRecord>

                """
            return .xml(markup, declaration: false)
        }
    ]

    private static let code: Markup = "<Code><Value></Value><CodingSystem></CodingSystem></Code>"

    private static func medication(_ document: String) -> Markup {
        """
        <Medication><CCRDataObjectID>\(document)</CCRDataObjectID>\
        <DateTime><Type><Text>Dispense date</Text></Type><ExactDateTime></ExactDateTime></DateTime>\
        <Status><Text>Active</Text></Status><Product><ProductName><Text></Text>\(code)</ProductName>\
        <Strength><Value></Value><Units><Unit></Unit></Units></Strength></Product>\
        <Directions><Direction><Dose><Value></Value><Units><Unit></Unit></Units></Dose>\
        <Route><Text></Text></Route>\
        <Frequency><Value></Value></Frequency></Direction></Directions></Medication>
        """
    }

    private static func immunization(_ document: String) -> Markup {
        """
        <Immunization><CCRDataObjectID>\(document)</CCRDataObjectID>\
        <DateTime><Type><Text>Start date</Text></Type><ExactDateTime></ExactDateTime></DateTime>\
        <Product><ProductName><Text></Text>\(code)</ProductName></Product></Immunization>
        """
    }

    private static func vitalSign(_ document: String) -> Markup {
        """
        <Result><CCRDataObjectID>\(document)</CCRDataObjectID><Status/><Source/>\
        <Test><CCRDataObjectID>\(document)</CCRDataObjectID><Description><Text></Text>\(code)</Description>\
        <Status/><Source/><TestResult><Value></Value><Units><Unit></Unit></Units></TestResult></Test></Result>
        """
    }
}
