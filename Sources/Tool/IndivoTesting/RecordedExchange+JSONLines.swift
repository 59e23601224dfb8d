import Foundation
import HTTPTypes
import Indivo
import OrderedJSON

extension RecordedExchange {
    /// Reads a line of the older form, which ``Recording`` describes.
    init(line: RecordedJSON) throws {
        func fields(_ key: String) throws -> [HTTPField] {
            try (line(ifAny: key, \.elements) ?? []).map { pair in
                guard let texts = pair.elements?.map(\.string), texts.count == 2, let value = texts[1],
                    let name = texts[0].flatMap({ HTTPField.Name($0) })
                else { throw line.fault("a header is not of the form [name, value]", at: key) }
                return HTTPField(name: name, value: value)
            }
        }
        func body(_ key: String) throws -> Data? {
            if let text = try line(ifAny: key, \.string) { return Data(text.utf8) }
            return try line(ifAny: key + "_b64", \.string).map { try line.body($0, isBase64: true) }
        }
        name = try line("name", \.string)
        seq = try line("seq", \.whole)
        call = try line(ifAny: "call", \.string)
        note = try line(ifAny: "note", \.string)
        method = try line("method", \.string)
        scheme = try line(ifAny: "scheme", \.string)
        host = try line("host", \.string)
        path = try line("path", \.string)
        if HTTPRequest.Method(method) == nil { throw line.fault("the method is none") }
        if !["http", "https", nil].contains(scheme) {
            throw line.fault("the scheme is neither http nor https")
        }
        if host.utf8.contains(where: "/?".utf8.contains) { throw line.fault("the host has a part of a path") }
        if path.utf8.first != UInt8(ascii: "/") { throw line.fault("the path does not begin with “/”") }
        requestHeaders = try fields("request_headers")
        requestBody = try body("request_body")
        outcome =
            try line.failure(
                "failure",
                detail: "failure_detail",
                isSent: "may_have_reached_server",
                server: host
            )
            ?? line.answer(
                line("status", \.whole),
                line(ifAny: "reason", \.string) ?? "",
                fields("response_headers"),
                body("response_body") ?? Data()
            )
    }
}
