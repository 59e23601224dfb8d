import Foundation
import ProfileGenerator
import Testing

@Suite("profile2swift")
struct ProfileCommandTests {
    /// A StructureDefinition of a profile of Patient.
    private static func definition(
        _ id: String,
        name: String,
        base: String = "http://hl7.org/fhir/StructureDefinition/Patient",
        type: String = "Patient",
        elements: String = ""
    ) -> String {
        """
        {"resourceType": "StructureDefinition", "url": "https://example.org/\(id)", "name": "\(name)",
         "status": "draft", "kind": "resource", "abstract": false, "type": "\(type)",
         "baseDefinition": "\(base)", "derivation": "constraint",
         "differential": {"element": [{"id": "\(type)", "path": "\(type)"}\(elements)]}}
        """
    }

    /// A folder with files, which exists while `body` runs.
    private static func with(
        _ files: [String: String],
        _ body: (_ folder: String) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "views-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try body(folder.path)
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("the second of two profiles of one name gets a number, and a type keeps Profile")
    func names() throws {
        let files = [
            "a.json": Self.definition("a", name: "ClinicPatientProfile"),
            "b.json": Self.definition("b", name: "clinic-patient"),
            "c.json": Self.definition("c", name: "Patient"),
        ]
        try Self.with(files) { folder in
            let outcome = ProfileCommand.run([folder, "--output", "\(folder)/out"])
            #expect(outcome.status == 0)
            #expect(
                Self.names(in: "\(folder)/out") == [
                    "ClinicPatient.swift", "ClinicPatient2.swift", "PatientProfile.swift",
                ]
            )
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("https://example.org/b") == true)
            let named = ProfileCommand.run([
                folder, "--output", "\(folder)/out", "--name", "https://example.org/b=Visitor",
            ])
            #expect(named.errors == [])
            let summary = "1 file written, 2 unchanged, 1 removed (ClinicPatient2.swift)."
            #expect(named.output == ["\(folder)/out: \(summary)"])
        }
    }

    @Test("a base that is not known is an error, and nothing is written")
    func unknownBase() throws {
        let base = "https://example.org/nowhere"
        try Self.with(["a.json": Self.definition("a", name: "A", base: base)]) { folder in
            let outcome = ProfileCommand.run([folder, "--output", "\(folder)/out"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.first?.contains("its base https://example.org/nowhere") == true)
            #expect(Self.names(in: "\(folder)/out").isEmpty)
        }
    }

    @Test("what is asked for and is no profile is an error; a type of R5 is one, too")
    func noProfile() throws {
        let files = [
            "a.json": Self.definition("a", name: "A", type: "Transport"),
            "b.json": #"{"resourceType": "ValueSet", "url": "https://example.org/b", "status": "draft"}"#,
        ]
        try Self.with(files) { folder in
            for (url, reason) in [
                ("https://example.org/a", "a profile of Transport, which R4 does not have"),
                ("https://example.org/b", "no StructureDefinition"),
                ("https://example.org/c", "is not known"),
            ] {
                let outcome = ProfileCommand.run([folder, "--profile", url, "--output", "\(folder)/out"])
                #expect(outcome.status == 1)
                #expect(
                    outcome.errors.contains { $0.contains(url) && $0.contains(reason) },
                    "\(outcome.errors)"
                )
            }
            let all = ProfileCommand.run([folder, "--output", "\(folder)/out"])
            #expect(all.errors == ["error: there is no profile among the definitions"])
        }
    }

    @Test("a profile with thousands of slices ends soon, and what it lacks is reported")
    func tooManySlices() throws {
        let slices = (0..<12_000).map { index in
            """
            , {"id": "Patient.identifier:s\(index)", "path": "Patient.identifier", "sliceName": "s\(index)"}
            """
        }
        let definition = Self.definition("a", name: "A", elements: slices.joined())
        try Self.with(["a.json": definition]) { folder in
            let outcome = ProfileCommand.run([folder, "--output", "\(folder)/out"])
            #expect(outcome.errors.contains { $0.hasSuffix("the profile has more than 10000 elements") })
            #expect(outcome.errors.count > 9_000)
        }
    }

    @Test("what a text has that cannot be seen is escaped in literals")
    func literals() throws {
        let element = #"""
            , {"path": "Patient.language", "min": 1, "fixedCode": "a\u202Eb\u200B\tc\u0007"}
            """#
        try Self.with(["a.json": Self.definition("a", name: "A", elements: element)]) { folder in
            #expect(ProfileCommand.run([folder, "--output", "\(folder)/out"]).errors == [])
            let text = try String(contentsOfFile: "\(folder)/out/A.swift", encoding: .utf8)
            #expect(text.contains(#""language": "a\u{202E}b\u{200B}\tc\u{7}""#))
        }
    }

    @Test("a package's dependencies are known, and have no views")
    func dependencies() throws {
        let base = "https://example.org/base"
        let files = [
            "base.json": Self.definition(
                "base",
                name: "Base",
                elements: #", {"path": "Patient.name", "min": 1}"#
            )
        ]
        try Self.with(files) { known in
            try Self.with(["a.json": Self.definition("a", name: "Derived", base: base)]) { folder in
                let outcome = ProfileCommand.run([
                    folder, "--definitions", known, "--output", "\(folder)/out",
                ])
                #expect(outcome.errors == [])
                #expect(Self.names(in: "\(folder)/out") == ["Derived.swift"])
                let text = try String(contentsOfFile: "\(folder)/out/Derived.swift", encoding: .utf8)
                #expect(text.contains("public init(name: [HumanName])"))
            }
        }
    }

    @Test("a file of options holds options only, and leaves the one file its name")
    func optionsFile() throws {
        let files = [
            "a.json": Self.definition("a", name: "A"),
            "good": "# Ours\n--name https://example.org/a=B   --quiet # short\n",
            "input": "b.json", "output": "--output elsewhere", "single": "--single-file Other",
        ]
        try Self.with(files) { folder in
            let arguments = ["\(folder)/a.json", "--output", "\(folder)/out", "--single-file", "Views"]
            let good = ProfileCommand.run(arguments + ["--options", "\(folder)/good"])
            #expect(good == .init(status: 0))
            #expect(Self.names(in: "\(folder)/out") == ["Views.swift"])
            for name in ["input", "output", "single"] {
                let outcome = ProfileCommand.run(arguments + ["--options", "\(folder)/\(name)"])
                #expect(outcome.status == 2, "\(name)")
                #expect(outcome.errors.first?.hasPrefix("error: \(folder)/\(name): ") == true, "\(name)")
            }
        }
    }

    @Test("arguments that make no sense end in 2 with the reason")
    func arguments() {
        for (words, reason) in [
            (["--output", "x"], "No file, folder or package is named"), (["x"], "--output FOLDER is missing"),
            (["--bogus"], "There is no option --bogus"), (["--profil", "x"], "--profile"),
            (["x", "--name", "A", "--output", "y"], "is not URL=NAME"),
            (["x", "--name", "u=1A", "--output", "y"], "no name that Swift takes"),
            (["x", "--name", "u=String", "--output", "y"], "'String' after --name has another meaning"),
            (["x", "--name", "u=class", "--output", "y"], "'class' after --name has another meaning"),
            (["x", "--access", "open", "--output", "y"], "no access level"),
            (["/nowhere/x.json", "--output", "y"], "there is no such file"),
        ] {
            let outcome = ProfileCommand.run(words)
            #expect(outcome.status == 2, "\(words)")
            #expect(outcome.errors.first?.contains(reason) == true, "\(outcome.errors)")
        }
        #expect(ProfileCommand.run(["--help"]).output.first?.hasPrefix("USAGE: profile2swift") == true)
    }
}
