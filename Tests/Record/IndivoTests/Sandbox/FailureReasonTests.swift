import Indivo
import Testing

/// Status 500 of a sandbox is that of a real server, so that the library finds out the same behind it.
@Suite("What is behind a server's 500")
struct FailureReasonTests {
    private func error(of call: () async throws -> Void) async throws -> IndivoError {
        try await #require(throws: IndivoError.self) { try await call() }
    }

    @Test("a missing message is not found; what no server takes is the server's failure")
    func reasons() async throws {
        try await TestRecord.run(retry: .never) { place in
            let account = place.record.account(TestRecord.account)
            let missing = try await error { _ = try await account.message("none") }
            #expect(missing.reason == .notFound && missing.status == 500)
            let documents = "/records/\(place.record.id)/documents/"
            let page = try await error {
                _ = try await place.record.call(.get, documents, query: ["limit": "-1"])
            }
            #expect(page.reason == .serverFailed(status: 500))
            let measurement = """
                <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Measurement">\
                <Field name="type"></Field><Field name="value">1</Field><Field name="unit">k</Field>\
                <Field name="datetime">2026-01-01T00:00:00Z</Field></Model></Models>
                """
            let content = FileContent(text: measurement, contentType: "application/xml")
            let stored = try await error {
                _ = try await place.record.call(.post, documents, body: content)
            }
            #expect(stored.reason == .serverFailed(status: 500))
        }
    }
}
