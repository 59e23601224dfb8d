import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("Texts that are sent")
struct SentTextTests {
    private static let forbidden = [
        "\u{0}", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}",
    ]

    @Test("characters that XML cannot carry are refused before anything is sent", arguments: forbidden)
    func refused(character: String) async throws {
        let transport = AnsweringTransport("<ok/>")
        let record = transport.record()
        let text = "planted\(character)text"
        let document = FileDocument(id: "d-1", in: record)
        var message = OutgoingMessage(subject: "subject", body: text)
        let calls: [(String, () async throws -> Void)] = [
            ("label", { try await document.setLabel(text) }),
            ("label by external id", { try await record.setLabel(text, externalID: "e-1") }),
            ("reason", { try await document.setStatus(.void, reason: text) }),
            ("body", { try await record.send(message) }),
            ("subject", { try await record.send(OutgoingMessage(subject: text, body: "body")) }),
            ("notification", { try await record.notify(text) }),
            ("app URL", { try await record.notify("content", appURL: text) }),
            ("app document's label", { try await record.appDocuments.setLabel(text) }),
            ("app's document's label", { try await record.server.appDocuments.setLabel(text) }),
            (
                "raw form",
                {
                    _ = try await record.call(
                        .post,
                        "/records/r-1/documents/d-1/set-status",
                        body: FileContent(
                            text: (["status": "void", "reason": text] as FormParameters).encoded,
                            contentType: FormParameters.contentType
                        )
                    )
                }
            ),
            (
                "raw label",
                {
                    _ = try await record.call(
                        .put,
                        "/records/r-1/documents/d-1/label",
                        body: FileContent(text: text)
                    )
                }
            ),
            (
                "content type",
                {
                    try await record.add(
                        FileDocument(FileContent(Data([1]), contentType: "application/pdf\(character)"))
                    )
                }
            ),
            (
                "query",
                {
                    _ = try await record.call(
                        .get,
                        "/records/r-1/reports/minimal/problems/",
                        query: ["name": text]
                    )
                }
            ),
        ]
        for (what, call) in calls {
            let error = await #expect(throws: IndivoError.self, "\(what)") { try await call() }
            guard case .badArgument(let why)? = error?.reason else {
                Issue.record("\(what): \(String(describing: error))")
                continue
            }
            #expect(
                !why.contains("planted") && (why.contains("U+") || what == "content type"),
                "\(what): \(why)"
            )
        }
        #expect(transport.requests.isEmpty)
        message.body = "tab\t, line\r\nends and \u{85}\u{10FFFF}"
        try await record.send(message)
        #expect(transport.requests.count == 1)
    }
}

extension AppDocuments {
    fileprivate func setLabel(_ label: String) async throws {
        try await AppDocuments.Document(id: "a-1", in: self).setLabel(label)
    }
}
