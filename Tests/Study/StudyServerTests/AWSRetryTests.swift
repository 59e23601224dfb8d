import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON
import Synchronization
import Testing

@testable import StudyServer

@Suite("Amazon's services: retries")
struct AWSRetryTests {
    private static func answer(_ status: Int, _ body: String, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        HTTPAnswer(
            response: HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields),
            body: Data(body.utf8)
        )
    }

    private static let well = answer(200, "{}")

    /// What an action comes to, how often it was sent, and how long it waited.
    private func run(_ answers: [Result<HTTPAnswer, HTTPTransportError>]) async throws -> (
        AWSError?, sent: Int, [Duration]
    ) {
        let transport = Service(answers)
        let waits = Mutex<[Duration]>([])
        let elapsed = Mutex(Duration.zero)
        let timing = CallTiming(
            now: { Date(timeIntervalSince1970: 1_795_233_600) },
            elapsed: { elapsed.withLock { $0 } },
            sleep: { duration in
                waits.withLock { $0.append(duration) }
                elapsed.withLock { $0 += duration }
            },
            random: { 1 }
        )
        let client = AWSClient(
            credentials: AWSCredentials(accessKey: "k", secret: "s"),
            region: "eu-central-1",
            transport: transport,
            timing: timing
        )
        let url = try #require(URL(string: "https://sqs.eu-central-1.amazonaws.com"))
        do {
            _ = try await client.call("ListQueues", [:], at: SQSConfiguration.server(url))
            return (nil, transport.sent, waits.withLock { $0 })
        } catch let error as AWSError {
            return (error, transport.sent, waits.withLock { $0 })
        }
    }

    @Test("a service that is busy, fails or throttles is asked again, signed each time")
    func busy() async throws {
        let throttled = Self.answer(400, #"{"__type":"com.amazon#ThrottlingException"}"#)
        let (error, sent, waits) = try await run([
            .success(Self.answer(500, "")), .success(throttled), .success(Self.well),
        ])
        #expect(error == nil && sent == 3)
        #expect(waits == [.milliseconds(250), .milliseconds(500)])
        let wait = HTTPFields(dictionaryLiteral: (.retryAfter, "7"))
        #expect(
            try await run([.success(Self.answer(503, "", wait)), .success(Self.well)]).2 == [.seconds(7)]
        )
    }

    @Test("a service that stays away is asked four times, and the last refusal is the error")
    func away() async throws {
        let (error, sent, _) = try await run(Array(repeating: .success(Self.answer(503, "")), count: 9))
        #expect(error == .refused(action: "ListQueues", status: 503, code: "") && sent == 4)
    }

    @Test("a connection that breaks is made again, a refusal is final")
    func broken() async throws {
        let lost = HTTPTransportError(kind: .responseLost, server: "s", mayHaveReachedServer: true)
        #expect(try await run([.failure(lost), .success(Self.well)]).sent == 2)
        let (error, sent, _) = try await run([
            .success(Self.answer(403, #"{"__type":"AccessDenied"}"#)), .success(Self.well),
        ])
        #expect(error == .refused(action: "ListQueues", status: 403, code: "AccessDenied") && sent == 1)
        await #expect(throws: HTTPTransportError.self) {
            try await run([.failure(HTTPTransportError(kind: .tls, server: "s", mayHaveReachedServer: false))]
            )
        }
    }
}

/// Responds with one after the other.
private final class Service: HTTPTransport {
    private let answers: Mutex<[Result<HTTPAnswer, HTTPTransportError>]>

    init(_ answers: [Result<HTTPAnswer, HTTPTransportError>]) { self.answers = Mutex(answers) }

    private let count = Mutex(0)

    var sent: Int { count.withLock { $0 } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        #expect(request.headerFields[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true)
        count.withLock { $0 += 1 }
        return try answers.withLock { $0.removeFirst() }.get()
    }
}
