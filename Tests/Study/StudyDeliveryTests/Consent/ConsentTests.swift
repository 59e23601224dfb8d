import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// The examples of the documentation.
enum FormatExamples {
    static func read(_ name: String) throws -> Data {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/Study/StudyDelivery/StudyDelivery.docc/Formats.md")
            .standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "```json \(name)\n"))
        let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
        return Data(text[start.upperBound..<end.lowerBound].utf8)
    }

    static func signed() throws -> SignedConsent {
        let document = try ConsentDocument(parsing: read("consent"))
        guard
            case .signed(let consent) = document.decision(
                try ConsentAnswers(parsing: read("answers"), for: document)
            )
        else {
            throw CancellationError()
        }
        return consent
    }
}

/// Consent documents, answers and what comes of them.
struct ConsentTests {
    private func document() throws -> ConsentDocument {
        try ConsentDocument(parsing: FormatExamples.read("consent"))
    }
    private func answers(_ change: (inout JSONValue) -> Void = { _ in }) throws -> ConsentDecision {
        var json = try JSONValue(parsing: FormatExamples.read("answers"))
        change(&json)
        return try document().decision(ConsentAnswers(parsing: json.utf8(), for: document()))
    }

    @Test("the documented examples are read without a remark and are signed")
    func examples() throws {
        let document = try document()
        #expect(document.warnings.isEmpty && document.sections.count == 2)
        #expect(document.sections[1].text == "Your name stays on your phone.\n• No city\n• No street")
        let consent = try FormatExamples.signed()
        #expect(consent.givenName == "Ada" && consent.sharing == ["researchers": true])
    }

    @Test("each missing answer is named, names and participant too, and wrong ones decide")
    func decisions() throws {
        for name in ["participant", "givenName", "familyName", "signedAt", "agrees"] {
            #expect(try answers { $0[name] = nil } == .incomplete([name]))
        }
        #expect(try answers { $0["sharing"] = [:] } == .incomplete(["sharing.researchers"]))
        #expect(try answers { $0["eligibility"] = ["shift": true] } == .incomplete(["eligibility.adult"]))
        #expect(try answers { $0["eligibility"] = ["adult": false] } == .ineligible(criterion: "adult"))
        #expect(
            try answers { $0["eligibility"] = ["adult": true, "shift": true] }
                == .ineligible(criterion: "shift")
        )
        #expect(
            try answers { $0["comprehension"] = ["leave": "After a year"] }
                == .notUnderstood(questions: ["leave"])
        )
        #expect(try answers { $0["agrees"] = false } == .declined)
    }

    @Test("wrong files end with every problem, its line and its path")
    func problems() throws {
        let error = #expect(throws: StudyFormatError.self) {
            try ConsentDocument(
                parsing: Data(
                    #"""
                    {"id": 1, "version": "1", "title": "t",\#n "sections": [{"title": "a"}, 3], "extra": 1}
                    """#
                    .utf8
                )
            )
        }
        let texts = (error?.problems ?? []).map(\.description)
        #expect(texts.contains("1:8: error: id: a text is expected"))
        #expect(texts.contains("2:15: error: sections[0]: there is no text"))
        #expect(texts.contains("2:31: error: sections[1]: an object is expected"))
        #expect(texts.contains { $0.contains("warning: the member “extra” is not known") })
        #expect(texts.contains("1:1: error: study is missing"))
        let answers = #expect(throws: StudyFormatError.self) {
            try self.answers {
                $0["sharing"] = ["nobody": true]
                $0["signature"] = "AAAA"
                $0["participant"] = "7"
            }
        }
        #expect(Set((answers?.problems ?? []).map(\.path)) == ["sharing.nobody", "signature", "participant"])
    }

    @Test("texts and combining marks are bounded, one by one and together, also as entities")
    func bounds() throws {
        func document(_ section: JSONValue, count: Int = 1) throws -> ConsentDocument {
            var json = try JSONValue(parsing: FormatExamples.read("consent"))
            json["sections"] = JSONValue(Array(repeating: section, count: count))
            return try ConsentDocument(parsing: json.utf8())
        }
        let long = JSONValue(String(repeating: "a ", count: 45_000))
        #expect(throws: Never.self) { try document(["title": "t", "text": long]) }
        #expect(throws: StudyFormatError.self) { try document(["title": "t", "text": long], count: 6) }
        #expect(throws: StudyFormatError.self) { try document(["title": long, "text": "x"]) }
        let marks = "a" + String(repeating: "\u{301}", count: 5_000)
        #expect(throws: StudyFormatError.self) { try document(["title": "t", "text": JSONValue(marks)]) }
        let entities = "a" + String(repeating: "&#x301;", count: 5_000)
        #expect(throws: StudyFormatError.self) { try document(["title": "t", "html": JSONValue(entities)]) }
        #expect(throws: StudyFormatError.self) { try document(["title": "t\u{0}", "text": "x"]) }
    }

    @Test("HTML becomes text, and hostile HTML takes time in proportion to its length")
    func html() {
        #expect(
            HTMLText.text(
                "<h1>A</h1>b &amp; c<br>d &lt;e&gt;<script>if (1<2) x()</script><style>p{}</style> f < g"
            ) == "A\nb & c\nd <e> f < g"
        )
        #expect(HTMLText.text("a<!-- <p>x</p> -->b &unknown; &#65;&#x1F600;") == "ab &unknown; A😀")
        for text in [
            String(repeating: "<", count: 1_000_000), String(repeating: "<a", count: 500_000),
            String(repeating: "&", count: 1_000_000),
            String(repeating: "<!--", count: 250_000) + ">", String(repeating: "<p", count: 300_000) + ">",
        ] {
            #expect(HTMLText.text(text).utf8.count <= text.utf8.count)
        }
    }

    @Test("the Contract names the document's version, has no name or image, and is valid")
    func contract() throws {
        let consent = try FormatExamples.signed()
        let contract = consent.contract()
        #expect(contract.issues().filter(\.isError) == [])
        #expect(
            contract.version == "2"
                && contract.identifier.first?.value == "urn:x-consent:org.example.sleep:sleep-consent:2"
        )
        #expect(contract.applies?.start?.description == "2026-11-22T09:30:00+01:00")
        #expect(contract.signer.first?.party?.reference == "Patient/6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11")
        #expect(contract.signer.first?.extension.first?.value == .boolean(true))
        let text =
            String(decoding: contract.json(), as: UTF8.self) + consent.c3ProContract().text()
            + consent.consent().tree.text()
        #expect(!text.contains("Lovelace") && !text.contains("Ada"))
    }

    @Test("C3-PRO's Contract has a single coding as type, an array of signatures, and no id")
    func c3ProContract() throws {
        let json = try FormatExamples.signed().c3ProContract()
        #expect(json["id"] == nil && json["signer"]?[0]?["type"]?["code"] == "CONSENTER")
        let signature = json["signer"]?[0]?["signature"]?[0]
        #expect(
            signature?["whoReference"]?["reference"] == "Patient/6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11"
                && signature?["who"] == nil
        )
        // What was sent can be read as a definition again.
        let again = try ConsentDocument(
            parsing: {
                var json = json
                json["issued"] = "2026"
                return json.utf8()
            }()
        )
        #expect(
            again.sections.map(\.title) == ["Welcome", "Privacy"] && again.organization == "Example Hospital"
        )
        #expect(again.sections.map(\.text) == (try document().sections.map(\.text)))
    }

    @Test("DSTU2's Contract has the participant's id as signature and a UTC time")
    func dstu2Contract() throws {
        let json = try FormatExamples.signed().dstu2Contract()
        #expect(json["applies"]?["start"] == "2026-11-22T08:30:00.00Z")
        #expect(json["signer"]?.elements?.count == 1)
        #expect(json["signer"]?[0]?["signature"] == "6f1b0f0e-5d0b-4e9c-9a53-0e0b5a7c2d11")
        #expect(json["signer"]?[0]?["type"]?[0]?["code"] == "CONSENTER")
        #expect(json["id"] == nil)
    }

    @Test("the Consent's root has no type, each choice has one, and it is valid FHIR")
    func consent() throws {
        let consent = try FormatExamples.signed().consent()
        #expect(consent.issues().filter(\.isError) == [])
        #expect(consent.provision?.type == nil && consent.provision?.provision.map(\.type) == [.permit])
        #expect(
            consent.status == .active
                && consent.scope?.contains(
                    "research",
                    system: "http://terminology.hl7.org/CodeSystem/consentscope"
                ) == true
        )
    }

    @Test("C3-PRO's unsigned Contract gives sections and criteria, and omissions are named")
    func definition() throws {
        let document = try ConsentDocument(
            parsing: Data(
                #"""
                {"resourceType": "Contract", "id": "c", "issued": "2016-01-01", "authority": [{"reference": \#
                "#org"}],
                 "subject": [{"reference": "#eligibility"}],
                 "contained": [{"resourceType": "Organization", "id": "org", "name": "Team"},
                   {"resourceType": "Group", "id": "eligibility", "characteristic": [
                     {"code": {"text": "I am an adult"}, "exclude": false}, {"code": {"text": "I smoke"}, \#
                "exclude": true, "valueBoolean": true},
                     {"code": {"text": "lost"}}]}],
                 "term": [
                   {"type": {"coding": [{"system": \#
                "http://researchkit.org/docs/Constants/ORKConsentSectionType", "code": "Overview"}]},
                    "text": "Summary", "extension": [{"url": \#
                "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection",
                      "extension": [{"url": "title", "valueString": "Welcome"}, {"url": "htmlContent", \#
                "valueString": "<p>Hello</p>"}]}]},
                   {"type": {"coding": [{"system": "urn:other", "code": "Overview"}]}, "text": "skipped"}]}
                """#.utf8
            )
        )
        #expect(
            document.sections == [
                .init(kind: "Overview", title: "Welcome", summary: "Summary", text: "Hello")
            ]
        )
        #expect(document.eligibility.map(\.mustBe) == [true, false] && document.organization == "Team")
        #expect(document.warnings.map(\.path) == ["term[1]", "eligibility.characteristic[2]"])
    }
}
