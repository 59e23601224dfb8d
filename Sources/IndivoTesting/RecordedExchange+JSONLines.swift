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
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        seq = try container.decode(Int.self, forKey: .seq)
        call = try container.decodeIfPresent(String.self, forKey: .call)
        note = try container.decodeIfPresent(String.self, forKey: .note)
        method = try container.decode(String.self, forKey: .method)
        scheme = try container.decodeIfPresent(String.self, forKey: .scheme)
        host = try container.decode(String.self, forKey: .host)
        path = try container.decode(String.self, forKey: .path)
        func check(_ holds: Bool, _ key: CodingKeys, _ why: String) throws {
            if !holds { throw Self.error(container, key, why) }
        }
        try check(HTTPRequest.Method(method) != nil, .method, "the method is none")
        try check(scheme.map { $0 == "http" || $0 == "https" } ?? true, .scheme, "the scheme is neither http nor https")
        try check(!host.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }, .host, "the host has a part of a path")
        try check(path.utf8.first == UInt8(ascii: "/"), .path, "the path does not begin with “/”")
        requestHeaders = try Self.fields(container, .requestHeaders)
        requestBody = try Self.body(container, .requestBody, .requestBodyBase64)
        if let failure = try container.decodeIfPresent(String.self, forKey: .failure) {
            guard let kind = HTTPTransportError.Kind(rawValue: failure) else {
                throw Self.error(container, .failure, "“\(failure)” is no kind of failure")
            }
            outcome = .failure(
                HTTPTransportError(
                    kind: kind, server: host,
                    mayHaveReachedServer: try container.decode(Bool.self, forKey: .mayHaveReachedServer),
                    detail: try container.decodeIfPresent(String.self, forKey: .failureDetail)))
            return
        }
        let status = try container.decode(Int.self, forKey: .status)
        try check((100...999).contains(status), .status, "\(status) is no status of HTTP")
        let reason = try container.decodeIfPresent(String.self, forKey: .reason) ?? ""
        var response = HTTPResponse(status: HTTPResponse.Status(code: status, reasonPhrase: reason))
        response.headerFields = HTTPFields(try Self.fields(container, .responseHeaders))
        let body = try Self.body(container, .responseBody, .responseBodyBase64) ?? Data()
        outcome = .answer(HTTPAnswer(response: response, body: body))
    }

    private typealias Container = KeyedDecodingContainer<CodingKeys>

    private static func error(_ container: Container, _ key: CodingKeys, _ why: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: why)
    }

    private static func fields(_ container: Container, _ key: CodingKeys) throws -> [HTTPField] {
        try (container.decodeIfPresent([[String]].self, forKey: key) ?? []).map { pair in
            guard pair.count == 2, let name = HTTPField.Name(pair[0]) else {
                throw error(container, key, "a header is not of the form [name, value]")
            }
            return HTTPField(name: name, value: pair[1])
        }
    }

    private static func body(_ container: Container, _ text: CodingKeys, _ base64: CodingKeys) throws -> Data? {
        if let body = try container.decodeIfPresent(String.self, forKey: text) { return Data(body.utf8) }
        guard let encoded = try container.decodeIfPresent(String.self, forKey: base64) else { return nil }
        guard let body = Data(base64Encoded: encoded) else { throw error(container, base64, "the body is not base64") }
        return body
    }
}
