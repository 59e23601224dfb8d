import Foundation
import Indivo
import IndivoOutbox
import IndivoSandbox
import Testing

@Suite("indivo outbox")
struct OutboxCommandTests {
    @Test("what is queued is listed, shown, delivered, retried and discarded")
    func wholeLife() async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let good = try await outbox.add(medication("good"))
            let bad = try await outbox.add(refused("bad"), validation: .none)

            let list = try await run(place, "list")
            #expect(list.status == 0 && list.output.contains(good.id) && list.output.contains("Medication"))
            #expect(!list.output.contains("Test good"))
            #expect(try await run(place, "show", good.id, "--content").output.contains("Test good"))

            let flush = try await run(place, "flush", "--json")
            #expect(flush.status == 1 && flush.errors.contains("1 delivered, 1 left."))
            #expect(flush.output.contains(good.id) && flush.output.contains("delivered"))
            let after = try await run(place, "list", "--json")
            #expect(after.status == 0 && after.errors.contains("indivo outbox show \(bad.id)"))
            let objects = try JSONSerialization.jsonObject(with: Data(after.output.utf8)) as? [[String: Any]]
            #expect(objects?.map { $0["state"] as? String } == ["set aside"])
            #expect(try await run(place, "list", "--all").output.contains(good.id))
            #expect(try await run(place, "show", bad.id).output.contains("255"))

            #expect(try await run(place, "retry", bad.id).status == 0)
            #expect(try await run(place, "list", "--json").output.contains("\"queued\""))
            #expect(try await run(place, "discard", bad.id).status == 2)
            #expect(try await run(place, "discard", "--yes", bad.id).status == 0)
            let none = try await run(place, "list")
            #expect(none.status == 1 && none.errors == "Nothing is queued.\n")
            #expect(try await place.medications() == ["Test good"])
            #expect(try await run(place, "show", bad.id).status == 2)
            #expect(try await run(place, "flush").status == 0)
            try await outbox.add(medication("later"))
            await place.sandbox.stop()
            #expect(try await run(place, "flush").status == 4)
            for secret in [place.token.secret.reveal(), SandboxApp.demo.consumerSecret] {
                for result in [list, flush, after] {
                    #expect(!result.output.contains(secret) && !result.errors.contains(secret))
                }
            }
        }
    }

    @Test("a change to a document of an unknown class stays queued, and the tool says why")
    func unknownClass() async throws {
        final class Regimen: IndivoDocument {
            override class var modelName: String { "TestRegimen" }
            @Field var name: String?
        }
        Regimen.register()
        try await Place.use { place in
            let record = place.record()
            let document = medication("A")
            try await record.add(document)
            let told = try Regimen.read(
                from: FileContent(
                    text: "<Model name=\"TestRegimen\"><Field name=\"name\">a</Field></Model>",
                    contentType: "application/xml"
                ).xml()
            )
            told.id = document.id
            told.documentStage = .inRecord(record)
            told.isFromReport = true
            told.name = "b"
            let outbox = try place.outbox()
            let item = try await outbox.replace(told)
            let label = try await outbox.setLabel("label", of: told)
            let other = try await outbox.add(medication("B"))
            let flush = try await run(place, "flush")
            #expect(
                flush.status == 1 && flush.errors.contains("stays queued")
                    && flush.errors.contains("register()")
            )
            #expect(flush.errors.contains("1 delivered, 2 left."))
            #expect(try await outbox.items().map(\.state.isSetAside) == [false, false])
            for queued in [item, label] { #expect(try await outbox.item(queued.id).state == .queued) }
            #expect(try await outbox.item(other.id).state.document != nil)
        }
    }

    @Test("what the environment lacks is named")
    func missing() async throws {
        try await Place.use { place in
            for name in ["INDIVO_API", "INDIVO_CONSUMER_SECRET", "INDIVO_RECORD", "INDIVO_TOKEN"] {
                let result = try await run(place, "flush", without: name)
                #expect(result.status == 2 && result.errors.contains(name), "\(name): \(result.errors)")
            }
        }
    }

    private func run(
        _ place: Place,
        _ command: String,
        _ arguments: String...,
        without: String = ""
    ) async throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        let tool: URL = try #require(Self.executable, "swift build makes the tool `indivo`")
        process.executableURL = tool
        process.arguments =
            [
                "outbox", command, "--folder", place.folder.appending(path: "data").path, "--key-file",
                place.keys.file.path,
            ]
            + arguments
        var environment = [
            "INDIVO_API": place.sandbox.apiURL.absoluteString,
            "INDIVO_CONSUMER_KEY": SandboxApp.demo.consumerKey,
            "INDIVO_CONSUMER_SECRET": SandboxApp.demo.consumerSecret, "INDIVO_RECORD": place.recordID,
            "INDIVO_SESSIONS": place.folder.appending(path: "sessions").path,
            "XDG_CONFIG_HOME": place.folder.path, "INDIVO_TOKEN": place.token.value,
            "INDIVO_TOKEN_SECRET": place.token.secret.reveal(),
        ]
        environment[without] = nil
        process.environment = environment
        // Files, not pipes: a pipe that nobody empties would stop the tool.
        let files = try ["out", "err"].map { name in
            let file = FileManager.default.temporaryDirectory.appending(
                path: "indivo-tool-\(UUID().uuidString).\(name)"
            )
            try Data().write(to: file)
            return file
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        // Nothing waits for it on a thread that the sandbox needs.
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
        let status = await ends.first { _ in true } ?? -1
        return (
            status, try String(contentsOf: files[0], encoding: .utf8),
            try String(contentsOf: files[1], encoding: .utf8)
        )
    }

    /// The tool, which the build puts beside the test bundle.
    private static let executable: URL? = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL
        let tool = folder.appending(path: "indivo")
        return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
    }()
}
