import Foundation
import Testing

@Suite("the tool's settings and exit statuses")
struct ConnectionTests {
    @Test("a refusal ends in 3 with causes and the next command, no connection in 4")
    func refusedAndNotReached() async throws {
        try await ClientTool.use { client in
            let refused = try await client.with(["INDIVO_TOKEN": "no-such-token"]).run("record")
            #expect(refused.status == 3)
            #expect(refused.output.isEmpty)
            #expect(refused.errors.contains("indivo login"))
            #expect(
                try await client.with(["INDIVO_CONSUMER_SECRET": "wrong-secret"]).run("reports", "Medication")
                    .status == 3
            )
            // Port 9 is discard, which nobody serves.
            let nobody = try await client.with(["INDIVO_API": "http://127.0.0.1:9"]).run("record")
            #expect(nobody.status == 4)
            #expect(nobody.errors.contains("INDIVO_API"))
        }
    }

    @Test("what is missing or no address is wrong use, and told by its name")
    func missing() async throws {
        try await ClientTool.use { client in
            for (name, value) in [
                ("INDIVO_API", nil), ("INDIVO_API", "indivo.example.org"), ("INDIVO_CONSUMER_SECRET", nil),
                ("INDIVO_TOKEN_SECRET", nil), ("INDIVO_RECORD", nil),
            ] as [(String, String?)] {
                let result = try await client.with([name: value]).run("record")
                #expect(result.status == 2, "\(name): \(result.errors)")
                #expect(result.errors.contains(name))
            }
            let plain = try await client.with(["INDIVO_API": "http://indivo.example.org"]).run("record")
            #expect(plain.status == 2)
            #expect(plain.errors.contains("--allow-http"))
            #expect(try await client.run("record", "--consumer-secret", "x").status == 2)
            #expect(try await client.run("recrod").status == 2)
            #expect(try await client.run("documents", "list", "--json", "--quiet", "--verbose").status == 2)
        }
    }

    @Test("options come before the environment, and a private credentials file after it")
    func sources() async throws {
        try await ClientTool.use { client in
            let wrong = client.with(["INDIVO_API": "http://127.0.0.1:9"])
            let api = try #require(client.environment["INDIVO_API"])
            #expect(try await wrong.run("record", "--api", api).status == 0)

            let lines = client.environment.filter { $0.key.hasPrefix("INDIVO_") }.map {
                "\($0.key)='\($0.value)'"
            }
            try client.tool.write("# mine\nexport " + lines.joined(separator: "\n"), to: "credentials")
            let file = client.tool.folder.appending(path: "credentials").path
            let bare = client.with(
                Dictionary(
                    uniqueKeysWithValues: client.environment.keys.filter { $0.hasPrefix("INDIVO_") }.map {
                        ($0, nil)
                    }
                )
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let open = try await bare.run("record", "--credentials", "credentials")
            #expect(open.status == 2)
            #expect(open.errors.contains("chmod 600"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(try await bare.run("record", "--credentials", "credentials").status == 0)
            #expect(try await bare.with(["INDIVO_CREDENTIALS": file]).run("record").status == 0)
            try client.tool.write("INDIVO_CONSUMER_SECRET demo-secret\n", to: "credentials")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let noSetting = try await client.run("record", "--credentials", "credentials")
            #expect(noSetting.status == 2)
            #expect(noSetting.errors.contains("credentials:1:"))

            let settings = try json(try await client.run("settings", "--json").output)
            let secret = try #require(settings.first { $0["name"] as? String == "INDIVO_CONSUMER_SECRET" })
            #expect(secret["value"] as? String == "(set)")
            #expect(secret["source"] as? String == "environment")
        }
    }

    @Test("--verbose tells the calls and no secret, --quiet nothing but errors")
    func talk() async throws {
        try await ClientTool.use { client in
            let verbose = try await client.run("record", "--verbose")
            #expect(verbose.status == 0)
            #expect(verbose.errors.contains("record"))
            let refused = try await client.with(["INDIVO_TOKEN": "no-such-token"]).run("record", "--verbose")
            #expect(refused.errors.contains("403"))
            let none = try await client.run("documents", "list", "--status", "void", "--quiet")
            #expect(none.status == 1)
            #expect(none.errors.isEmpty && none.output.isEmpty)
        }
    }

    @Test("a reader who has seen enough is no error")
    func closedPipe() throws {
        try Tool.use { tool in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let path = try Tool.executable().path
            process.arguments = ["-c", "{ '\(path)' calls --json; echo $? > status; } | true"]
            process.currentDirectoryURL = tool.folder
            try process.run()
            process.waitUntilExit()
            #expect(try tool.read("status") == "0\n")
        }
    }

    @Test("the shell's completions are printed", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) throws {
        try Tool.use { tool in
            let script = try tool.run("--generate-completion-script", shell)
            #expect(script.status == 0)
            #expect(script.output.contains("app-documents"))
            #expect(script.output.contains("Medication"))
        }
    }

    @Test(
        "every command has help that tells its exit statuses, and no option for a secret",
        arguments: [
            ["login"], ["logout"], ["sessions"], ["record"], ["reports"], ["documents", "list"],
            ["documents", "get"],
            ["documents", "add"], ["documents", "replace"], ["documents", "label"], ["documents", "status"],
            ["documents", "meta"], ["documents", "history"], ["documents", "versions"],
            ["documents", "relate"],
            ["documents", "related"], ["app-documents", "list"], ["demographics", "set"], ["message"],
            ["notify"],
            ["audit"], ["call"], ["calls"],
        ]
    )
    func help(_ command: [String]) throws {
        try Tool.use { tool in
            let help = try tool.run(command + ["--help"])
            #expect(help.status == 0)
            let words = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("exit status"))
            #expect(!help.output.contains("--consumer-secret") && !help.output.contains("--token"))
        }
    }
}
