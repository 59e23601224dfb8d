import Foundation
import Testing

@Suite("The file of credentials")
struct CredentialsFileTests {
    private func write(_ text: String, _ client: ClientTool) throws {
        try client.tool.write(text, to: "credentials")
        let file = client.tool.folder.appending(path: "credentials").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// The tool without any setting but those of the file.
    private func bare(_ client: ClientTool) -> ClientTool {
        var names: [String: String?] = ["INDIVO_CREDENTIALS": "credentials"]
        for name in client.environment.keys where name.hasPrefix("INDIVO_") {
            names.updateValue(nil, forKey: name)
        }
        return client.with(names)
    }

    @Test("Windows line ends are line ends: no secret is shown or goes into an address")
    func windowsLines() async throws {
        try await ClientTool.use { client in
            let lines = client.environment.filter { $0.key.hasPrefix("INDIVO_") }.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            for text in [
                lines.joined(separator: "\r\n"), "\u{FEFF}" + lines.joined(separator: "\r\n") + "\r\n",
                lines.map { "export \($0) " }.joined(separator: "\r\n\r\n# é\r\n"),
            ] {
                try write(text, client)
                let tool = bare(client)
                let settings = try await tool.run("settings")
                #expect(settings.status == 0, "\(settings.errors)")
                for secret in ["INDIVO_CONSUMER_SECRET", "INDIVO_TOKEN", "INDIVO_TOKEN_SECRET"] {
                    let value = try #require(client.environment[secret])
                    #expect(!(settings.output + settings.errors).contains(value), "\(secret)")
                }
                let shown = try json(try await tool.run("settings", "--json").output)
                let api = try #require(shown.first { $0["name"] as? String == "INDIVO_API" })
                #expect(api["value"] as? String == client.environment["INDIVO_API"])
                #expect(try await tool.run("record").status == 0)
            }
        }
    }

    @Test(
        "a control character in a value is refused with its line, the value not shown",
        arguments: [
            "\r", "\u{0}", "\u{1B}", "\u{B}", "\u{C}", "\u{7F}", "\u{85}", "\u{2028}", "\t",
        ]
    )
    func controlCharacters(character: String) async throws {
        try await ClientTool.use { client in
            try write(
                "# first\nINDIVO_API=http://127.0.0.1:9\(character)INDIVO_CONSUMER_SECRET=planted-secret\n",
                client
            )
            for arguments in [["settings"], ["record"]] {
                let result = try await bare(client).run(arguments)
                #expect(result.status == 2, "\(arguments)")
                #expect(result.errors.contains("credentials:2:"), "\(result.errors)")
                #expect(!(result.output + result.errors).contains("planted-secret"))
            }
        }
    }

    @Test("a control character in an option or the environment is refused by its name")
    func otherSources() async throws {
        try await ClientTool.use { client in
            let environment = try await client.with(["INDIVO_API": "http://127.0.0.1:9\r\nplanted"]).run(
                "record"
            )
            #expect(environment.status == 2)
            #expect(environment.errors.contains("INDIVO_API") && !environment.errors.contains("planted"))
            let option = try await client.run("settings", "--record", "r\u{1B}[31mplanted")
            #expect(option.status == 2)
            #expect(option.errors.contains("--record") && !option.errors.contains("planted"))
        }
    }

    @Test("a message whose lines end as on Windows has its first line as the subject")
    func messageLines() async throws {
        try await ClientTool.use { client in
            let sent = try await client.run(
                "message",
                "--body-file",
                "-",
                input: "Your results\r\n\r\nThey are here.\r\nAll of them.\r\n"
            )
            #expect(sent.status == 0, "\(sent.errors)")
        }
    }
}
