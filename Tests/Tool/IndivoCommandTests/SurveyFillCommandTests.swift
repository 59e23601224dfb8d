import FHIR
import FHIRSandbox
import Foundation
import Indivo
import OrderedJSON
import TestSupport
import Testing

/// `indivo survey fill`: the whole chain in a shell.
@Suite("indivo survey fill")
struct SurveyFillCommandTests {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let questionnaire = """
        {"resourceType": "Questionnaire", "url": "urn:example:intake", "status": "active", "item": [
          {"linkId": "born", "type": "date", "extension": [
            {"url": "\(sdc)initialExpression",
             "valueExpression": {"language": "text/fhirpath", "expression": "%patient.birthDate"}}]},
          {"linkId": "weight", "type": "decimal", "required": true,
           "code": [{"system": "http://loinc.org", "code": "29463-7"}],
           "extension": [{"url": "\(sdc)observationExtract", "valueBoolean": true}]}]}
        """

    /// A tool beside a record with a patient, where the app `intake` comes back to a free port.
    private func use(
        _ body: (Tool, FHIRSandbox, [String], [String: String]) async throws -> Void
    ) async throws {
        let redirectURI = "http://127.0.0.1:\(try LoopbackListener.onFreePort().port)/callback"
        var configuration = FHIRSandboxConfiguration()
        configuration.smart = SMARTSandboxConfiguration()
        configuration.smart?.apps = [.init(id: "intake", redirectURIs: [redirectURI])]
        let sandbox = try await FHIRSandbox.start(configuration)
        let tool = try Tool()
        defer { try? FileManager.default.removeItem(at: tool.folder) }
        do {
            for id in ["ann", "bob"] {
                let patient: JSONValue = [
                    "resourceType": "Patient", "id": JSONValue(id), "birthDate": "1970-04-01",
                ]
                try await sandbox.load(AnyResource(view: patient))
            }
            try tool.write(Self.questionnaire, to: "q.json")
            try tool.write(#"{"weight": 72.5}"#, to: "answers.json")
            let options = [
                "survey", "fill", "q.json", "--base", sandbox.baseURL.absoluteString, "--answers",
                "answers.json", "--now", "2026-11-22T09:30:00+01:00",
            ]
            let login = ["--launch", "--client-id", "intake", "--redirect-uri", redirectURI]
            var environment = ProcessInfo.processInfo.environment
            environment["XDG_STATE_HOME"] = tool.folder.path
            for name in ["FHIR_TOKEN", "FHIR_BASE"] { environment[name] = nil }
            let running = try RunningTool(tool, options + login + ["--send"], environment: environment)
            running.endInput()
            let browser = Browser()
            for await page in running.addresses(onError: true) {
                _ = try await browser.open(try await browser.logIn(page))
            }
            let first = await running.result()
            #expect(first.status == 0 && first.output.contains("72.5"), "\(first.output)")
            #expect(first.output.contains("1970-04-01") && first.output.contains("Patient/ann"))
            try await body(tool, sandbox, options, environment)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("a login gives the patient, what is sent is stored once, and the session is kept")
    func launched() async throws {
        try await use { tool, sandbox, options, environment in
            func run(_ more: [String]) async throws -> Tool.Result {
                let running = try RunningTool(tool, options + more, environment: environment)
                running.endInput()
                return await running.result()
            }
            // No page is opened: the session is kept, and the same response is there already.
            let again = try await run(["--launch", "--client-id", "intake", "--send"])
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.errors.contains("there already") && !again.errors.contains("stored:"))
            #expect(!again.errors.contains("Open this page"))
            // The patient is that of the session without --launch, too.
            let kept = try await run([])
            #expect(kept.status == 0 && kept.output.contains("Patient/ann"), "\(kept.errors)")
            let other = try await run(["--launch", "--client-id", "intake", "--patient", "bob"])
            #expect(other.status == 3 && other.errors.contains("another patient"), "\(other.errors)")

            let logout = try RunningTool(
                tool,
                ["fhir", "logout", "--base", sandbox.baseURL.absoluteString],
                environment: environment
            )
            logout.endInput()
            #expect(await logout.result().status == 0)
            let nobody = try await run([])
            #expect(nobody.status == 2 && nobody.errors.contains("--launch"), "\(nobody.errors)")
            let unnamed = try await run(["--launch"])
            #expect(unnamed.status == 2 && unnamed.errors.contains("--client-id"), "\(unnamed.errors)")
        }
    }
}
