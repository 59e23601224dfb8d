import Foundation
import IndivoModel
import IndivoXML
import Testing

@Suite("SDMX, SDMJ and back")
struct TwinTests {
    /// Texts that one form or the other might spoil.
    static let texts = [
        "", " ", "a b", " a\tb ", "0.10", "-0", "1e5", "+7", "007", "INF", "NaN", "true", "True", "null",
        "\"", "\\", "\\u0041",
        "<&>'\"]]>", "é", "e\u{301}", "😀", "\u{2028}", "{}", "[]", "2026-11-21T00:00:00Z", "a\nb", "\u{7F}",
    ]

    @Test(
        "a text comes back as it was, in a field of any type and in one that nobody knows",
        arguments: TwinTests.texts
    )
    func text(_ text: String) throws {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">",
            with: "&gt;"
        )
        for name in ["notes", "startDate", "unheard_of"] {
            let source = try XMLNode(
                parsing: """
                    <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Problem" \
                    documentId="d">\
                    <Field name="\(name)">\(escaped)</Field><Field name="name_title"/></Model>\
                    <Model name="Unheard"><Field name="\(name)">\(escaped)</Field></Model></Models>
                    """
            )
            #expect(try twin(of: source).canonical() == source.canonical(), "\(name)")
        }
    }

    @Test("numbers and booleans keep their spelling, and relations their places")
    func types() throws {
        let source = try XMLNode(
            parsing: """
                <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Fill">\
                <Field name="dispenseDaysSupply">30.0</Field><Field \
                name="provider_tel_1_preferred_p">true</Field></Model>\
                <Model name="Fill"><Field name="dispenseDaysSupply">many</Field></Model>\
                <Model name="Medication"><Field name="fulfillments"><Models><Model name="Fill" \
                documentId="f">\
                <Field name="dispenseDaysSupply">0.50</Field></Model><Model name="Fill"/></Models></Field>\
                <Field name="instructions">x</Field></Model>\
                <Model name="VitalSigns"><Field name="encounter"><Model name="Encounter"><Field \
                name="x"/></Model></Field>\
                </Model></Models>
                """
        )
        #expect(try twin(of: source).canonical() == source.canonical())
    }

    /// What a document has become by way of JSON; what could not be read is none the less there.
    private func twin(of source: XMLNode) throws -> XMLNode {
        var problems: [DocumentError] = []
        let json = try SDMXDocument(source, problems: &problems).json()
        return try SDMXDocument(json: json, problems: &problems).xml()
    }
}
