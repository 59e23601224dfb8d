import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import Testing

@testable import FHIRTerminology

@Suite("A terminology server")
struct TerminologyServerTests {
    private let system = "http://a/animals"
    private let valueSet = "http://a/birds"

    /// A server that has animals and birds.
    private func use(_ body: (FHIRClient) async throws -> Void) async throws {
        let sandbox = try await FHIRSandbox.start()
        do {
            let client = try FHIRClient(base: sandbox.baseURL)
            let animals = #"""
                {"resourceType": "CodeSystem", "url": "http://a/animals", "status": "active", "content": "complete",
                 "concept": [{"code": "bird", "display": "Bird"}, {"code": "fish"}]}
                """#
            let birds = #"""
                {"resourceType": "ValueSet", "url": "http://a/birds", "status": "active", "compose": {"include": [
                  {"system": "http://a/animals", "concept": [{"code": "bird"}]}]}}
                """#
            for text in [animals, birds] { _ = try await client.create(AnyResource(parsing: text)) }
            try await body(client)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("what is not at hand is asked of the server, or else stays unchecked")
    func asks() async throws {
        try await use { client in
            let server = TerminologyServer(client)
            #expect(
                try await server.validate("bird", system: system, in: valueSet) == .valid(display: "Bird")
            )
            let fish = try await server.validate("fish", system: system, in: valueSet)
            guard case .invalid = fish else { return #expect(Bool(false), "\(fish)") }
            let unknown = try await server.validate("8867-4", system: "http://loinc.org")
            guard case .notChecked = unknown else { return #expect(Bool(false), "\(unknown)") }
            #expect(try await server.validate("fish", system: system) == .valid(display: "fish"))
            #expect(try await server.expand(valueSet).tree["expansion"]?["total"]?.integer == 1)
            let status = try await server.expand("http://hl7.org/fhir/ValueSet/observation-status", count: 1)
            #expect(status.tree["expansion"]?["total"]?.integer == 8)
        }
    }

    @Test("an answer is kept in the file, also beside a torn line, until it is too old")
    func cache() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "codes.jsonl")
        try await use { client in
            let server = TerminologyServer(client, cache: file)
            _ = try await server.validate("bird", system: system, in: valueSet)
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\n{\"code\": \"fi".utf8))
        try handle.close()
        let nobody = try FHIRClient(base: #require(URL(string: "http://127.0.0.1:9/fhir")))
        let question = CodeQuestion("bird", system: system, in: valueSet)
        #expect(TerminologyServer(nobody, cache: file).known(question) == .valid(display: "Bird"))
        let later: @Sendable () -> Date = { Date().addingTimeInterval(31 * 86_400) }
        let old = TerminologyServer(nobody, cache: file, now: later)
        guard case .notChecked = old.known(question) else { return #expect(Bool(false)) }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("codes that were not known wait, are asked about together, and are known then")
    func openQuestions() async throws {
        try await use { client in
            let server = TerminologyServer(client)
            let question = CodeQuestion("bird", system: system, in: valueSet)
            guard case .notChecked = server.known(question) else { return #expect(Bool(false)) }
            _ = server.known(question)
            #expect(server.openQuestions == 1)
            try await server.ask()
            #expect(server.openQuestions == 0)
            #expect(server.known(question) == .valid(display: "Bird"))
        }
    }
}
