import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import OrderedJSON
import Synchronization
import Testing

@Suite("FHIR client: bulk data")
struct BulkDataTests {
    private static let base = "https://fhir.example.org/r4"
    private static let done = manifest("https://fhir.example.org/r4/f.ndjson")

    private static func manifest(_ url: String, token: Bool = true) -> HTTPAnswer {
        .text(
            #"{"transactionTime":"2026-01-01T00:00:00Z","requiresAccessToken":\#(token),"#
                + #""output":[{"type":"Patient","url":"\#(url)"}]}"#,
            type: "application/json"
        )
    }

    private static let accepted = HTTPAnswer.status(202, ["Content-Location": base + "/status/1"])

    /// A server whose export is complete at once, and its file.
    private static func server(
        _ file: String,
        manifest: HTTPAnswer = done,
        piece: Int = .max,
        breaks: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) -> PlayedServer {
        PlayedServer { received, number in
            let path = received.request.path ?? ""
            if path.contains("$export") { return accepted }
            if path.hasSuffix("/status/1") { return manifest }
            if breaks(number) {
                throw HTTPTransportError(kind: .responseLost, server: "f", mayHaveReachedServer: true)
            }
            let bytes = Array(file.utf8)
            let numbers =
                received.field("Range")?.dropFirst(6).split(separator: "-").compactMap { Int($0) } ?? []
            guard numbers.count == 2 else { return .text(file, type: "application/fhir+ndjson") }
            guard numbers[0] < bytes.count else { return .status(416) }
            let end = min(numbers[1] + 1, bytes.count, numbers[0] + min(piece, 1 << 30))
            return .text(
                String(decoding: bytes[numbers[0]..<end], as: UTF8.self),
                type: "application/fhir+ndjson",
                status: 206,
                ["Content-Range": "bytes \(numbers[0])-\(end - 1)/\(bytes.count)", "ETag": "\"1\""]
            )
        }
    }

    private static func lines(_ count: Int) -> String {
        (0..<count).map { #"{"resourceType":"Patient","id":"\#($0)"}"# + "\n" }.joined()
    }

    private static func ids(_ client: FHIRClient) async throws -> [String?] {
        let export = try await client.export()
        let manifest = try await export.manifest()
        var ids: [String?] = []
        for try await resource in export.resources(in: manifest.output[0], of: manifest) {
            ids.append(resource.id)
        }
        return ids
    }

    @Test("the kick-off says what is wanted")
    func kickOff() async throws {
        let server = PlayedServer(Self.accepted)
        var request = BulkExportRequest(of: .group("g1"))
        request.types = ["Patient", "Observation"]
        request.since = "2026-01-01T00:00:00Z"
        request.typeFilters = ["Observation?category=laboratory"]
        request.elements = ["Patient.name"]
        let export = try await server.client().export(request)
        #expect(export.statusURL.absoluteString == Self.base + "/status/1")
        let received = try #require(server.received.first)
        #expect(received.field("Prefer") == "respond-async")
        let path = try #require(received.request.path?.removingPercentEncoding)
        #expect(path.hasPrefix("/r4/Group/g1/$export?_outputFormat=application/fhir+ndjson"))
        #expect(path.contains("&_type=Patient,Observation&_since=2026-01-01T00:00:00Z"))
        #expect(path.contains("&_typeFilter=Observation?category=laboratory&_elements=Patient.name"))
    }

    @Test("the status is polled as the server says, and else less and less often")
    func polling() async throws {
        let clock = StillClock()
        let server = PlayedServer { received, number in
            if number == 0 { return Self.accepted }
            switch number {
            case 1: return .status(202, ["Retry-After": "7", "X-Progress": "10 %"])
            case 2, 3: return .status(202)
            case 4: return .status(429, ["Retry-After": "9"])
            default: return Self.done
            }
        }
        let client = try server.client(options: clock.options(retry: .never))
        let texts = Mutex<[String?]>([])
        let manifest = try await client.export().manifest { text in texts.withLock { $0.append(text) } }
        #expect(manifest.output.count == 1 && texts.withLock { $0 } == ["10 %", nil, nil])
        #expect(clock.waits == [.seconds(7), .seconds(2), .seconds(4), .seconds(9)])
    }

    @Test(
        "a file comes as a stream of resources, whatever pieces its bytes come in",
        arguments: [1, 7, 40, .max]
    )
    func stream(piece: Int) async throws {
        let server = Self.server(Self.lines(20) + "\n\r\n", piece: piece)
        #expect(try await Self.ids(server.client()) == (0..<20).map(String.init))
    }

    @Test("a connection that breaks costs one piece")
    func resumed() async throws {
        let server = Self.server(Self.lines(20), piece: 100) { $0 % 2 == 0 }
        #expect(try await Self.ids(server.client()) == (0..<20).map(String.init))
    }

    @Test("a bad line does not hide the others, and ends the stream if nobody handles it")
    func badLine() async throws {
        let file = Self.lines(2) + "{\"a\":\n7\n" + Self.lines(1)
        let client = try Self.server(file).client()
        let export = try await client.export()
        let manifest = try await export.manifest()
        let problems = Mutex<[Int]>([])
        var count = 0
        for try await _ in export.resources(
            in: manifest.output[0],
            of: manifest,
            problem: { line, _ in problems.withLock { $0.append(line) } }
        ) { count += 1 }
        #expect(count == 3 && problems.withLock { $0 } == [3, 4])
        await #expect(throws: FHIRClientError.self) { try await Self.ids(client) }
    }

    @Test("a line without end is not kept in memory, and a file without end can be read")
    func endless() async throws {
        let piece = Data(repeating: 0x20, count: 4 << 20)
        let server = PlayedServer { received, _ in
            let path = received.request.path ?? ""
            if path.contains("$export") { return Self.accepted }
            if path.hasSuffix("/status/1") { return Self.done }
            let first = Int(received.field("Range")?.dropFirst(6).prefix { $0 != "-" } ?? "") ?? 0
            var answer = HTTPAnswer.status(
                206,
                ["Content-Range": "bytes \(first)-\(first + piece.count - 1)/*"]
            )
            answer.body = piece
            return answer
        }
        let error = await failure { try await Self.ids(server.client()) }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(server.received.count < 12)
    }

    @Test("the token goes to no other server, and a file there that needs it is not read")
    func foreign() async throws {
        let url = "https://files.example.net/f.ndjson"
        let open = Self.server(Self.lines(2), manifest: Self.manifest(url, token: false))
        #expect(try await Self.ids(open.client(authorization: .bearer("planted"))) == ["0", "1"])
        for received in open.received where received.request.authority == "files.example.net" {
            #expect(received.field("Authorization") == nil)
        }
        #expect(open.received.contains { $0.request.authority == "files.example.net" })
        let closed = Self.server(Self.lines(2), manifest: Self.manifest(url))
        let error = await failure { try await Self.ids(closed.client(authorization: .bearer("planted"))) }
        #expect(error?.reason == .foreignLink)
        let elsewhere = PlayedServer(.status(202, ["Content-Location": "https://evil.example.net/s"]))
        #expect(await failure { try await elsewhere.client().export() }?.reason == .foreignLink)
    }

    @Test("a file that changes while it is read is not put together of two")
    func changed() async throws {
        let server = PlayedServer { received, number in
            let path = received.request.path ?? ""
            if path.contains("$export") { return Self.accepted }
            if path.hasSuffix("/status/1") { return Self.done }
            let first = Int(received.field("Range")?.dropFirst(6).prefix { $0 != "-" } ?? "") ?? 0
            return .text(
                Self.lines(1),
                type: "application/fhir+ndjson",
                status: 206,
                ["Content-Range": "bytes \(first)-\(first + 35)/1000", "ETag": "\"\(number)\""]
            )
        }
        #expect(Self.lines(1).utf8.count == 36)
        let error = await failure { try await Self.ids(server.client()) }
        guard case .malformedResponse? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("the sandbox exports what is wanted, and deletes it")
    func sandbox() async throws {
        let sandbox = try await FHIRSandbox.start()
        for id in ["ann", "bob", "eve"] {
            try await sandbox.load(
                AnyResource(view: ["resourceType": "Patient", "id": JSONValue(id), "active": true])
            )
            try await sandbox.load(
                AnyResource(view: [
                    "resourceType": "Observation", "id": JSONValue("o-\(id)"), "status": "final",
                    "code": ["text": "x"], "subject": ["reference": JSONValue("Patient/\(id)")],
                ])
            )
        }
        try await sandbox.load(
            AnyResource(view: [
                "resourceType": "Group", "id": "g", "type": "person", "actual": true,
                "member": [
                    ["entity": ["reference": "Patient/ann"]], ["entity": ["reference": "Patient/eve"]],
                ],
            ])
        )
        try await sandbox.load(AnyResource(view: ["resourceType": "Organization", "id": "org", "name": "O"]))
        let client = try FHIRClient(base: sandbox.baseURL)
        func exported(_ request: BulkExportRequest) async throws -> Set<String> {
            let export = try await client.export(request)
            let manifest = try await export.manifest()
            var found: Set<String> = []
            for file in manifest.output {
                for try await resource in export.resources(in: file, of: manifest) {
                    found.insert("\(resource.resourceType ?? "")/\(resource.id ?? "")")
                }
            }
            try await export.delete()
            #expect(await failure { try await export.status() }?.reason == .notFound)
            return found
        }
        #expect(try await exported(BulkExportRequest()).count == 8)
        #expect(try await exported(BulkExportRequest(of: .patients)).count == 6)
        #expect(
            try await exported(BulkExportRequest(of: .group("g")))
                == ["Patient/ann", "Patient/eve", "Observation/o-ann", "Observation/o-eve"]
        )
        var filtered = BulkExportRequest()
        filtered.types = ["Observation"]
        filtered.typeFilters = ["Observation?subject=Patient/bob"]
        #expect(try await exported(filtered) == ["Observation/o-bob"])
        await sandbox.stop()
    }
}
