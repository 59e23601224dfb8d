import FHIR
import OrderedJSON
import StudyWarehouse
import Testing

@testable import StudyServer

@Suite struct SampleFormsTests {
    private static let participant = "0b0c3a5e-6f0e-4a9d-9e0b-0a4b6e2f1c11"
    private static let received: FHIRDateTime = "2026-03-02T00:00:00Z"
    private static let model = text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e01")

    private static func text(
        _ uuid: String,
        id: String? = nil,
        start: String = "2026-03-01T10:00:00+01:00",
        end: String? = nil,
        issued: String? = nil,
        value: String = "62",
        status: String = "final",
        more: String = ""
    ) -> String {
        let time =
            end.map { #""effectivePeriod": {"start": "\#(start)", "end": "\#($0)"}"# }
            ?? #""effectiveDateTime": "\#(start)""#
        return """
            {"resourceType": "Observation", "id": "\(id ?? uuid)", "status": "\(status)",
             "identifier": [{"system": "urn:ietf:rfc:3986", "value": "urn:uuid:\(uuid)"}],
             "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"},
              {"system": "http://developer.apple.com/documentation/healthkit",
               "code": "HKQuantityTypeIdentifierHeartRate"}]}, \(more)
             "subject": {"reference": "Patient/\(participant)"}, \(time),
             "issued": "\(issued ?? end ?? start)",
             "valueQuantity": {"value": \(value), "unit": "beats/minute",
              "system": "http://unitsofmeasure.org", "code": "/min"}}
            """
    }

    /// As a consumer reads it that has seen nothing of its form; `nil` for what stays a fact, or is refused.
    private static func whole(_ json: JSONValue) -> StudySample? {
        guard
            var intake = try? Intake(json, visit: "v", received: received, mapper: ResponseMapper())
        else { return nil }
        var splitter = SampleSplitter(Disclosure())
        intake.split(by: &splitter, received: received)
        return intake.sample
    }

    private static let same = [
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e02"),
        text("61CBD0B0-6B2F-4C58-9F0A-6D3C8D9A1E03", value: "61.50"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e04", start: "2026-03-01T12:30:00.25-05:00", value: "0.00001"),
        text(
            "61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e05",
            start: "2026-02-28T10:00:00Z",
            value: "1234567890123.45"
        ),
    ]

    private static let others = [
        // Ids that are none, or differ.
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0"), text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0g"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e06", id: "61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e07"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e06", id: "a b"), text(participant),
        // Times that are none, do not fit each other, or are ahead.
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-03-01T10:00:00"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-03-01"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-02-29T10:00:00Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-03-01T10:00:60Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-03-01T10:00:00.0000001Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "2026-03-02T00:05:01Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", start: "1800-03-01T10:00:00Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", issued: "2026-03-01T10:00:01+01:00"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", issued: "2026-03-01T09:00:00Z"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e08", end: "2026-03-01T09:00:00+01:00"),
        // Numbers that columns do not hold, or hold in another way.
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e09", value: "12345678901234"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e09", value: "0.12345678901234567"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e09", value: "-1"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e09", value: "6.2e1"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e09", value: #""62""#),
        // What no row has.
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a", status: "amended"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a", more: #""note": [{"text": "x"}],"#),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a", more: #""id": "61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a","#),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a").replacing("/min", with: "1/h"),
        text("61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e0a").replacing("8867-4", with: "8867-5"),
    ]

    private static func forms() throws -> SampleForms {
        let json = try JSONValue(parsing: model)
        var forms = SampleForms(received: received)
        let sample = try #require(whole(json))
        #expect(forms.add(json, sample, phoneID: participant) == 0)
        return forms
    }

    @Test("a text of a known form gives the same sample as when it is read whole", arguments: same)
    func sameForm(text: String) throws {
        let json = try JSONValue(parsing: text)
        var forms = try Self.forms()
        let found = try #require(forms.sample(json)?.sample)
        #expect(found == Self.whole(json))
    }

    @Test("what has another form is read as a whole", arguments: others)
    func otherForm(text: String) throws {
        var forms = try Self.forms()
        #expect(forms.sample(try JSONValue(parsing: text)) == nil)
    }

    @Test("a message of several forms has the samples of its parts")
    func severalForms() throws {
        let texts = (0..<40).map { number in
            let end = "10:\(10 + number % 50):00+01:00"
            return Self.text(
                "61cbd0b0-6b2f-4c58-9f0a-6d3c8d9a1e\(10 + number)",
                end: number % 2 == 0 ? "2026-03-01T\(end)" : nil,
                value: "\(50 + number)",
                more: #""category": [{"text": "\#(number % 6)"}],"#
            )
        }
        var forms = SampleForms(received: Self.received)
        var found = 0
        for text in texts + texts {
            let json = try JSONValue(parsing: text)
            let whole = try #require(Self.whole(json))
            if let sample = forms.sample(json)?.sample {
                found += 1
                #expect(sample == whole)
            } else {
                _ = forms.add(json, whole, phoneID: Self.participant)
            }
        }
        #expect(found == 2 * texts.count - 6)
    }
}
