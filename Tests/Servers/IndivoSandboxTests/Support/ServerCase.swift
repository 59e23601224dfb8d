import Foundation
import IndivoSandbox
import Testing

/// A request, and the answer that a real server gives to it.
struct ServerCase {
    static let note = "<n xmlns=\"urn:n#\"/>"

    var method: String
    var path: String
    var type: String?
    var body = ""
    var status: Int
    var holds: String?

    init(
        _ method: String,
        _ path: String,
        type: String,
        _ body: String,
        _ status: Int,
        _ holds: String? = nil
    ) {
        self.init(method, path, status, holds)
        self.type = type
        self.body = body
    }

    init(_ method: String, _ path: String, _ status: Int, _ holds: String? = nil) {
        self.method = method
        self.path = path
        self.status = status
        self.holds = holds
    }

    /// A read.
    init(_ path: String, _ status: Int, _ holds: String? = nil) { self.init("GET", path, status, holds) }
}

/// Sends each request as the demo app with a token of the first record; `{R}` is the record, `{D}` a
/// document of it, and `{A}` the app.
func checkAnswers(_ cases: [ServerCase], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try #require(!cases.isEmpty)
    try await withSandbox { sandbox async throws in
        let record = try #require(try await sandbox.records().first?.id)
        let app = try await TestApp(sandbox).authorized(sandbox, record: record)
        let made = try await app.post("/records/\(record)/documents/", xml: ServerCase.note)
        let document = try World.id(made, "Document")
        for item in cases {
            let path = item.path.replacing("{R}", with: "/records/\(record)").replacing(
                "{D}",
                with: document
            )
            .replacing("{A}", with: "demo@apps.example.org")
            let answer = try await app.send(item.method, path, type: item.type, body: item.body)
            #expect(
                answer.status == item.status,
                "\(item.method) \(item.path): \(answer.text.prefix(200))",
                sourceLocation: sourceLocation
            )
            #expect(
                item.status != 500 || answer.text == "<h4>Internal Server Error</h4>\n",
                sourceLocation: sourceLocation
            )
            if let part = item.holds {
                #expect(
                    answer.text.contains(part),
                    "\(item.method) \(item.path): \(answer.text.prefix(400))",
                    sourceLocation: sourceLocation
                )
            }
        }
    }
}
