import FHIR
import FHIRValidation
import OrderedJSON
import Testing

/// What an equal text of the same Bundle had is not looked at again, but where it depends on what is around.
@Suite("Validation of values that a Bundle has several times")
struct RepeatedValueTests {
    private func errors(_ resources: [String], maximumDepth: Int? = nil) throws -> [String] {
        var options = ValidationOptions()
        if let maximumDepth { options.maximumDepth = maximumDepth }
        let entries = resources.map { #"{"resource":\#($0)}"# }.joined(separator: ",")
        let bundle = #"{"resourceType":"Bundle","type":"collection","entry":[\#(entries)]}"#
        let issues = ValidationIssue.all(of: try JSONValue(parsing: bundle), options)
        return issues.filter(\.isError).map(\.expression)
    }

    @Test("a local reference needs the contained resource of its own resource")
    func localReferences() throws {
        let subject = ##""subject":{"reference":"#p"}"##
        let contained = #""contained":[{"resourceType":"Patient","id":"p"}]"#
        let start = #"{"resourceType":"Observation","status":"final","code":{"text":"x"}"#
        let found = try errors([
            "\(start),\(contained),\(subject)}", "\(start),\(subject)}", "\(start),\(contained),\(subject)}",
        ])
        #expect(found == ["Bundle.entry[1].resource.subject"])
    }

    @Test("an id is unique in its resource")
    func ids() throws {
        let name = #"{"id":"a","family":"Doe"}"#
        let found = try errors([
            #"{"resourceType":"Patient","name":[\#(name)]}"#,
            #"{"resourceType":"Patient","name":[\#(name),\#(name)]}"#,
            #"{"resourceType":"Patient","name":[\#(name)]}"#,
        ])
        #expect(found == ["Bundle.entry[1].resource.name[1].id"])
    }

    @Test("an extension has its context in each place")
    func contexts() throws {
        let place = """
            {"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthPlace",
            "valueAddress":{"city":"Essen"}}]
            """
        let found = try errors([
            #"{"resourceType":"Patient",\#(place.dropFirst())}"#,
            #"{"resourceType":"Patient","name":[\#(place),"family":"Doe"}]}"#,
            #"{"resourceType":"Patient",\#(place.dropFirst())}"#,
            #"{"resourceType":"Patient","contact":[\#(place),"name":{"family":"Doe"}}]}"#,
        ])
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("Bundle.entry[1].resource.name[0]") == true, "\(found)")
        #expect(found.last?.hasPrefix("Bundle.entry[3].resource.contact[0]") == true, "\(found)")
    }

    @Test("a link of a narrative goes to its own resource")
    func links() throws {
        let narrative = ##"""
            "text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><img src=\"#b\"/></div>"}
            """##
        let binary = #""contained":[{"resourceType":"Binary","id":"b","contentType":"image/png"}]"#
        let found = try errors([
            #"{"resourceType":"Patient",\#(binary),\#(narrative)}"#,
            #"{"resourceType":"Patient",\#(binary)}"#,
            #"{"resourceType":"Patient",\#(binary),\#(narrative)}"#,
        ])
        // Where nothing uses it, a contained resource is an error.
        #expect(found.allSatisfy { $0.hasPrefix("Bundle.entry[1].resource") }, "\(found)")
        #expect(!found.isEmpty)
    }

    @Test("a value that is too deep is refused, also where it stood less deep before")
    func depth() throws {
        func nested(_ inner: String, _ count: Int) -> String {
            String(repeating: #"{"name":"a","part":["#, count: count) + inner
                + String(repeating: "]}", count: count)
        }
        let value = nested(#"{"name":"b","valueQuantity":{"value":1}}"#, 5)
        let flat = #"{"resourceType":"Parameters","parameter":[\#(value)]}"#
        let deep = #"{"resourceType":"Parameters","parameter":[\#(nested(value, 2))]}"#
        let limit = try (1..<40).first { try errors([flat], maximumDepth: $0).isEmpty }
        let alone = try errors([deep], maximumDepth: limit ?? 0)
        #expect(!alone.isEmpty)
        let found = try errors([flat, deep], maximumDepth: limit ?? 0)
        #expect(found == alone.map { $0.replacing("entry[0]", with: "entry[1]") })
    }
}
