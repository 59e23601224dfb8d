import FHIR
import FHIRValidation
import OrderedJSON
import Testing

@Suite("Bounds of validation, and issues as values")
struct ValidationBoundTests {
    private static func patient(_ members: String) throws -> AnyResource {
        try AnyResource(parsing: #"{"resourceType":"Patient",\#(members)}"#)
    }

    @Test("validation stops after so many errors, with a fatal issue")
    func errors() throws {
        var options = ValidationOptions()
        options.maximumIssues = 5
        let names = Array(repeating: #"{"use":"x"}"#, count: 100).joined(separator: ",")
        let issues = try Self.patient(#""name":[\#(names)]"#).issues(options)
        #expect(issues.filter { $0.severity == .error }.count == 5)
        #expect(issues.filter { $0.severity == .fatal }.map(\.code) == [.tooCostly])
    }

    @Test("warnings beyond the bound are counted, and do not make a resource invalid")
    func warnings() throws {
        var options = ValidationOptions()
        options.maximumIssues = 5
        let names = Array(repeating: #"{"text":" "}"#, count: 100).joined(separator: ",")
        let issues = try Self.patient(#""name":[\#(names)]"#).issues(options)
        #expect(issues.filter { $0.severity == .warning }.count == 5)
        #expect(issues.last?.severity == .information)
        #expect(issues.last?.text.hasPrefix("95 more") == true)
        #expect(!issues.contains { $0.isError })
    }

    @Test("a member that is repeated very often is reported as often as issues are listed")
    func repeatedMembers() throws {
        let members = String(repeating: #""id":"a","#, count: 300_000)
        let tree = try JSONValue(parsing: #"{"resourceType":"Patient",\#(members)"active":true}"#)
        let issues = ValidationIssue.all(of: tree)
        #expect(issues.count == 10_001 && issues.contains { $0.severity == .fatal })
        #expect(issues.first?.text == "the member id is there more than once")
    }

    @Test("JSON that was made has the issues of its text, without locations")
    func issuesOfMadeJSON() throws {
        let text = #"{"resourceType":"Patient","active":"yes","name":[{}],"foo":1}"#
        let parsed = try JSONValue(parsing: text)
        var made: JSONValue = ["resourceType": "Patient", "active": "yes", "name": [[:]]]
        made["foo"] = 1
        let found = ValidationIssue.all(of: made)
        #expect(found.map(\.text).sorted() == ValidationIssue.all(of: parsed).map(\.text).sorted())
        #expect(found.allSatisfy { $0.location == nil } && found.count > 2)
    }

    @Test("depth has a bound")
    func depth() throws {
        let deep =
            String(repeating: #"{"url":"http://e.org/x","extension":["#, count: 200)
            + #"{"url":"x","valueInteger":1}"# + String(repeating: "]}", count: 200)
        let resource = try Self.patient(#""extension":[\#(deep)]"#)
        #expect(!resource.issues().contains { $0.severity == .fatal })
        var options = ValidationOptions()
        options.maximumDepth = 20
        let issues = resource.issues(options)
        #expect(issues.filter { $0.severity == .fatal }.map(\.code) == [.tooCostly])
        var made: JSONValue = ["url": "http://e.org/x", "valueInteger": 1]
        for _ in 0..<2000 { made = ["url": "http://e.org/x", "extension": [made]] }
        let tree: JSONValue = ["resourceType": "Patient", "extension": [made]]
        #expect(ValidationIssue.all(of: tree).contains { $0.severity == .fatal })
    }

    @Test("steps have a bound, those of rules included")
    func steps() throws {
        let code = { (index: Int) in #"{"system":"http://e.org","code":"\#(index)"}"# }
        let codes = (0..<100).map(code).joined(separator: ",")
        let others = (1000..<1100).map(code).joined(separator: ",")
        let text =
            #"""
            {"resourceType":"Observation","status":"final","code":{"coding":[\#(codes)]},"valueInteger":1,\#
            "component":[{"code":{"coding":[\#(others)]}}]}
            """#
        let resource = try AnyResource(parsing: text)
        #expect(!resource.issues().contains { $0.isError })
        var options = ValidationOptions()
        options.maximumSteps = 5_000
        #expect(resource.issues(options).filter { $0.severity == .fatal }.map(\.code) == [.tooCostly])
    }

    @Test("a cancelled task stops")
    func cancelled() async throws {
        let names = Array(repeating: #"{"text":"x"}"#, count: 20_000).joined(separator: ",")
        let resource = try Self.patient(#""name":[\#(names)]"#)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return resource.issues()
        }
        let issues = await task.value
        #expect(issues.filter { $0.severity == .fatal }.map(\.code) == [.incomplete])
    }

    @Test("a resource that was made or changed has issues without locations")
    func made() throws {
        var resource = try Self.patient(#""gender":"x""#)
        #expect(resource.issues().allSatisfy { $0.location != nil })
        resource.id = "_"
        let issues = resource.issues().filter { $0.isError }
        #expect(issues.map(\.expression) == ["Patient.gender", "Patient.id"])
        #expect(issues.allSatisfy { $0.location == nil })
        #expect(issues.first?.description.hasPrefix("error: Patient.gender: ") == true)
    }

    @Test("issues are in the order of the text")
    func order() throws {
        let issues = try Self.patient(
            """
            "name":[{"use":"x"}],
            "_birthDate":{"id":""},"birthDate":"x","photo":[],"a":1
            """
        ).issues()
        #expect(issues.compactMap(\.location) == issues.compactMap(\.location).sorted())
        #expect(issues.count == 5)
    }

    @Test("an OperationOutcome has severity, code, text, path and line, and is valid itself")
    func outcome() throws {
        let issues = try Self.patient("\n\"gender\":\"x\"").issues().filter { $0.isError }
        let outcome = OperationOutcome(issues)
        let issue = try #require(outcome.issue.first)
        #expect(outcome.issue.count == 1)
        #expect(issue.severity == .error)
        #expect(issue.code == .codeInvalid)
        #expect(issue.expression == ["Patient.gender"])
        #expect(issue.details?.text == issues[0].text)
        let urls = ["line", "col"].map {
            "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-\($0)"
        }
        #expect(urls.map { issue.extensions(url: FHIRURI($0)).first?.value?.integer } == [2, 10])
        #expect(!outcome.issues().contains { $0.isError })
        let none = OperationOutcome([])
        #expect(none.issue.map(\.severity) == [.information])
        #expect(!none.issues().contains { $0.isError })
    }
}
