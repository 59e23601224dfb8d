import Foundation
import HTTPTypes
import Indivo
import OAuth1

extension HAR.Entry {
    init(_ exchange: RecordedExchange) {
        startedDateTime = (exchange.startedAt ?? Date(timeIntervalSince1970: 0))
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        time = exchange.milliseconds ?? 0
        timings = HAR.Timings(wait: exchange.milliseconds ?? 0)
        request = HAR.Request(exchange)
        response = HAR.Response(exchange.outcome)
        comment = exchange.note
        _name = exchange.name
        _call = exchange.call
        if case .failure(let error) = exchange.outcome {
            _failure = HAR.Failure(
                kind: error.kind.rawValue, detail: error.detail, mayHaveReachedServer: error.mayHaveReachedServer)
        }
    }

    /// The exchange, at its position in the archive.
    func exchange(seq: Int) throws(HARContentError) -> RecordedExchange {
        guard let scheme = request.url.utf8.firstRange(of: "://".utf8), let method = HTTPRequest.Method(request.method) else {
            throw HARContentError("its request's method or url is none")
        }
        let rest = request.url[scheme.upperBound...]
        // By bytes: a mark that follows would make another character of a slash.
        let slash = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil)
        head.headerFields = try Self.fields(request.headers)
        var exchange = RecordedExchange(
            name: _name ?? "\(seq)", seq: seq, request: head, requestBody: try request.postData?.body,
            outcome: try outcome(server: String(rest[..<slash])), call: _call, note: comment)
        // As they stand there: an HTTPRequest would put blanks for characters that HTTP does not allow.
        exchange.scheme = String(request.url[..<scheme.lowerBound])
        exchange.host = String(rest[..<slash])
        exchange.path = rest[slash...].utf8.first == UInt8(ascii: "/") ? String(rest[slash...]) : "/" + rest[slash...]
        exchange.startedAt = try? Date(startedDateTime, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        exchange.milliseconds = time
        return exchange
    }

    private func outcome(server: String) throws(HARContentError) -> RecordedExchange.Outcome {
        if let failure = _failure {
            guard let kind = HTTPTransportError.Kind(rawValue: failure.kind) else {
                throw HARContentError("“\(failure.kind)” is no kind of failure")
            }
            return .failure(
                HTTPTransportError(
                    kind: kind, server: server, mayHaveReachedServer: failure.mayHaveReachedServer,
                    detail: failure.detail))
        }
        guard (100...999).contains(response.status) else { throw HARContentError("\(response.status) is no status of HTTP") }
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.status, reasonPhrase: response.statusText))
        head.headerFields = try Self.fields(response.headers)
        return .answer(HTTPAnswer(response: head, body: try response.content.body))
    }

    private static func fields(_ pairs: [HAR.Pair]) throws(HARContentError) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs where !pair.name.hasPrefix(":") {
            guard let name = HTTPField.Name(pair.name) else { throw HARContentError("“\(pair.name)” is no header's name") }
            fields.append(HTTPField(name: name, value: pair.value))
        }
        return fields
    }
}

/// What is wrong with an entry of an archive.
struct HARContentError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension HAR.Request {
    init(_ exchange: RecordedExchange) {
        method = exchange.method
        url = "\(exchange.scheme ?? "http")://\(exchange.host)\(exchange.path)"
        headers = exchange.requestHeaders.map { HAR.Pair(name: $0.name.rawName, value: $0.value) }
        queryString = exchange.query.map { HAR.Pair(name: $0.name, value: $0.value) }
        bodySize = exchange.requestBody?.count ?? 0
        postData = exchange.requestBody.map { HAR.PostData($0, type: exchange.requestHeader("Content-Type") ?? "") }
    }
}

extension HAR.PostData {
    init(_ body: Data, type: String) {
        mimeType = type
        if type == FormParameters.contentType {
            params = FormParameters(decoding: body).map { HAR.Pair(name: $0.name, value: $0.value) }
        } else {
            (text, _encoding) = HAR.written(body)
        }
    }

    var body: Data {
        get throws(HARContentError) {
            if let text { return try HAR.read(text, _encoding, "request") }
            let fields = (params ?? []).map { FormParameters.Element(name: $0.name, value: $0.value) }
            return Data(FormParameters(fields).encoded.utf8)
        }
    }
}

extension HAR {
    /// A body as text, in base64 where it is none.
    fileprivate static func written(_ body: Data) -> (text: String, encoding: String?) {
        String(validating: body, as: UTF8.self).map { ($0, nil) } ?? (body.base64EncodedString(), "base64")
    }

    fileprivate static func read(_ text: String, _ encoding: String?, _ message: String) throws(HARContentError) -> Data {
        guard encoding == "base64" else { return Data(text.utf8) }
        guard let body = Data(base64Encoded: text) else { throw HARContentError("its \(message)'s body is not base64") }
        return body
    }
}

extension HAR.Response {
    init(_ outcome: RecordedExchange.Outcome) {
        guard case .answer(let answer) = outcome else {
            status = 0
            statusText = ""
            headers = []
            content = HAR.Content(size: 0, mimeType: "x-unknown")
            redirectURL = ""
            bodySize = -1
            return
        }
        status = answer.response.status.code
        statusText = answer.response.status.reasonPhrase
        headers = answer.response.headerFields.map { HAR.Pair(name: $0.name.rawName, value: $0.value) }
        redirectURL = answer.response.headerFields[.location] ?? ""
        bodySize = answer.body.count
        content = HAR.Content(size: answer.body.count, mimeType: answer.response.headerFields[.contentType] ?? "x-unknown")
        (content.text, content.encoding) = HAR.written(answer.body)
    }
}

extension HAR.Content {
    var body: Data { get throws(HARContentError) { try HAR.read(text ?? "", text == nil ? nil : encoding, "answer") } }
}
