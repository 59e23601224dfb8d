import Foundation
import GRDB
import OrderedJSON
import Testing

@testable import FHIRSandbox

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The tool's FHIR server", .enabled(if: Tool.url != nil, "the tool `indivo` is not built"))
struct ToolTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fhir-serve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("it loads files, prints its base first, demands the token, and stops with 0")
    func serve() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "patient.json")
            try Data(#"{"resourceType":"Patient","id":"p","name":[{"family":"Moss"}]}"#.utf8).write(to: file)
            let (process, summary) = try Tool.startServer(["--load", file.path], token: "t")
            defer { process.terminate() }
            let base = try #require(summary["base"]?.string.flatMap { URL(string: $0) })
            var request = URLRequest(url: base.appending(path: "Patient/p"))
            let (_, refused) = try await URLSession.shared.data(for: request)
            #expect((refused as? HTTPURLResponse)?.statusCode == 401)
            request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
            let (data, _) = try await URLSession.shared.data(for: request)
            #expect(try JSONValue(parsing: data)["name"]?[0]?["family"]?.string == "Moss")
            process.terminate()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test("a file that is no resource ends it with an error that names file and position")
    func badFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "bad.json")
            try Data("{\"resourceType\":\"Patient\",\n x}".utf8).write(to: file)
            let process = Process()
            process.executableURL = Tool.url
            process.arguments = ["fhir", "serve", "--port", "0", "--load", file.path]
            let errors = Pipe()
            process.standardError = errors
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus != 0)
            #expect(text.contains("bad.json:2:"), "\(text)")
        }
    }

    @Test(
        "what is invalid is refused, and stored with --no-validation",
        arguments: [([], 422), (["--no-validation"], 201)]
    )
    func validation(options: [String], status: Int) async throws {
        let (process, summary) = try Tool.startServer(options)
        defer { process.terminate() }
        let base = try #require(summary["base"]?.string.flatMap { URL(string: $0) })
        var request = URLRequest(url: base.appending(path: "Patient"))
        request.httpMethod = "POST"
        request.setValue("application/fhir+json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"resourceType":"Patient","gender":"femal"}"#.utf8)
        let (_, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test("after kill -9 amid transactions each is there as a whole or not at all")
    func killed() async throws {
        try await withFolder { folder in
            let database = folder.appending(path: "fhir.sqlite")
            var answered: Set<Int> = []
            let size = 40
            for round in 0..<3 {
                let (process, summary) = try Tool.startServer(["--database", database.path])
                let base = try #require(summary["base"]?.string.flatMap { URL(string: $0) })
                let pid = process.processIdentifier
                let done = Answered()
                await withTaskGroup(of: Void.self) { group in
                    for client in 0..<4 {
                        group.addTask {
                            for number in 0..<200 {
                                let name = (round * 4 + client) * 1_000 + number
                                guard await Self.send(Self.transaction(name, size), to: base) else { return }
                                // The others are in the middle of theirs.
                                if await done.add(name) == 12 { kill(pid, SIGKILL) }
                            }
                        }
                    }
                }
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal)
                answered.formUnion(await done.names)
            }
            #expect(answered.count >= 36)

            let server = try TestServer { $0.database = .file(database) }
            let patients = try await server.state.database.writer.read { db in
                try String.fetchAll(
                    db,
                    sql: "SELECT name FROM resource WHERE type = 'Patient' AND NOT isDeleted"
                )
            }
            let stored = Dictionary(grouping: patients) { Int($0.split(separator: "-")[0].dropFirst()) ?? -1 }
            for (name, members) in stored { #expect(members.count == size, "transaction \(name)") }
            #expect(answered.isSubset(of: stored.keys))
            // What was made but not answered: one of each client in each round.
            #expect(stored.count <= answered.count + 12)
            // Versions and the index are of the same transactions.
            let counts = try await server.state.database.writer.read { db in
                try [
                    "SELECT COUNT(*) FROM version", "SELECT COUNT(*) FROM value WHERE key = 'Patient.family'",
                ].map {
                    try Int.fetchOne(db, sql: $0) ?? 0
                }
            }
            #expect(counts == [stored.count * size, stored.count * size])
            let check = try await server.state.database.writer.read { db in
                try String.fetchOne(db, sql: "PRAGMA integrity_check")
            }
            #expect(check == "ok")
            try server.state.database.writer.close()
        }
    }

    private actor Answered {
        var names: Set<Int> = []
        func add(_ name: Int) -> Int {
            names.insert(name)
            return names.count
        }
    }

    private static func transaction(_ name: Int, _ size: Int) -> JSONValue {
        let entries = (0..<size).map { index -> JSONValue in
            let id = "t\(name)-\(index)"
            return [
                "resource": .patient(id, family: "F\(name)"),
                "request": ["method": "PUT", "url": JSONValue("Patient/\(id)")],
            ]
        }
        return ["resourceType": "Bundle", "type": "transaction", "entry": JSONValue(entries)]
    }

    private static func send(_ bundle: JSONValue, to base: URL) async -> Bool {
        var request = URLRequest(url: base)
        request.httpMethod = "POST"
        request.setValue("application/fhir+json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(bundle.utf8())
        guard let (_, response) = try? await URLSession.shared.data(for: request) else { return false }
        return (response as? HTTPURLResponse)?.statusCode == 200
    }
}
