import Foundation
import HTTPTypes
import Indivo
import OAuth1
import OrderedJSON

/// What is said about an exchange in an HTTP Archive, version 1.2. What HAR has no field for stands under
/// names that begin with `_`, as the format wants it.
extension RecordedExchange {
    private static let dates = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    // MARK: Writing

    /// The exchange as an entry of an archive.
    var entry: JSONValue {
        let wait = JSONValue(milliseconds ?? 0) ?? 0
        var entry: JSONValue = [
            "_name": JSONValue(name),
            "startedDateTime": JSONValue((startedAt ?? Date(timeIntervalSince1970: 0)).formatted(Self.dates)),
            "time": wait,
            "request": entryRequest, "response": entryResponse, "cache": [:],
            "timings": ["send": 0, "wait": wait, "receive": 0],
        ]
        entry["comment"] = note.map { JSONValue($0) }
        entry["_call"] = call.map { JSONValue($0) }
        if case .failure(let error) = outcome {
            entry["_failure"] = [
                "kind": JSONValue(error.kind.rawValue), "detail": JSONValue(error.detail),
                "mayHaveReachedServer": JSONValue(error.mayHaveReachedServer),
            ]
        }
        return entry
    }

    private var entryRequest: JSONValue {
        var request: JSONValue = [
            "method": JSONValue(method), "url": "\(scheme ?? "http")://\(host)\(path)",
            "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": Self.pairs(requestHeaders.map { ($0.name.rawName, $0.value) }),
            "queryString": Self.pairs(query.map { ($0.name, $0.value) }), "headersSize": -1,
            "bodySize": JSONValue(requestBody?.count ?? 0),
        ]
        guard let requestBody else { return request }
        let type = contentType ?? ""
        var data: JSONValue = ["mimeType": JSONValue(type)]
        if type == FormParameters.contentType {
            data["params"] = Self.pairs(FormParameters(decoding: requestBody).map { ($0.name, $0.value) })
        } else {
            Self.put(requestBody, into: &data, encoding: "_encoding")
        }
        request["postData"] = data
        return request
    }

    /// Of no response the status is 0.
    private var entryResponse: JSONValue {
        let answer = try? outcome.get()
        let status = answer?.response.status
        let fields = answer?.response.headerFields ?? [:]
        var content: JSONValue = [
            "size": JSONValue(answer?.body.count ?? 0),
            "mimeType": JSONValue(fields[.contentType] ?? "x-unknown"),
        ]
        if let answer { Self.put(answer.body, into: &content, encoding: "encoding") }
        return [
            "status": JSONValue(status?.code ?? 0), "statusText": JSONValue(status?.reasonPhrase ?? ""),
            "httpVersion": "HTTP/1.1",
            "cookies": [], "headers": Self.pairs(fields.map { ($0.name.rawName, $0.value) }),
            "content": content,
            "redirectURL": JSONValue(fields[.location] ?? ""), "headersSize": -1,
            "bodySize": JSONValue(answer?.body.count ?? -1),
        ]
    }

    private static func pairs(_ pairs: [(String, String)]) -> JSONValue {
        JSONValue(pairs.map { ["name": JSONValue($0), "value": JSONValue($1)] })
    }

    /// A body as text, in base64 where it is none.
    private static func put(_ body: Data, into object: inout JSONValue, encoding: String) {
        let text = String(validating: body, as: UTF8.self)
        object["text"] = JSONValue(text ?? body.base64EncodedString())
        if text == nil { object[encoding] = "base64" }
    }

    // MARK: Reading

    /// The exchange of an entry, at its position in the archive.
    init(entry: RecordedJSON, seq: Int) throws {
        let request = entry.object("request")
        let response = entry.object("response")
        method = try request("method", \.string)
        self.seq = seq
        let url = try request("url", \.string)
        guard let scheme = url.utf8.firstRange(of: "://".utf8), HTTPRequest.Method(method) != nil else {
            throw request.fault("the method or url is none")
        }
        // As they stand there: an HTTPRequest would put blanks for characters that HTTP does not allow.
        self.scheme = String(url[..<scheme.lowerBound])
        let rest = url[scheme.upperBound...]
        // By bytes: a mark that follows would make another character of a slash.
        let slash = rest.utf8.firstIndex(where: "/?".utf8.contains) ?? rest.endIndex
        host = String(rest[..<slash])
        path = rest[slash...].utf8.first == UInt8(ascii: "/") ? String(rest[slash...]) : "/" + rest[slash...]
        name = try entry(ifAny: "_name", \.string) ?? "\(seq)"
        call = try entry(ifAny: "_call", \.string)
        note = try entry(ifAny: "comment", \.string)
        startedAt = try? Date(entry("startedDateTime", \.string), strategy: Self.dates)
        milliseconds = try entry("time", \.double)
        requestHeaders = try Self.fields(request)
        if try request(ifAny: "postData", \.members) != nil {
            requestBody = try Self.sentBody(request.object("postData"))
        }
        let content = response.object("content")
        let body = try content(ifAny: "text", \.string) ?? ""
        outcome =
            try entry.object("_failure").failure(
                "kind",
                detail: "detail",
                isSent: "mayHaveReachedServer",
                server: host
            )
            ?? response.answer(
                response("status", \.whole),
                response("statusText", \.string),
                Self.fields(response),
                content.body(body, isBase64: content(ifAny: "encoding", \.string) == "base64")
            )
    }

    private static func sentBody(_ data: RecordedJSON) throws -> Data {
        if let text = try data(ifAny: "text", \.string) {
            return try data.body(text, isBase64: data(ifAny: "_encoding", \.string) == "base64")
        }
        let fields = try pairs(data, "params").map { FormParameters.Element(name: $0, value: $1) }
        return Data(FormParameters(fields).encoded.utf8)
    }

    private static func fields(_ message: RecordedJSON) throws -> [HTTPField] {
        try pairs(message, "headers").filter { !$0.name.hasPrefix(":") }.map { name, value in
            guard let name = HTTPField.Name(name) else {
                throw message.fault("“\(name)” is not the name of a header", at: "headers")
            }
            return HTTPField(name: name, value: value)
        }
    }

    private static func pairs(_ json: RecordedJSON, _ name: String) throws -> [(name: String, value: String)]
    {
        try (json(ifAny: name, \.elements) ?? []).map { pair in
            let pair = RecordedJSON(json: pair, path: json.path + [name])
            return (try pair("name", \.string), try pair("value", \.string))
        }
    }
}
