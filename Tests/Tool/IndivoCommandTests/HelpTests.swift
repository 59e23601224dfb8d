import Foundation
import Testing

@Suite("Help")
struct HelpTests {
    /// Help is wrapped at 80 columns.
    private static let widest = 77

    /// The discussions of a command and its subcommands.
    private func discussions(of command: [String: Any]) -> [String] {
        let own = (command["discussion"] as? String).map { [$0] } ?? []
        let others = command["subcommands"] as? [[String: Any]] ?? []
        return own + others.flatMap { discussions(of: $0) }
    }

    /// The lines that are commands, with those that go on with one after a backslash.
    private func examples(in text: String) -> [String] {
        var found: [String] = []
        var goesOn = false
        for line in text.components(separatedBy: "\n") {
            if goesOn || line.hasPrefix("indivo ") { found.append(line) }
            goesOn = (goesOn || line.hasPrefix("indivo ")) && line.hasSuffix("\\")
        }
        return found
    }

    @Test("no line of an example is so long that help breaks it")
    func exampleLines() throws {
        try Tool.use { tool in
            let text = try tool.run("--experimental-dump-help").output
            let dump = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let command = try #require(dump["command"] as? [String: Any])
            let lines = discussions(of: command).flatMap { examples(in: $0) }
            #expect(lines.count > 50)
            for line in lines { #expect(line.count <= Self.widest, "\(line)") }
        }
    }

    @Test("help shows an example over two lines as it is to be typed")
    func twoLines() throws {
        try Tool.use { tool in
            let help = try tool.run(["reports", "--help"], environment: ["COLUMNS": "80"]).output
            let first = "indivo reports LabResult --json --filter testName_identifier=2951-2 \\"
            #expect(help.contains("\(first)\n    --order -collectedAt --limit 10\n"), "\(help)")
        }
    }

    @Test(
        "a misspelt command gets the names that are near, and errors are spelt in one way",
        arguments: [
            (["documnts"], "Did you mean documents or document?"),
            (["study", "consme"], "Did you mean consume?"),
            (["fhir", "read", "Patient", "nope"], "Type and id are one argument: Patient/nope"),
        ]
    )
    func misspelt(arguments: [String], advice: String) throws {
        try Tool.use { tool in
            let result = try tool.run(arguments)
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.errors.hasPrefix("error: ") && result.errors.contains(advice), "\(result.errors)")
            #expect(!result.errors.contains("\u{1B}"), "no colours but on a terminal")
        }
    }
}
