import Foundation
import HTTPTypes
import Indivo

/// Reads the older form of a recording: a JSON object a line.
///
/// | key | meaning |
/// |---|---|
/// | `name`, `seq` | unique name; position in the order of time |
/// | `call`, `note` | the server's name for the call; why this exchange is here |
/// | `method`, `path`, `host`, `scheme` | the request as sent, `path` with the query |
/// | `request_headers`, `response_headers` | lists of `[name, value]` |
/// | `request_body`, `response_body` | text, or in base64 with `_b64` added to the key |
/// | `status`, `reason` | the response's status line |
/// | `failure`, `failure_detail`, `may_have_reached_server` | when there was no response |
extension RecordedExchange: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, seq, call, note, method, scheme, host, path, status, reason, failure
        case requestHeaders = "request_headers"
        case requestBody = "request_body"
        case requestBodyBase64 = "request_body_b64"
        case responseHeaders = "response_headers"
        case responseBody = "response_body"
        case responseBodyBase64 = "response_body_b64"
        case failureDetail = "failure_detail"
        case mayHaveReachedServer = "may_have_reached_server"
    }

    public init(from decoder: any Decoder) throws {
        let line = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try line.decodeIfPresent(String.self, forKey: key) }
        func wrong(_ key: CodingKeys, _ why: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: line, debugDescription: why)
        }
        func fields(_ key: CodingKeys) throws -> [HTTPField] {
            try (line.decodeIfPresent([[String]].self, forKey: key) ?? []).map { pair in
                guard pair.count == 2, let name = HTTPField.Name(pair[0]) else {
                    throw wrong(key, "a header is not of the form [name, value]")
                }
                return HTTPField(name: name, value: pair[1])
            }
        }
        func body(_ key: CodingKeys, _ base64: CodingKeys) throws -> Data? {
            if let body = try text(key) { return Data(body.utf8) }
            guard let encoded = try text(base64) else { return nil }
            guard let body = Data(base64Encoded: encoded) else { throw wrong(base64, "the body is not base64") }
            return body
        }
        name = try line.decode(String.self, forKey: .name)
        seq = try line.decode(Int.self, forKey: .seq)
        (call, note) = (try text(.call), try text(.note))
        method = try line.decode(String.self, forKey: .method)
        scheme = try text(.scheme)
        host = try line.decode(String.self, forKey: .host)
        path = try line.decode(String.self, forKey: .path)
        if HTTPRequest.Method(method) == nil { throw wrong(.method, "the method is none") }
        if !["http", "https", nil].contains(scheme) { throw wrong(.scheme, "the scheme is neither http nor https") }
        if host.utf8.contains(where: "/?".utf8.contains) { throw wrong(.host, "the host has a part of a path") }
        if path.utf8.first != UInt8(ascii: "/") { throw wrong(.path, "the path does not begin with “/”") }
        requestHeaders = try fields(.requestHeaders)
        requestBody = try body(.requestBody, .requestBodyBase64)
        if let failure = try text(.failure) {
            guard let kind = HTTPTransportError.Kind(rawValue: failure) else {
                throw wrong(.failure, "“\(failure)” is no kind of failure")
            }
            outcome = .failure(
                HTTPTransportError(
                    kind: kind, server: host,
                    mayHaveReachedServer: try line.decode(Bool.self, forKey: .mayHaveReachedServer),
                    detail: try text(.failureDetail)))
            return
        }
        let status = try line.decode(Int.self, forKey: .status)
        if !(100...999).contains(status) { throw wrong(.status, "\(status) is no status of HTTP") }
        var response = HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: try text(.reason) ?? ""))
        response.headerFields = HTTPFields(try fields(.responseHeaders))
        outcome = .answer(HTTPAnswer(response: response, body: try body(.responseBody, .responseBodyBase64) ?? Data()))
    }
}
