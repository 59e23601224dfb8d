import FHIRSandbox
import Foundation
import Testing

@Suite("indivo fhir, with a server")
struct FHIRClientCommandTests {
    private let patient = #"""
        {"resourceType":"Patient","extension":[{"url":"http://example.org/x","valueDecimal":1.10}],\#
        "name":[{"family":"Moss"}]}
        """#

    private typealias Run = (String...) async throws -> Tool.Result
    private typealias Send = (String, String...) async throws -> Tool.Result

    /// Calls `body` with what runs the tool beside a server in this process, which has to respond meanwhile.
    private func use(
        at address: KeyPath<FHIRSandbox, URL> = \.baseURL,
        _ body: (Run, Send) async throws -> Void
    ) async throws {
        let sandbox = try await FHIRSandbox.start()
        let base = sandbox[keyPath: address].absoluteString
        do {
            let tool = try Tool()
            defer { try? FileManager.default.removeItem(at: tool.folder) }
            func run(_ arguments: [String], input: String) async throws -> Tool.Result {
                let running = try RunningTool(
                    tool,
                    ["fhir"] + arguments + ["--base", base],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                running.write(input)
                running.endInput()
                return await running.result()
            }
            try await body(
                { (arguments: String...) in try await run(arguments, input: "") },
                { (input: String, arguments: String...) in try await run(arguments, input: input) }
            )
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    @Test("a new export takes no files of another one for its own")
    func secondExport() async throws {
        try await use { run, send in
            _ = try await send(patient, "create")
            let first = try await run("export-bulk", "--output", "export", "--type", "Patient")
            #expect(first.status == 0, "\(first.errors)")
            _ = try await send(patient, "create")
            let second = try await run("export-bulk", "--output", "export", "--type", "Patient")
            #expect(second.status == 2 && second.errors.contains("has Patient.1.ndjson of another export"))
        }
    }

    @Test("a resource is created, read, updated, listed in its history and deleted")
    func life() async throws {
        try await use { run, send in
            let created = try await send(patient, "create")
            #expect(created.status == 0 && created.errors == "created\n")
            let address = created.output.trimmingCharacters(in: .newlines)
            #expect(address.hasPrefix("Patient/") && address.hasSuffix("/_history/1"))
            let id = String(address.split(separator: "/")[1])
            let read = try await run("read", "Patient/\(id)", "--compact")
            #expect(
                read.status == 0 && read.output.contains(#""family":"Moss""#) && read.output.contains("1.10")
            )
            #expect(
                try await send(read.output, "update", "--if-match", "1").output
                    == "Patient/\(id)/_history/2\n"
            )
            let stale = try await send(read.output, "update", "--if-match", "1")
            #expect(stale.status == 3 && stale.errors.contains("next: “indivo fhir history TYPE/ID”"))
            #expect(try await run("read", "Patient/\(id)/_history/1").status == 0)
            #expect(try await run("delete", "Patient/\(id)").status == 0)
            #expect(try await run("read", "Patient/\(id)").status == 1)
            let history = try await run("history", "Patient/\(id)")
            #expect(
                history.output.split(separator: "\n").count == 3
                    && history.output.contains(#""method":"DELETE""#)
            )
        }
    }

    @Test("what a search finds is a resource a line")
    func search() async throws {
        try await use { run, send in
            for _ in 0..<3 { _ = try await send(patient, "create", "--quiet") }
            let conditional = try await send(patient, "create", "--if-none-exist", "family=Moss")
            #expect(conditional.status == 3 && conditional.errors.contains("412"))
            let found = try await run("search", "Patient", "family=moss", "_count=2")
            #expect(found.output.split(separator: "\n").count == 3)
            #expect(
                found.output.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"resourceType":"Patient""#) }
            )
            #expect(
                try await run("search", "Patient", "family=moss", "--limit", "2").output.split(
                    separator: "\n"
                ).count == 2
            )
            #expect(try await run("search", "Patient", "family=moss", "--count").output == "3\n")
            let none = try await run("search", "Patient", "family=nobody", "--post")
            #expect(none.status == 1 && none.output.isEmpty && none.errors == "nothing was found\n")
            let wrong = try await run("search", "Patient", "no-such=1")
            #expect(
                wrong.status == 3 && wrong.errors.contains("no-such")
                    && wrong.errors.contains("next: “indivo fhir capabilities”")
            )
            let misspelt = try await run("search", "Patient", "famly:exact=Moss")
            #expect(
                misspelt.errors.contains(
                    "hint: R4 has no search parameter “famly” of Patient; did you mean family"
                )
            )
            let type = try await run("search", "Patients", "family=Moss")
            #expect(type.errors.contains("hint: R4 has no resource “Patients”; did you mean Patient"))
        }
    }

    @Test("a transaction prints status and address of each entry")
    func transaction() async throws {
        try await use { run, send in
            let bundle =
                #"""
                {"resourceType":"Bundle","type":"transaction","entry":[{"resource":\#(patient),\#
                "request":{"method":"POST","url":"Patient"}}]}
                """#
            let done = try await send(bundle, "transaction")
            #expect(done.status == 0 && done.output.hasPrefix("201 ") && done.output.contains("Patient/"))
            let batch = bundle.replacing("\"transaction\"", with: "\"batch\"").replacing(
                "\"url\":\"Patient\"",
                with: "\"url\":\"Patient/1/2\""
            )
            let failed = try await send(batch, "transaction")
            #expect(
                failed.status == 3 && failed.output.hasPrefix("4") && failed.errors.contains("entry 0: error")
            )
            #expect(try await send(patient, "transaction").status == 2)
        }
    }

    @Test("a base URL without the API's path gets a hint, and an extra slash works")
    func baseURL() async throws {
        try await use(at: \.pagesURL) { run, _ in
            let result = try await run("read", "Patient/1")
            #expect(result.status != 0 && result.errors.contains("such as /fhir"), "\(result.errors)")
        }
        try await use(at: \.baseURLWithSlash) { run, _ in
            let counted = try await run("search", "Patient", "--count")
            #expect(counted.output == "0\n", "\(counted.errors)")
        }
    }

    @Test("wrong use ends in 2, a server that is not there in 4")
    func wrongUse() throws {
        try Tool.use { tool in
            for arguments in [
                ["read", "Patient/1"], ["read", "Patient", "--base", "http://127.0.0.1:9"],
                ["read", "/", "--base", "http://127.0.0.1:9"],
                ["read", "Patient/1", "--base", "http://fhir.example.org"],
                ["search", "Patient", "x", "--base", "http://127.0.0.1:9"],
                ["search", "Patient", "--limit", "0", "--base", "http://127.0.0.1:9"],
                ["history", "Patient", "--since", "soon", "--base", "http://127.0.0.1:9"],
                ["create", "missing.json", "--base", "http://127.0.0.1:9"],
            ] {
                let result = try tool.run(["fhir"] + arguments)
                #expect(result.status == 2, "\(arguments): \(result.status) \(result.errors)")
                #expect(result.output.isEmpty && !result.errors.isEmpty)
            }
            let closed = try tool.run("fhir", "create", "--base", "http://127.0.0.1:9", input: patient)
            #expect(closed.status == 4 && closed.errors.contains("next: check the base URL"))
        }
    }
}

extension FHIRSandbox {
    fileprivate var baseURLWithSlash: URL { baseURL.appending(path: "", directoryHint: .isDirectory) }
}
