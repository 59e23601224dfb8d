import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite(
    "A real server's answers",
    .enabled(if: ServerRecording.isThere, "no recordings: name their folder with INDIVO_RECORDINGS"))
struct RecordingReplayTests {
    @Test("come out of the methods that the library has for the calls; refusals are the right errors")
    func replay() async throws {
        let exchanges = try ServerRecording.exchanges()
        let calls = exchanges.compactMap { exchange in
            exchange.call.map { (exchange: exchange, call: $0.call, variables: $0.variables) }
        }.filter { !IndivoCall.isLogin($0.call) }
        try #require(!calls.isEmpty, "\(ServerRecording.folder.path) has no exchange of any call")
        var tally = Tally()
        for (exchange, call, variables) in calls {
            let replay = CallReplay(exchange, call, variables)
            do {
                try await replay.run()
                if exchange.status == 200 || exchange.status == 404 {
                    tally.replayed += 1
                } else {
                    Issue.record("\(exchange): the library took a refusal for a success")
                }
            } catch let reason as CallReplay.Inexpressible {
                // What no method can say can still be said.
                try await replay.raw()
                tally.note(reason.what, exchange)
            } catch let error as IndivoError where error.isBeforeSending {
                #expect(replay.transport.sent.isEmpty, "\(exchange): \(error)")
                try await replay.raw()
                tally.refused += 1
            } catch let error as IndivoError {
                replay.check(error)
                tally.replayed += 1
            } catch {
                Issue.record("\(exchange): \(error)")
                continue
            }
            #expect(replay.transport.strange.isEmpty, "\(exchange)")
        }
        print("replayed \(tally.total) of \(calls.count) exchanges, \(tally)")
        #expect(tally.total == calls.count)
    }

    private struct Tally: CustomStringConvertible {
        var replayed = 0
        /// Refused by the library before they were sent.
        var refused = 0
        var inexpressible: [String] = []

        var total: Int { replayed + refused + inexpressible.count }

        mutating func note(_ what: String, _ exchange: ServerRecording.Exchange) {
            inexpressible.append("\(exchange.name): \(what)")
        }

        var description: String {
            "\(replayed) by the calls' own methods, \(refused) that those refuse to send, "
                + "\(inexpressible.count) that those cannot say"
        }
    }
}

extension CallReplay {
    /// Makes the call with the method for any call.
    func raw() async throws {
        let transport = PlayingTransport(exchange, following: ["record_document_meta_ext": 404])
        let record = IndivoServer(
            api: URL(string: "http://127.0.0.1:8000") ?? URL(filePath: "/"), ui: URL(filePath: "/"),
            app: AppCredentials(id: "app", consumerKey: "key", consumerSecret: "secret"), transport: transport
        ).record(id: "record", token: token)
        guard let method = HTTPRequest.Method(rawValue: exchange.method) else { return }
        let escaped = String(exchange.path.prefix { $0 != "?" })
        let path = escaped.removingPercentEncoding ?? escaped
        // An escaped slash makes another path of it.
        guard IndivoCall.matching(method, path) == call else { return }
        do {
            let answer = try await record.call(
                method, path, query: exchange.query,
                body: exchange.requestBody.map { _ in exchange.content })
            #expect(answer.data == exchange.responseBody && exchange.status == 200, "\(exchange)")
        } catch let error as IndivoError {
            // A path that cannot be signed, or a query where there can be none, goes out in no way.
            if !error.isBeforeSending { check(error) }
        }
    }

    /// Whether an error is the one for the recorded refusal.
    func check(_ error: IndivoError) {
        #expect(error.call == call.name && error.status == exchange.status, "\(exchange): \(error)")
        let words = String(decoding: exchange.responseBody, as: UTF8.self)
        let isRight =
            switch (exchange.status, error.reason) {
            case (400, .conflict(.externalIDUsed)): words.contains("unique external id")
            case (400, .conflict(.messageIDUsed)): words.contains("unique message_id")
            case (400, .conflict(.alreadyReplaced)): words.contains("already been versioned")
            case (400, .invalid(let message, _)): words.isEmpty || !message.isEmpty
            case (403, .refused(let causes)): !causes.isEmpty
            case (404, .notFound): true
            // A server says 404 and 500 also where an external id is used, or where it refuses content.
            case (404, .invalid), (404, .conflict), (500, .conflict): call.body == .document
            case (405, .unexpectedStatus(405)): true
            case (500, .serverFailed(500)): true
            default: false
            }
        #expect(isRight, "\(exchange): \(error.reason)")
    }
}

extension IndivoError {
    var isBeforeSending: Bool {
        if case .badArgument = reason { true } else { false }
    }
}

extension IndivoCall {
    /// Logging in is tested with the login.
    static func isLogin(_ call: IndivoCall) -> Bool { call.path.hasPrefix("/oauth/") }
}
