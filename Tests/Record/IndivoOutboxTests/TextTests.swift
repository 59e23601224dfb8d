import Foundation
import HTTPTypes
import Indivo
import IndivoOutbox
import IndivoTesting
import Testing

@Suite("Texts in an outbox")
struct TextTests {
    /// The lists of a server on which another client stored what XML cannot carry.
    private struct MalformedLists: HTTPTransport {
        /// Whether the response to a change is lost.
        var losesChanges = false

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            let system: any HTTPTransport = .system
            var answer = try await system.send(request, body: body)
            let isList = ["/status-history", "/meta"].contains { request.path?.hasSuffix($0) == true }
            if isList, request.path?.contains("/external/") == false {
                answer.body = Data("<a label=\"\u{1}\"/>".utf8)
                answer.response.headerFields[.contentLength] = "\(answer.body.count)"
            }
            if losesChanges,
                request.path?.hasSuffix("/set-status") == true || request.path?.hasSuffix("/label") == true
            {
                throw HTTPTransportError(
                    kind: .responseLost,
                    server: "",
                    mayHaveReachedServer: true,
                    detail: "lost"
                )
            }
            return answer
        }
    }

    @Test(
        "characters that XML cannot carry are not queued",
        arguments: ["\u{0}", "\u{1}", "\u{B}", "\u{C}", "\u{1B}", "\u{FFFE}", "\u{FFFF}"]
    )
    func forbidden(character: String) async throws {
        try await Place.use { place in
            let outbox = try place.outbox()
            let document = medication("A")
            try await outbox.add(document)
            let text = "planted\(character)text"
            let errors = [
                await #expect(throws: OutboxError.self) { try await outbox.setLabel(text, of: document) },
                await #expect(throws: OutboxError.self) {
                    try await outbox.setStatus(.archived, of: document, reason: text)
                },
            ]
            #expect(errors.allSatisfy { $0?.description.contains("character 8 is U+") == true })
            #expect(errors.allSatisfy { $0?.description.contains("planted") == false })
            await #expect(throws: OutboxError.self) {
                try await outbox.add(FileContent(Data("a".utf8), contentType: "application/pdf\(character)"))
            }
            #expect(try await outbox.items().count == 1)
        }
    }

    @Test("what another client stored does not hold up the outbox")
    func alreadyStored() async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            let outbox = try place.outbox(MalformedLists())
            try await outbox.setStatus(.archived, of: document, reason: "finished")
            try await outbox.setLabel("label", of: document)
            try await outbox.add(medication("B"))
            let report = try await outbox.flush()
            #expect(report.delivered.count == 3 && report.setAside.isEmpty && report.stop == nil)
            #expect(try await document.statusHistory().map(\.reason) == ["finished"])
            #expect(try await document.refreshMetadata().label == "label")
        }
    }

    @Test("a change of unknown outcome is set aside, and the others go on")
    func blind() async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            let outbox = try place.outbox(MalformedLists(losesChanges: true))
            let status = try await outbox.setStatus(.archived, of: document, reason: "finished")
            let label = try await outbox.setLabel("label", of: document)
            let other = try await outbox.add(medication("B"))
            let report = try await outbox.flush()
            #expect(
                report.setAside.map(\.id) == [status.id, label.id] && report.delivered.map(\.id) == [other.id]
            )
            #expect(report.setAside.allSatisfy { $0.state.reason?.contains("cannot be read") == true })
            #expect(try await document.statusHistory().count == 1)
        }
    }

    @Test(
        "line ends and spaces do not make a second change after one lost response",
        arguments: ["a\r\nb", "a\rb", "a\nb\r", " a ", "  ", "\ta\t", "e\u{301}", "\u{E9}"]
    )
    func lineEnds(text: String) async throws {
        try await Place.use { place in
            let document = medication("A")
            try await place.record().add(document)
            for (call, changed) in [("/set-status", "reason"), ("/label", "label")] {
                let lost = Flag()
                let outbox = try place.outbox(
                    FaultyTransport(.system) { request, _ in
                        guard request.path?.hasSuffix(call) == true, !lost.isSet else { return nil }
                        lost.set()
                        return .loseResponse
                    }
                )
                if changed == "reason" {
                    try await outbox.setStatus(.archived, of: document, reason: text)
                } else {
                    try await outbox.setLabel(text, of: document)
                }
                #expect(try await outbox.flush().delivered.count == 1, "\(changed)")
                #expect(lost.isSet)
            }
            #expect(try await document.statusHistory().count == 1)
        }
    }
}
