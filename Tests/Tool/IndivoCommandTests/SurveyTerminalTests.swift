import FHIR
import FHIRSandbox
import Foundation
import OrderedJSON
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// `indivo survey run` at a terminal: a pseudo-terminal, into which the answers are typed.
struct SurveyTerminalTests {
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "http://example.org/q", "status": "draft", "item": [
          {"linkId": "a", "type": "group", "text": "You", "item": [
            {"linkId": "name", "type": "string", "text": "Name", "required": true},
            {"linkId": "age", "type": "integer", "text": "Age"}]},
          {"linkId": "b", "type": "group", "text": "More", "item": [{"linkId": "smokes", "type": "boolean", \
        "text": "Smoker"}]}]}
        """

    @Test("typed answers give a complete response, with progress and problems shown")
    func answers() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            let run = try tool.type(
                "\nmany\n36\nAda\n37\nyes\n",
                to: ["survey", "run", "q.json", "--response", "r.json", "--subject", "Patient/7"]
            )
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                run.errors.contains("✗ Please answer this question.")
                    && run.errors.contains("✗ many: this is no answer here")
            )
            #expect(run.errors.contains("0 of 3   page 1 of 2") && run.errors.contains("page 2 of 2"))
            let file = try tool.read("r.json")
            #expect(file.contains(#""status": "completed""#) && file.contains("Patient/7"))
            #expect(
                file.contains(#""valueInteger": 37"#) && !file.contains(#""valueInteger": 36"#),
                "\(file)"
            )
            #expect(
                run.output.trimmingCharacters(in: .whitespacesAndNewlines)
                    == file.trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
    }

    @Test("a response goes into a file of one letter, and into the one behind a link")
    func responseFiles() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            let answers = "Ada\n37\nyes\n"
            let first = try tool.type(answers, to: ["survey", "run", "q.json", "--response", "r"])
            #expect(first.status == 0, "\(first.errors)")
            try tool.write(
                #"{"resourceType": "QuestionnaireResponse", "questionnaire": "http://example.org/q", "#
                    + #""status": "in-progress"}"#,
                to: "real.json"
            )
            try FileManager.default.createSymbolicLink(
                atPath: tool.folder.appending(path: "link").path,
                withDestinationPath: "real.json"
            )
            let second = try tool.type(answers, to: ["survey", "run", "q.json", "--response", "link"])
            let file = try tool.read("real.json")
            #expect(second.status == 0 && file.contains("Ada"), "\(second.errors)")
        }
    }

    @Test("a code of a large value set is searched for at the terminal and chosen by number")
    func searches() async throws {
        let sandbox = try await FHIRSandbox.start()
        do {
            let concepts = (0..<1_100).map { #"{"code": "c\#($0)", "display": "Condition \#($0)"}"# }
            let codes = """
                {"resourceType": "CodeSystem", "url": "urn:example:conditions", "status": "active",
                 "content": "complete", "concept": [\(concepts.joined(separator: ",")),
                  {"code": "a", "display": "Asthma"}]}
                """
            let all = """
                {"resourceType": "ValueSet", "url": "urn:example:all", "status": "active",
                 "compose": {"include": [{"system": "urn:example:conditions"}]}}
                """
            for (id, text) in [("codes", codes), ("all", all)] {
                var json = try JSONValue(parsing: Data(text.utf8))
                json["id"] = JSONValue(id)
                try await sandbox.load(AnyResource(view: json))
            }
            let base = sandbox.baseURL.absoluteString
            try await sandbox.load(AnyResource(view: ["resourceType": "Patient", "id": "ann"]))
            let questionnaire = """
                {"resourceType": "Questionnaire", "status": "active", "item": [
                 {"linkId": "q", "type": "open-choice", "repeats": true, "text": "Which?",
                  "answerValueSet": "urn:example:all", "extension": [{"valueUrl": "\(base)/", "url":
                   "http://hl7.org/fhir/StructureDefinition/preferredTerminologyServer"}]}]}
                """
            let run = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try Tool.use { tool in
                                try tool.write(questionnaire, to: "q.json")
                                return try tool.type(
                                    "x\nasth\n1\nzzz\n\"my own\"\n\n",
                                    to: [
                                        "survey", "fill", "q.json", "--base", base, "--patient", "ann",
                                        "--terminology", base,
                                    ]
                                )
                            }
                        }
                    )
                }
            }
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("○ 1  Asthma") && run.errors.contains("Nothing was found."))
            #expect(run.output.contains(#""code": "a""#) && run.output.contains(#""display": "Asthma""#))
            #expect(run.output.contains(#""valueString": "my own""#) && !run.errors.contains("warning"))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("where nothing can be searched, a code of a large value set is typed")
    func typedCode() throws {
        try Tool.use { tool in
            try tool.write(
                """
                {"resourceType": "Questionnaire", "status": "active", "item": [
                 {"linkId": "q", "type": "choice", "text": "Which?", "answerValueSet": "urn:example:all"}]}
                """,
                to: "q.json"
            )
            try tool.write(
                """
                {"resourceType": "ValueSet", "url": "urn:example:all", "status": "active", "expansion": {
                 "timestamp": "2026", "extension": [{"valueBoolean": true,
                 "url": "http://hl7.org/fhir/StructureDefinition/valueset-toocostly"}]}}
                """,
                to: "all.json"
            )
            let run = try tool.type(
                "urn:s|a\n",
                to: ["survey", "run", "q.json", "--value-set", "all.json"]
            )
            #expect(run.status == 0 && run.errors.contains("a code, as in system|code"), "\(run.errors)")
            #expect(run.output.contains(#""system": "urn:s""#) && run.output.contains(#""code": "a""#))
        }
    }

    @Test("what was left is gone on with, at the first question without an answer")
    func resumes() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            let first = try tool.type(
                "Ada\n36\n!\n",
                to: ["survey", "run", "q.json", "--response", "r.json"]
            )
            #expect(first.status == 0)
            #expect(try tool.read("r.json").contains("Ada"))
            let second = try tool.type("no\n", to: ["survey", "run", "q.json", "--response", "r.json"])
            #expect(second.status == 0 && !second.errors.contains("Name *"), "\(second.errors)")
            let file = try tool.read("r.json")
            #expect(
                file.contains("Ada") && file.contains(#""valueBoolean": false"#)
                    && file.contains(#""status": "completed""#)
            )
        }
    }

    @Test("a clean questionnaire is reported as such")
    func check() throws {
        try Tool.use { tool in
            try tool.write(Self.questionnaire, to: "q.json")
            let check = try tool.run("survey", "check", "q.json")
            #expect(check.status == 0 && check.output == "no problems\n")
        }
    }
}

extension Tool {
    /// The path of the other side of a pseudo-terminal, which is unlocked.
    private static func terminalPath(of master: Int32) -> String? {
        #if canImport(Darwin)
        guard grantpt(master) == 0, unlockpt(master) == 0 else { return nil }
        return ptsname(master).map { String(cString: $0) }
        #else
        // TIOCSPTLCK and TIOCGPTN of Linux, which the module of the C library lacks.
        var lock: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            return nil
        }
        return "/dev/pts/\(number)"
        #endif
    }

    /// Runs the tool at a pseudo-terminal, with what is typed there from the start.
    fileprivate func type(_ text: String, to arguments: [String]) throws -> Result {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        let isOpen = master >= 0
        try #require(isOpen)
        let terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let input = open(try #require(Self.terminalPath(of: master)), O_RDWR | O_NOCTTY)
        let isInput = input >= 0
        try #require(isInput)
        let name = "terminal-\(UUID().uuidString)"
        for suffix in ["out", "err"] { try write("", to: "\(name).\(suffix)") }
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle(fileDescriptor: input, closeOnDealloc: true)
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: name + ".out"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: name + ".err"))
        try process.run()
        // The last character ends the input, as Control-D does.
        try terminal.write(contentsOf: Data((text + "\u{4}").utf8))
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try read(name + ".out"),
            errors: try read(name + ".err")
        )
    }
}
