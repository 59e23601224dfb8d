import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON

/// Calls SQS (JSON protocol) and S3, signed; again when a service is busy or a connection breaks.
struct AWSClient: Sendable {
    let credentials: AWSCredentials
    let region: String
    let engine: CallEngine

    init(
        credentials: AWSCredentials,
        region: String,
        transport: any HTTPTransport,
        retry: RetryPolicy = RetryPolicy(),
        timing: CallTiming = .system
    ) {
        self.credentials = credentials
        self.region = region
        engine = CallEngine(transport: transport, retry: retry, timing: timing)
    }

    /// Does an action of SQS.
    func call(_ action: String, _ body: JSONValue, at server: ServerAddress) async throws -> JSONValue {
        var request = HTTPRequest(
            method: .post,
            scheme: server.scheme,
            authority: server.authority,
            path: "/"
        )
        request.headerFields[.contentType] = "application/x-amz-json-1.0"
        request.headerFields[try AWSSignature.name("x-amz-target")] = "AmazonSQS.\(action)"
        let answer = try await send(request, Data(body.utf8()), service: "sqs", action)
        guard answer.status == 200 else { throw Self.refusal(answer, action) }
        // Another service than SQS may answer with status 200, too.
        guard let json = try? JSONValue(parsing: answer.body), json.members != nil else {
            throw AWSError.unexpected(action: action)
        }
        return json
    }

    /// Writes, reads or deletes an object of S3.
    ///
    /// - Returns: The object; `nil` where there is none.
    func object(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: Data? = nil,
        at server: ServerAddress
    ) async throws -> Data? {
        let action = "\(method.rawValue) of an object"
        var request = HTTPRequest(
            method: method,
            scheme: server.scheme,
            authority: server.authority,
            path: server.path + path
        )
        request.headerFields[try AWSSignature.name("x-amz-content-sha256")] = AWSSignature.digest(
            of: body ?? Data()
        )
        let answer = try await send(request, body, service: "s3", action)
        switch answer.status {
        case 200..<300: return answer.body
        case 404 where Self.code(answer) == "NoSuchKey": return nil
        default: throw Self.refusal(answer, action)
        }
    }

    /// Sends a request as often as the policy allows. Every action here may be done twice: what is sent twice
    /// is recognised by the consumer.
    private func send(_ request: HTTPRequest, _ body: Data?, service: String, _ action: String) async throws
        -> HTTPAnswer
    {
        let signature = AWSSignature(credentials: credentials, region: region, service: service)
        let payload = AWSSignature.digest(of: body ?? Data())
        return try await engine.call { now in
            let answer = try await engine.transfer(.data(body), until: now.end) {
                var signed = request
                try signature.sign(&signed, payload: payload, at: engine.timing.now())
                return signed
            }
            let hasFailed = answer.isBusy || answer.status >= 500
            guard hasFailed || Self.code(answer).contains("Throttl") else { return answer }
            throw AttemptFailure(
                cause: Self.refusal(answer, action),
                isTransient: true,
                retryAfter: answer.retryAfter(now: engine.timing.now())
            )
        }
    }

    private static func refusal(_ answer: HTTPAnswer, _ action: String) -> AWSError {
        .refused(action: action, status: answer.status, code: code(answer))
    }

    /// The code of an error: `__type` in JSON, `Code` in XML. Nothing else of what a server said.
    private static func code(_ answer: HTTPAnswer) -> String {
        guard answer.status >= 400, answer.body.count <= 1 << 16 else { return "" }
        var code = ""
        if let type = (try? JSONValue(parsing: answer.body))?["__type"]?.string {
            code = type.split(separator: "#").last.map(String.init) ?? ""
        } else {
            let text = String(decoding: answer.body, as: UTF8.self)
            if let start = text.range(of: "<Code>"),
                let end = text.range(of: "</Code>", range: start.upperBound..<text.endIndex)
            {
                code = String(text[start.upperBound..<end.lowerBound])
            }
        }
        return String(
            code.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == ".") }.prefix(80)
        )
    }
}
