import ArgumentParser
import Foundation
import Testing

@testable import RecordCommands

@Suite("The tool as it is installed")
struct RecordToolTests {
    @Test("a command is found by the name that its description has")
    func names() {
        #expect(!RecordCommandList.names.isEmpty)
        for name in RecordCommandList.names {
            let command = RecordCommandList.command(named: name)
            #expect(command?._commandName == name)
        }
        #expect(RecordCommandList.command(named: "fhir") == nil)
    }

    @Test(
        "it says what the program with all commands says",
        arguments: [
            ["--version"], ["calls"], ["documents", "--help"], ["documents", "lst"], ["settings", "--jso"],
            [], ["--help"], ["help", "documents"], ["documnts"], ["fhir", "path", "--help"],
            ["documents", "--generate-completion-script", "bash"], ["--generate-completion-script", "zsh"],
        ]
    )
    func sameWords(_ arguments: [String]) throws {
        try Tool.use { tool in
            let whole = try tool.run(arguments)
            let own = try tool.run(arguments, program: "indivo-record")
            #expect(own.status == whole.status)
            #expect(own.output == whole.output)
            #expect(own.errors == whole.errors)
        }
    }

    @Test("arguments and standard input reach the program with all commands as they were")
    func handsOver() throws {
        try Tool.use { tool in
            let patient = #"{"resourceType": "Patient", "gender": "female"}"#
            let result = try tool.run(
                ["fhir", "path", "gender & ' of two words'", "-"],
                input: patient,
                program: "indivo-record"
            )
            #expect(result.status == 0)
            #expect(result.output.contains("female of two words"))
        }
    }

    @Test("without the program with all commands, its commands are told missing")
    func missing() throws {
        try Tool.use { tool in
            let alone = tool.folder.appending(path: "bin/indivo")
            try tool.write("", to: "bin/other")
            try FileManager.default.copyItem(at: Tool.executable("indivo-record"), to: alone)
            let process = Process()
            let errors = Pipe()
            process.executableURL = alone
            process.arguments = ["fhir", "check"]
            process.standardError = errors
            try process.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 2)
            #expect(text.contains("libexec/indivo/indivo cannot be run"))
        }
    }
}
