import Foundation
import Indivo
import IndivoSandbox
import Testing

/// The built tool beside a sandbox of its own, with the environment of somebody who is logged in.
struct ClientTool {
    let tool: Tool
    let sandbox: Sandbox
    /// What the tool's process gets of settings, and nothing of this process's own.
    var environment: [String: String]

    static let secrets = ["demo-secret"]

    /// Calls `body` with a tool that has a token for the demo record.
    static func use(_ body: (ClientTool) async throws -> Void) async throws {
        var configuration = SandboxConfiguration()
        configuration.logger.logLevel = .critical
        let sandbox = try await Sandbox.start(configuration)
        do {
            let tool = try Tool()
            defer { try? FileManager.default.removeItem(at: tool.folder) }
            let record = try await sandbox.records()[0].id
            let token = try await sandbox.issueAccessToken(
                app: SandboxApp.demo.id,
                record: record,
                account: Sandbox.demoAccount
            )
            let environment = [
                "HOME": tool.folder.path, "PATH": "/usr/bin:/bin",
                "INDIVO_API": sandbox.apiURL.absoluteString, "INDIVO_UI": sandbox.uiURL.absoluteString,
                "INDIVO_APP_ID": SandboxApp.demo.id, "INDIVO_CONSUMER_KEY": SandboxApp.demo.id,
                "INDIVO_CONSUMER_SECRET": "demo-secret", "INDIVO_TOKEN": token.token,
                "INDIVO_TOKEN_SECRET": token.secret, "INDIVO_RECORD": record,
            ]
            try await body(ClientTool(tool: tool, sandbox: sandbox, environment: environment))
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    var record: String { environment["INDIVO_RECORD"] ?? "" }

    /// The same tool with other settings; `nil` takes one away.
    func with(_ changes: [String: String?]) -> ClientTool {
        var other = self
        for (name, value) in changes { other.environment[name] = value }
        return other
    }

    /// Nobody who is logged in.
    var withoutToken: ClientTool {
        with(["INDIVO_TOKEN": nil, "INDIVO_TOKEN_SECRET": nil, "INDIVO_RECORD": nil])
    }

    func run(_ arguments: String..., input: String = "") async throws -> Tool.Result {
        try await run(arguments, input: input)
    }

    /// Runs the tool to its end, and looks that it tells no secret. The sandbox answers meanwhile.
    func run(_ arguments: [String], input: String = "") async throws -> Tool.Result {
        let running = try RunningTool(tool, arguments, environment: environment)
        running.write(input)
        running.endInput()
        let result = await running.result()
        for secret in [
            environment["INDIVO_CONSUMER_SECRET"], environment["INDIVO_TOKEN"],
            environment["INDIVO_TOKEN_SECRET"],
        ] {
            guard let secret, !secret.isEmpty else { continue }
            #expect(!result.output.contains(secret), "a secret is in the output of \(arguments)")
            #expect(!result.errors.contains(secret), "a secret is in the messages of \(arguments)")
        }
        return result
    }

    /// Adds a medication, and gives its id.
    func addMedication(_ text: String = vitaminC) async throws -> String {
        let added = try await run("documents", "add", "-", "--json", input: text)
        try #require(added.status == 0, "\(added.errors)")
        return try #require(try jsonObject(added.output)["id"] as? String)
    }
}

/// JSON of one object that the tool printed.
func jsonObject(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

let vitaminC = """
    <Models xmlns="http://indivo.org/vocab/xml/documents#">
      <Model name="Medication">
        <Field name="drugName_title">Vitamin C, 500 MG</Field>
        <Field name="drugName_system">http://purl.bioontology.org/ontology/RXNORM/</Field>
        <Field name="drugName_identifier">316153</Field>
        <Field name="startDate">2026-11-21</Field>
      </Model>
    </Models>

    """
