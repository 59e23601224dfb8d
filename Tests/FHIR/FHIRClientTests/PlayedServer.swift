import FHIR
import FHIRClient
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import Logging
import Synchronization

/// A server that a test plays: in memory, each request answered by a closure, and remembered.
final class PlayedServer: HTTPTransport {
    struct Received: Sendable {
        var request: HTTPRequest
        var body: String
        var line: String { "\(request.method) \(request.path ?? "")" }
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headerFields[$0] } }
    }

    private let answer: @Sendable (Received, Int) throws -> HTTPAnswer
    private let seen = Mutex<[Received]>([])

    /// - Parameter answer: Gets the request and how many there were before it.
    init(_ answer: @escaping @Sendable (Received, Int) throws -> HTTPAnswer) { self.answer = answer }

    /// The same answer to everything.
    convenience init(_ answer: HTTPAnswer) { self.init { _, _ in answer } }

    var received: [Received] { seen.withLock { $0 } }
    var lines: [String] { received.map(\.line) }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let received = Received(request: request, body: String(decoding: body ?? Data(), as: UTF8.self))
        let before = seen.withLock { seen in
            seen.append(received)
            return seen.count - 1
        }
        return try answer(received, before)
    }

    func client(
        base: String = "https://fhir.example.org/r4",
        authorization: any FHIRAuthorization = .anonymous,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        options: FHIRClient.Options = StillClock().options()
    ) throws -> FHIRClient {
        // Every address that the tests give is a URL.
        try FHIRClient(
            base: URL(string: base)!,
            authorization: authorization,
            transport: self,
            logger: logger,
            options: options
        )
    }
}

extension HTTPAnswer {
    static func fhir(_ json: String, status: Int = 200, _ fields: [String: String] = [:]) -> HTTPAnswer {
        .text(json, type: "application/fhir+json; charset=utf-8", status: status, fields)
    }

    static func text(_ text: String, type: String?, status: Int = 200, _ fields: [String: String] = [:])
        -> HTTPAnswer
    {
        var response = HTTPResponse(status: HTTPResponse.Status(code: status))
        response.headerFields[.contentType] = type
        // Names that the tests give are valid.
        for (name, value) in fields { response.headerFields[HTTPField.Name(name)!] = value }
        return HTTPAnswer(response: response, body: Data(text.utf8))
    }

    static func status(_ status: Int, _ fields: [String: String] = [:]) -> HTTPAnswer {
        .text("", type: nil, status: status, fields)
    }

    static let patient: HTTPAnswer = .fhir(#"{"resourceType":"Patient","id":"7","active":true}"#)

    static func page(_ ids: [String], type: String = "searchset", next: String? = nil) -> HTTPAnswer {
        let entries = ids.map {
            #"{"resource":{"resourceType":"Patient","id":"\#($0)"},"search":{"mode":"match"}}"#
        }
        let link = next.map { #""link":[{"relation":"next","url":"\#($0)"}],"# } ?? ""
        return .fhir(
            #"""
            {"resourceType":"Bundle","type":"\#(type)",\#(link)"entry":[\#(entries.joined(separator: ","))]}
            """#
        )
    }
}

/// Clocks that stand still but when a call waits, and then go on by that wait at once.
final class StillClock: Sendable {
    private let state = Mutex((elapsed: Duration.zero, waits: [Duration]()))

    var waits: [Duration] { state.withLock { $0.waits } }

    func pass(_ duration: Duration) { state.withLock { $0.elapsed += duration } }

    var timing: CallTiming {
        CallTiming(
            now: { Date(timeIntervalSince1970: 1_795_233_600) },
            elapsed: { self.state.withLock { $0.elapsed } },
            sleep: { duration in
                self.state.withLock {
                    $0.waits.append(duration)
                    $0.elapsed += duration
                }
            },
            random: { 1 }
        )
    }

    func options(retry: RetryPolicy = RetryPolicy(), maximumPages: Int = 100) -> FHIRClient.Options {
        FHIRClient.Options(retry: retry, maximumPages: maximumPages, timing: timing)
    }
}

/// What an interaction or a login fails with.
func failure<Value, Failure: Error>(
    as type: Failure.Type = FHIRClientError.self,
    _ body: () async throws -> Value
) async -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Failure
    }
}
