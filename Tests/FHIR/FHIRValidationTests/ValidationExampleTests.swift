import FHIR
import FHIRValidation
import Foundation
import OrderedJSON
import TestSupport
import Testing

/// Resources that others wrote, and what others say of them.
@Suite(
    "Validation of published resources",
    .enabled(if: SharedFHIR.exists("examples"), "../shared/fhir is not there")
)
struct ValidationExampleTests {
    private static let exampleFiles = SharedFHIR.files("examples", "synthea")

    /// Examples that are published and wrong.
    private static let wrongExamples: [String: String] = [
        "Questionnaire-qs1.json": "its items lack linkId, which is 1..1",
        "Bundle-hla-1.json": "the extension hla-genotyping-results-glstring has a part url, and this one uri",
        "CapabilityStatement-knowledge-repository.json":
            "Library-topic and others are tokens, and here strings",
        "Observation-f202.json": "a body temperature without a time, which vital signs must have",
    ]

    private static func errors(_ file: URL) throws -> [ValidationIssue] {
        ValidationIssue.all(of: try JSONValue(parsing: Data(contentsOf: file))).filter { $0.isError }
    }

    @Test("official examples and patient bundles are valid", arguments: exampleFiles)
    func examples(file: URL) throws {
        let errors = try Self.errors(file)
        let isWrong = Self.wrongExamples[file.lastPathComponent] != nil
        #expect(errors.isEmpty != isWrong, "\(errors.prefix(5))")
    }

    /// Files of HL7's validator whose errors are about more than R4's own definitions.
    private static let leftOut: [String: String] = [
        "dr-example-org.json": "URLs of example.org are forbidden by an option of that test",
        "bundle-id-collection.json": "the display of a code of CVX",
        "maiden-name.json": "where an extension may be: its definition is not R4's",
        "ips-nz-pj.json": "displays of codes of LOINC",
        "ips-htmlrefs-backwards.json": "the definition of an extension, and links between narratives",
        "contained-resource.json":
            """
        an id of 65 characters and no reference to the contained resource: wrong by R4, yet expected to \
        pass there
        """,
    ]

    @Test("resources are valid or not as HL7's validator says")
    func javaValidator() throws {
        let folder = SharedFHIR.folder.appending(path: "validation")
        let expected = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "_expected.json")))
        var agreed = 0
        var total = 0
        for member in try #require(expected.members) {
            let file = folder.appending(path: member.name)
            let errors = member.value["error"]?.elements?.count ?? 0
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            if let reason = Self.leftOut[member.name] {
                print("left out: \(member.name): \(reason)")
                continue
            }
            total += 1
            let found: Int
            if let json = try? JSONValue(parsing: Data(contentsOf: file)) {
                found = ValidationIssue.all(of: json).filter { $0.isError }.count
            } else {
                found = 1
            }
            if (found == 0) == (errors == 0) {
                agreed += 1
            } else {
                Issue.record("\(member.name): \(found) errors, and \(errors) of HL7's validator")
            }
        }
        print("validation: \(agreed) of \(total) as HL7's validator, \(Self.leftOut.count) left out")
        #expect(total >= 27)
        #expect(agreed == total)
    }

    /// Responses of HL7's validator with errors that are R4's own; errors of the others come from the
    /// questionnaire.
    private static let invalidResponses: Set<String> = ["validator__url-value-qr.json"]

    @Test("questionnaires and responses of HL7's validator have only the errors of R4")
    func questionnaires() throws {
        let folder = SharedFHIR.folder.appending(path: "questionnaires")
        let expected = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "_expected.json")))
        var count = 0
        for test in try #require(expected.elements) {
            guard let name = test["file"]?.string, let java = test["expectedJava"]?["error"]?.elements else {
                continue
            }
            let file = folder.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            count += 1
            let isInvalid =
                Self.invalidResponses.contains(name)
                || java.contains { $0["text"]?.string?.hasPrefix("Constraint failed") == true }
            let errors = try Self.errors(file)
            #expect(errors.isEmpty != isInvalid, "\(name): \(errors.prefix(3))")
        }
        #expect(count > 40)
    }

    /// A structural check that was written apart from this one, without rules and references.
    @Test("questionnaires that an independent check finds wrong are wrong here")
    func independentCheck() throws {
        for folder in ["questionnaires", "validation", "examples"].map({
            SharedFHIR.folder.appending(path: $0)
        }) {
            let issues = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "_issues.json")))
            for member in issues.members ?? [] {
                let file = folder.appending(path: member.name)
                guard FileManager.default.fileExists(atPath: file.path) else { continue }
                let errors = try Self.errors(file)
                #expect(!errors.isEmpty, "\(member.name): \(member.value.text())")
            }
        }
    }
}
