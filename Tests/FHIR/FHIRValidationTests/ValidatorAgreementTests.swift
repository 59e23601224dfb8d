import FHIR
import FHIRValidation
import FHIRXML
import Foundation
import OrderedJSON
import Surveys
import TestSupport
import Testing

/// Cases of HL7's validator with what it says, and what Firely's says where that is recorded.
@Suite("Agreement with HL7's and Firely's validators")
struct ValidatorAgreementTests {
    struct Case: Sendable {
        let name: String
        let json: JSONValue
        var profile: JSONValue? { json.member("profile") }

        /// Whether a validator has errors; nil where it is not recorded.
        static func hasErrors(_ issues: JSONValue?) -> Bool? {
            issues?.elements.map {
                $0.contains { ["error", "fatal"].contains($0.member("severity")?.string) }
            }
        }
    }

    /// One comparison: a case, without its profile or with it.
    struct Result {
        let name: String
        let ours: Bool
        let java: Bool
        let firely: Bool?
        let texts: [String]
    }

    /// Why we differ from HL7's validator, by case.
    static let explained: [String: String] = [
        "allergy": "a required code is absent with a reason, which R4 allows; Firely's validator takes it",
        "patient-circle2-bad-source1 (profile)": "the resource that is referred to is fetched from a server",
        "mr-m-cql-library": "needs a translator of CQL",
        "bb-obs-value-is-not-in-valueset":
            "the profile is claimed and broken; the recorded errors are those without it",
        "bundle-bad-by-param": "an option of HL7's tool names a profile for an entry",
        "cvx": "the display of a code of CVX",
        "uk-msg": "codes of SNOMED CT, and their displays",
        "ips-nz-pj": "displays of codes of LOINC",
        "open-choice-gender-coding-async-qr": "the display of a code",
        "vs-bad-ecl": "an expression of SNOMED CT",
        "vs-filter-property-bad": "a property whose values are codes of another system",
        "vs-canonical-urn": "a system with #: R4's own ValueSet-example-hierarchical has one",
        "vs-params-2": "expressions of parameters, an extension that is younger than R4",
        "vs-params-4": "expressions of parameters, an extension that is younger than R4",
        "contained-resource-bad-id-ignore": "an option of HL7's tool lets the wrong id pass",
        "json-comments-1-yes": "an option of HL7's tool allows comments in JSON",
        "json-comments-2-yes": "an option of HL7's tool allows comments in JSON",
        "profile-patient-op3": "obligation profiles, which are younger than R4",
        "ext-derived-circle": "the recorded errors are those of a value set",
        "attachment-max-size-qr": "maxSize is in megabytes, and HL7's validator takes it for bytes",
        "aggregation-apart-good4": "Encounter.class is missing, which R4 asks for",
        "aggregation-apart-good4 (profile)": "Encounter.class is missing, which R4 asks for",
    ]

    private static let otherFolder = ProcessInfo.processInfo.environment["INDIVO_VALIDATOR_CASES"]
    static let folder =
        otherFolder.map { URL(filePath: $0) } ?? SharedFHIR.folder.appending(path: "validator")

    static func cases() throws -> [Case] {
        let json = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "cases.json")))
        return (json.member("cases")?.elements.map(Array.init) ?? []).compactMap { one in
            one.member("name")?.string.map { Case(name: $0, json: one) }
        }
    }

    static func resource(_ name: String) throws -> JSONValue {
        let data = try Data(contentsOf: folder.appending(path: "files/\(name)"))
        guard name.hasSuffix(".xml") else { return try JSONValue(parsing: data) }
        return try AnyResource(parsingXML: data).tree
    }

    static func results() throws -> [Result] {
        var results: [Result] = []
        for one in try cases() {
            guard let file = one.json.member("file")?.string else { continue }
            let issues = issues(of: file, one, profile: nil)
            results.append(
                Result(
                    name: one.name,
                    ours: !issues.isEmpty,
                    java: Case.hasErrors(one.json.member("java")) ?? false,
                    firely: Case.hasErrors(one.json.member("firely")),
                    texts: issues
                )
            )
            guard let profile = one.profile, let source = profile.member("source")?.string else { continue }
            let more = self.issues(of: file, one, profile: source)
            results.append(
                Result(
                    name: one.name + " (profile)",
                    ours: !more.isEmpty,
                    java: Case.hasErrors(profile.member("java")) ?? false,
                    firely: Case.hasErrors(profile.member("firely")),
                    texts: more
                )
            )
        }
        return results
    }

    /// The errors of a case's file.
    static func issues(of file: String, _ one: Case, profile: String?) -> [String] {
        let json: JSONValue
        do {
            json = try resource(file)
        } catch {
            return ["\(error)"]
        }
        var options = ValidationOptions()
        options.definitions = FHIRDefinitions()
        // HL7's validator ran with every definition that may be used.
        options.unknownExtensions = .error
        if let domain = one.json.member("allowed-extension-domain")?.string {
            options.knownExtensionPrefixes = [domain]
        }
        options.refusesHTML =
            one.json.member("security-checks") != nil || one.json.member("noHtmlInMarkdown") != nil
        for name in one.json.member("supporting")?.elements ?? [] {
            if let support = name.string.flatMap({ try? resource($0) }) {
                options.definitions.add(AnyResource(view: support))
            }
        }
        if let profile, let source = try? resource(profile) {
            options.definitions.add(AnyResource(view: source))
            options.profiles = source.member("url")?.string.map { [$0] } ?? []
        }
        options.checkResponses()
        return ValidationIssue.all(of: json, options).filter(\.isError).map(\.description)
    }

    @Test(
        "errors or none, as HL7's validator",
        .enabled(
            if: FileManager.default.fileExists(atPath: folder.appending(path: "cases.json").path),
            "no ../shared/fhir"
        )
    )
    func agreement() throws {
        let results = try Self.results()
        if let path = ProcessInfo.processInfo.environment["INDIVO_VALIDATOR_TABLE"] {
            try Self.table(results).write(toFile: path, atomically: true, encoding: .utf8)
        }
        guard Self.otherFolder == nil else { return }
        for result in results where result.ours != result.java {
            #expect(
                Self.explained[result.name] != nil,
                "\(result.name): ours \(result.ours), \(result.texts.prefix(3))"
            )
        }
        for name in Self.explained.keys {
            #expect(
                results.contains { $0.name == name && $0.ours != $0.java },
                "\(name) is no disagreement any more"
            )
        }
        #expect(results.count { $0.ours == $0.java } * 100 >= results.count * 92)
    }

    static func table(_ results: [Result]) -> String {
        func share(_ some: [Result]) -> String {
            "\(some.count { $0.ours == $0.java }) of \(some.count)"
        }
        var lines = [
            "all \(share(results)), by profile \(share(results.filter { $0.name.hasSuffix("(profile)") })), "
                + "where Firely agrees \(share(results.filter { $0.firely == $0.java }))"
        ]
        for result in results where result.ours != result.java {
            lines.append(
                "\(result.ours ? "false alarm" : "missed") \(result.name) firely \(result.firely as Any)"
            )
            lines += result.texts.prefix(4).map { "    \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
