import Foundation
import HTTPTransport
import HTTPTypes
import OrderedJSON

/// Calls SQS (JSON protocol) and S3, signed; again when a service is busy or a connection breaks.
struct AWSClient: Sendable {
    let credentials: AWSCredentials
    let region: String
    let transport: any HTTPTransport
    var timing = CallTiming.system
    var policy = RetryPolicy()

    /// Does an action of SQS.
    func call(_ action: String, _ body: JSONValue, at server: ServerAddress) async throws -> JSONValue {
        var request = HTTPRequest(method: .post, scheme: server.scheme, authority: server.authority, path: "/")
        request.headerFields[.contentType] = "application/x-amz-json-1.0"
        request.headerFields[try AWSSignature.name("x-amz-target")] = "AmazonSQS.\(action)"
        let answer = try await send(request, Data(body.utf8()), service: "sqs", action)
        guard answer.response.status.code == 200 else { throw Self.refusal(answer, action) }
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
        _ method: HTTPRequest.Method, _ path: String, _ body: Data? = nil, at server: ServerAddress
    ) async throws -> Data? {
        let action = "\(method.rawValue) of an object"
        var request = HTTPRequest(method: method, scheme: server.scheme, authority: server.authority, path: server.path + path)
        request.headerFields[try AWSSignature.name("x-amz-content-sha256")] = AWSSignature.digest(of: body ?? Data())
        let answer = try await send(request, body, service: "s3", action)
        switch answer.response.status.code {
        case 200..<300: return answer.body
        case 404 where Self.code(answer) == "NoSuchKey": return nil
        default: throw Self.refusal(answer, action)
        }
    }

    private func send(_ request: HTTPRequest, _ body: Data?, service: String, _ action: String) async throws -> HTTPAnswer {
        let signature = AWSSignature(credentials: credentials, region: region, service: service)
        let payload = AWSSignature.digest(of: body ?? Data())
        var attempts = 0
        while true {
            attempts += 1
            var signed = request
            try signature.sign(&signed, payload: payload, at: timing.now())
            do {
                let answer = try await transport.send(signed, body: body)
                let status = answer.response.status.code
                let isBusy = status >= 500 || status == 429 || Self.code(answer).contains("Throttl")
                if !isBusy || attempts >= policy.maximumAttempts { return answer }
            } catch let error as HTTPTransportError {
                guard attempts < policy.maximumAttempts, error.kind != .invalidRequest else { throw error }
            }
            try await timing.sleep(policy.delay(after: attempts, random: timing.random()))
        }
    }

    private static func refusal(_ answer: HTTPAnswer, _ action: String) -> AWSError {
        .refused(action: action, status: answer.response.status.code, code: code(answer))
    }

    /// The code of an error: `__type` in JSON, `Code` in XML. Nothing else of what a server said.
    private static func code(_ answer: HTTPAnswer) -> String {
        guard answer.response.status.code >= 400, answer.body.count <= 1 << 16 else { return "" }
        var code = ""
        if let type = (try? JSONValue(parsing: answer.body))?["__type"]?.string {
            code = type.split(separator: "#").last.map(String.init) ?? ""
        } else {
            let text = String(decoding: answer.body, as: UTF8.self)
            if let start = text.range(of: "<Code>"), let end = text.range(of: "</Code>", range: start.upperBound..<text.endIndex) {
                code = String(text[start.upperBound..<end.lowerBound])
            }
        }
        return String(code.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == ".") }.prefix(80))
    }
}
