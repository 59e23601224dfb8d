import FHIR
import FHIRValidation
import OrderedJSON
import Testing

@Suite("Validation of references, contained resources and Bundles")
struct ValidationReferenceTests {
    private static func issues(_ text: String) throws -> [ValidationIssue] {
        var options = ValidationOptions()
        options.includesBestPractice = false
        // That entries have a fullUrl is a test of its own.
        return ValidationIssue.all(of: try JSONValue(parsing: text), options).filter {
            !$0.text.hasPrefix("an entry has a fullUrl")
        }
    }

    private func expect(
        _ text: String,
        _ severity: IssueSeverity,
        _ code: IssueType,
        _ expression: String,
        _ location: String,
        rule: String? = nil
    ) throws {
        let issues = try Self.issues(text)
        #expect(issues.count == 1, "\(issues)")
        #expect(issues.first?.severity == severity)
        #expect(issues.first?.code == code)
        #expect(issues.first?.expression == expression)
        #expect(issues.first?.location?.description == location)
        #expect(issues.first?.rule == rule)
    }

    private static func observation(_ members: String) -> String {
        #"{"resourceType":"Observation","status":"final","code":{"text":"x"}"# + ",\n" + members + "}"
    }

    @Test("a local reference needs a contained resource with the id")
    func missing() throws {
        try expect(
            Self.observation(##""subject":{"reference":"#p"}"##),
            .error,
            .invariant,
            "Observation.subject",
            "2:24",
            rule: "ref-1"
        )
        try expect(
            Self.observation(##""subject":{"reference":"#"}"##),
            .error,
            .invariant,
            "Observation.subject",
            "2:24",
            rule: "ref-1"
        )
    }

    @Test("a contained resource needs an id, and a reference to it")
    func unused() throws {
        try expect(
            Self.observation(#""contained":[{"resourceType":"Patient","id":"p"}]"#),
            .error,
            .invariant,
            "Observation",
            "2:14",
            rule: "dom-3"
        )
        let unnamed = try Self.issues(Self.observation(#""contained":[{"resourceType":"Patient"}]"#))
        #expect(unnamed.map(\.rule) == [nil, "dom-3"])
        #expect(unnamed.map(\.expression) == ["Observation.contained[0]", "Observation"])
    }

    @Test("references to contained resources count, whatever type writes them")
    func used() throws {
        let contained = #""contained":[{"resourceType":"Patient","id":"p"}]"#
        for member in [
            ##""subject":{"reference":"#p"}"##,
            ##""extension":[{"url":"http://e.org/x","valueCanonical":"#p"}]"##,
            ##""extension":[{"url":"http://e.org/x","valueUri":"#p"}]"##,
        ] {
            let issues = try Self.issues(Self.observation(contained + "," + member))
            #expect(issues.isEmpty, "\(issues)")
        }
        let outward = try Self.issues(
            Self.observation(
                ##""contained":[{"resourceType":"Condition","id":"c","subject":{"reference":"#"}}]"##
            ).replacing("Observation", with: "Observation")
        )
        #expect(outward.allSatisfy { $0.severity == .error && $0.code == .structure }, "\(outward)")
    }

    @Test("a contained resource contains none, and has no version")
    func nested() throws {
        let inner = #"{"resourceType":"Patient","id":"q"}"#
        let nested = try Self.issues(
            Self.observation(
                #""contained":[{"resourceType":"Patient","id":"p","contained":["# + inner
                    + ##"],"generalPractitioner":[{"reference":"#q"}]}],"subject":{"reference":"#p"}"##
            )
        )
        #expect(nested.contains { $0.rule == "dom-2" && $0.expression == "Observation" })
        try expect(
            Self.observation(
                """
                "contained":[{"resourceType":"Patient","id":"p","meta":{"versionId":"1"}}],\
                "subject":{"reference":"#p"}
                """
            ),
            .error,
            .invariant,
            "Observation",
            "1:1",
            rule: "dom-4"
        )
    }

    @Test("a reference is of a type that is allowed")
    func types() throws {
        try expect(
            Self.observation(
                """
                "contained":[{"resourceType":"Flag","id":"p","status":"active","code":{"text":"x"},\
                "subject":{"display":"y"}}],"subject":{"reference":"#p"}
                """
            ),
            .error,
            .structure,
            "Observation.subject",
            "2:135"
        )
        try expect(
            Self.observation(#""subject":{"reference":"Flag/1"}"#),
            .warning,
            .structure,
            "Observation.subject",
            "2:24"
        )
        try expect(
            Self.observation(#""subject":{"reference":"http://e.org/Flag/1/_history/2"}"#),
            .warning,
            .structure,
            "Observation.subject",
            "2:24"
        )
        try expect(
            Self.observation(#""subject":{"type":"Flag","display":"x"}"#),
            .error,
            .structure,
            "Observation.subject",
            "2:19"
        )
        try expect(
            Self.observation(#""subject":{"type":"Group","reference":"Patient/1"}"#),
            .error,
            .invalid,
            "Observation.subject",
            "2:19"
        )
    }

    @Test(
        "a relative reference is a type and an id",
        arguments: ["7", "patient/7", "/Patient/7", "a/Patient/7", "Patient", "Patient/", "Patient/a_b"]
    )
    func malformed(reference: String) throws {
        try expect(
            Self.observation(#""subject":{"reference":"\#(reference)"}"#),
            .error,
            .value,
            "Observation.subject",
            "2:24"
        )
    }

    @Test(
        "references that are right",
        arguments: [
            "Patient/7", "Patient/7/_history/2", "http://e.org/Patient/7", "https://e.org/x?y=1",
            "urn:oid:1.2",
            "Patient?identifier=a", "mailto:a@e.org",
        ]
    )
    func right(reference: String) throws {
        let issues = try Self.issues(Self.observation(#""subject":{"reference":"\#(reference)"}"#))
        #expect(issues.isEmpty, "\(issues)")
    }

    // MARK: Bundles

    private static func bundle(_ type: String, _ entries: String...) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":["# + "\n" + entries.joined(separator: ",\n")
            + "]}"
    }

    private static let uuid = "urn:uuid:c757873d-ec9a-4326-a141-556f43239520"

    @Test("in a Bundle a UUID leads to an entry, and to one of a type that is allowed")
    func entries() throws {
        let observation =
            #"""
            {"resource":{"resourceType":"Observation","status":"final","code":{"text":"x"},\#
            "subject":{"reference":"\#(Self.uuid)"}}}
            """#
        let flag =
            #"""
            {"fullUrl":"\#(Self.uuid)","resource":{"resourceType":"Flag","status":"active",\#
            "code":{"text":"x"},"subject":{"display":"y"}}}
            """#
        let patient = #"{"fullUrl":"\#(Self.uuid)","resource":{"resourceType":"Patient"}}"#
        #expect(try Self.issues(Self.bundle("collection", patient, observation)).isEmpty)
        try expect(
            Self.bundle("collection", flag, observation),
            .error,
            .structure,
            "Bundle.entry[1].resource.subject",
            "3:103"
        )
        try expect(
            Self.bundle("collection", observation),
            .warning,
            .notFound,
            "Bundle.entry[0].resource.subject",
            "2:103"
        )
    }

    @Test("entries have absolute and distinct full URLs")
    func fullURLs() throws {
        let patient = #"{"fullUrl":"Patient/1","resource":{"resourceType":"Patient","id":"1"}}"#
        try expect(Self.bundle("collection", patient), .error, .value, "Bundle.entry[0]", "2:12")
        let other = #"{"fullUrl":"http://e.org/Patient/2","resource":{"resourceType":"Patient","id":"1"}}"#
        try expect(Self.bundle("collection", other), .warning, .invalid, "Bundle.entry[0]", "2:12")
        let same = #"{"fullUrl":"http://e.org/Patient/1","resource":{"resourceType":"Patient","id":"1"}}"#
        try expect(Self.bundle("collection", same, same), .error, .invariant, "Bundle", "1:1", rule: "bdl-7")
        let version =
            #"{"fullUrl":"http://e.org/Patient/1/_history/1","resource":{"resourceType":"Patient","id":"1"}}"#
        let issues = try Self.issues(Self.bundle("collection", version))
        #expect(issues.map(\.rule).contains("bdl-8"))
    }

    @Test("what is found has an id, and an outcome is an OperationOutcome")
    func search() throws {
        let match = #"{"search":{"mode":"match"},"resource":{"resourceType":"Patient"}}"#
        try expect(Self.bundle("searchset", match), .error, .required, "Bundle.entry[0]", "2:39")
        let outcome = #"{"search":{"mode":"outcome"},"resource":{"resourceType":"Patient","id":"1"}}"#
        try expect(Self.bundle("searchset", outcome), .error, .invalid, "Bundle.entry[0]", "2:41")
    }

    @Test("a request belongs to batches, transactions and histories")
    func requests() throws {
        let entry = #"{"resource":{"resourceType":"Patient"},"request":{"method":"POST","url":"Patient"}}"#
        #expect(try Self.issues(Self.bundle("batch", entry)).isEmpty)
        try expect(Self.bundle("collection", entry), .error, .invariant, "Bundle", "1:1", rule: "bdl-3")
        let plain = #"{"resource":{"resourceType":"Patient"}}"#
        try expect(Self.bundle("transaction", plain), .error, .invariant, "Bundle", "1:1", rule: "bdl-3")
    }

    @Test("entries have a fullUrl, except in batches and transactions")
    func withoutFullURL() throws {
        let entry = #"{"resource":{"resourceType":"Patient","id":"1"}}"#
        for (type, count) in [("collection", 1), ("batch", 0)] {
            let issues = ValidationIssue.all(of: try JSONValue(parsing: Self.bundle(type, entry)))
            #expect(issues.count { $0.text.hasPrefix("an entry has a fullUrl") } == count)
        }
    }

    @Test("the first entry of a message is a MessageHeader")
    func message() throws {
        let header =
            """
            {"fullUrl":"http://e.org/MessageHeader/1","resource":{"resourceType":"MessageHeader","id":"1",\
            "eventUri":"http://e.org","source":{"endpoint":"http://e.org"}}}
            """
        let patient = #"{"fullUrl":"http://e.org/Patient/1","resource":{"resourceType":"Patient","id":"1"}}"#
        let issues = try Self.issues(Self.bundle("message", header, patient))
        #expect(issues.allSatisfy { !$0.isError }, "\(issues)")
        try expect(Self.bundle("message", patient), .error, .invariant, "Bundle", "1:1", rule: "bdl-12")
    }

    @Test("resources without a view are checked in the same way")
    func others() throws {
        let person =
            #"{"resource":{"resourceType":"Person","name":{"text":"x"},"x":1,"active":"true","link":[]}}"#
        let issues = try Self.issues(Self.bundle("collection", person, person))
        let resource = "Bundle.entry[0].resource"
        #expect(
            issues.filter { $0.isError }.prefix(4).map(\.expression) == [
                "\(resource).name", resource, "\(resource).active", "\(resource).link",
            ],
            "\(issues)"
        )
        #expect(issues.count == 8)
    }

    @Test("a full URL is split by its bytes, whatever characters surround the slashes")
    func slashes() throws {
        for url in [
            "http:\u{600}/\u{600}/\u{600}/\u{600}/Patient/\u{301}y", "http://e.org/fhir/Patient/\u{301}y",
        ] {
            let entry = #"{"fullUrl":"\#(url)","resource":{"resourceType":"Patient","id":"y","active":true}}"#
            let issues = try Self.issues(Self.bundle("collection", entry))
            #expect(issues.map(\.expression) == ["Bundle.entry[0]"], "\(issues)")
        }
    }

    @Test("a member that is twice in one entry does not count for another that lacks it")
    func doubledRequests() throws {
        let request = #""request":{"method":"GET","url":"Patient/1"}"#
        let patient = #"{"resource":{"resourceType":"Patient","id":"a","active":true}}"#
        let issues = try Self.issues(Self.bundle("batch", "{\(request),\(request)}", patient))
        #expect(issues.contains { $0.rule == "bdl-3" }, "\(issues)")
    }
}
