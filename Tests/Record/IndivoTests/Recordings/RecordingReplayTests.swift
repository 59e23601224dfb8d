import Foundation
import HTTPTypes
import Indivo
import IndivoBase
import TestSupport
import Testing

@Suite("A real server's responses")
struct RecordingReplayTests {
    @Test(
        "recorded calls replay through the library's methods, with the right errors",
        .enabled(if: ServerRecordings.areWanted, "no recordings: name their folder with INDIVO_RECORDINGS")
    )
    func replay() async throws {
        let tally = try await replay(ServerRecordings.exchanges())
        print("\(tally)")
        let digest = try DocumentDigest.sha256.hex(of: ServerRecordings.content())
        if digest == "981b4a1d9fcea5d05bdd19633a5216d6a5d7fdd042359c970b48ee15b3d2eca0" {
            #expect(
                tally
                    == Tally(
                        replayed: 293,
                        refused: 40,
                        inexpressible: 38,
                        notReplayable: 0,
                        sent: 293,
                        read: 223,
                        raw: 72
                    )
            )
        }
        let replayable = Double(tally.total - tally.notReplayable)
        #expect(
            Double(tally.sent) >= 0.7 * replayable,
            "a client that refuses to send anything reads nothing"
        )
        #expect(Double(tally.read) >= 0.8 * Double(tally.successes))
    }

    @Test("of a sandbox, recorded with this package's recorder, come out of the methods too")
    func replaySandbox() async throws {
        let tally = try await replay(ServerExchange.own())
        print("own recording: \(tally)")
        #expect(
            tally
                == Tally(
                    replayed: 103,
                    refused: 2,
                    inexpressible: 6,
                    notReplayable: 0,
                    sent: 103,
                    read: 97,
                    raw: 8
                )
        )
    }

    private func replay(_ exchanges: [ServerExchange]) async throws -> Tally {
        let calls = exchanges.compactMap { exchange in
            exchange.indivoCall.map { (exchange: exchange, call: $0.call, variables: $0.variables) }
        }.filter { !IndivoCall.isLogin($0.call) }
        try #require(!calls.isEmpty, "there is no exchange of any call")
        var tally = Tally()
        for (exchange, call, variables) in calls {
            // What was sent is known by its length and digest alone.
            guard exchange.omittedBody == nil else {
                tally.notReplayable += 1
                continue
            }
            if exchange.status == 200 { tally.successes += 1 }
            let replay = CallReplay(exchange, call, variables)
            do {
                try await replay.run()
                if exchange.status == 200 || exchange.status == 404 {
                    tally.replayed += 1
                    if exchange.status == 200, !replay.transport.sent.isEmpty { tally.read += 1 }
                } else {
                    Issue.record("\(exchange): the library took a refusal for a success")
                }
            } catch is CallReplay.Inexpressible {
                // What no method can say can still be said.
                if try await replay.raw() { tally.raw += 1 }
                tally.inexpressible += 1
            } catch let error as IndivoError where error.isBeforeSending {
                #expect(replay.transport.sent.isEmpty, "\(exchange): \(error)")
                if try await replay.raw() { tally.raw += 1 }
                tally.refused += 1
            } catch let error as IndivoError {
                replay.check(error)
                tally.replayed += 1
            } catch {
                Issue.record("\(exchange): \(error)")
                continue
            }
            if !replay.transport.sent.isEmpty { tally.sent += 1 }
            #expect(replay.transport.strange.isEmpty, "\(exchange)")
        }
        #expect(tally.total == calls.count)
        return tally
    }

    private struct Tally: Equatable, CustomStringConvertible {
        /// Made with the calls' own methods.
        var replayed = 0
        /// Refused by the methods before they were sent.
        var refused = 0
        /// Those that no method can say.
        var inexpressible = 0
        /// Those of which the recording does not know enough.
        var notReplayable = 0
        /// How many requests the methods sent, and how many successful responses they read.
        var sent = 0
        var read = 0
        /// How many of those that were refused or cannot be said the method for any call sent.
        var raw = 0
        /// How many there are to read.
        var successes = 0

        var total: Int { replayed + refused + inexpressible + notReplayable }

        static func == (a: Tally, b: Tally) -> Bool { a.description == b.description }

        var description: String {
            "replayed \(replayed) of \(total) exchanges by the calls' own methods, "
                + "\(refused) that those refuse to send, \(inexpressible) that those cannot say, "
                + "\(notReplayable) not replayable; \(sent) sent, \(read) read, "
                + "\(raw) sent by the method for any call"
        }
    }
}

extension CallReplay {
    /// Makes the call with the method for any call.
    /// - Returns: Whether it was sent.
    func raw() async throws -> Bool {
        let transport = PlayingTransport(exchange, following: ["record_document_meta_ext": 404])
        let record = IndivoServer(
            api: URL(string: "http://127.0.0.1:8000") ?? URL(filePath: "/"),
            ui: URL(filePath: "/"),
            app: AppCredentials(id: "app", consumerKey: "key", consumerSecret: "secret"),
            transport: transport
        ).record(id: "record", token: token)
        guard let method = HTTPRequest.Method(rawValue: exchange.method) else { return false }
        let escaped = String(exchange.path.prefix { $0 != "?" })
        let path = escaped.removingPercentEncoding ?? escaped
        // An escaped slash makes another path of it.
        guard IndivoCall.matching(method, path) == call else { return false }
        do {
            let answer = try await record.call(
                method,
                path,
                query: exchange.query,
                body: exchange.requestBody.map { _ in exchange.content }
            )
            #expect(answer.data == exchange.responseBody && exchange.status == 200, "\(exchange)")
        } catch let error as IndivoError {
            // A path that cannot be signed, or a query where there can be none, goes out in no way.
            if !error.isBeforeSending { check(error) }
        }
        return !transport.sent.isEmpty
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
