import Foundation
import HTTPTypes
import Indivo
import OAuth1

extension HAR.Entry {
    init(_ exchange: RecordedExchange) {
        let wait = exchange.milliseconds ?? 0
        self.init(
            startedDateTime: (exchange.startedAt ?? Date(timeIntervalSince1970: 0)).formatted(Self.dates), time: wait,
            request: HAR.Request(exchange), response: HAR.Response(exchange.outcome), timings: HAR.Timings(wait: wait),
            comment: exchange.note, _name: exchange.name, _call: exchange.call)
        if case .failure(let error) = exchange.outcome {
            _failure = HAR.Failure(
                kind: error.kind.rawValue, detail: error.detail, mayHaveReachedServer: error.mayHaveReachedServer)
        }
    }

    private static let dates = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The exchange, at its position in the archive.
    func exchange(seq: Int) throws -> RecordedExchange {
        guard let scheme = request.url.utf8.firstRange(of: "://".utf8), let method = HTTPRequest.Method(request.method) else {
            throw HAR.fault("its request's method or url is none")
        }
        let rest = request.url[scheme.upperBound...]
        // By bytes: a mark that follows would make another character of a slash.
        let slash = rest.utf8.firstIndex(where: "/?".utf8.contains) ?? rest.endIndex
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil)
        head.headerFields = try HAR.fields(request.headers)
        var exchange = RecordedExchange(
            name: _name ?? "\(seq)", seq: seq, request: head, requestBody: try request.postData?.body(),
            outcome: try outcome(server: String(rest[..<slash])), call: _call, note: comment)
        // As they stand there: an HTTPRequest would put blanks for characters that HTTP does not allow.
        exchange.scheme = String(request.url[..<scheme.lowerBound])
        exchange.host = String(rest[..<slash])
        exchange.path = rest[slash...].utf8.first == UInt8(ascii: "/") ? String(rest[slash...]) : "/" + rest[slash...]
        exchange.startedAt = try? Date(startedDateTime, strategy: Self.dates)
        exchange.milliseconds = time
        return exchange
    }

    private func outcome(server: String) throws -> RecordedExchange.Outcome {
        if let failure = _failure {
            guard let kind = HTTPTransportError.Kind(rawValue: failure.kind) else {
                throw HAR.fault("“\(failure.kind)” is no kind of failure")
            }
            return .failure(
                HTTPTransportError(
                    kind: kind, server: server, mayHaveReachedServer: failure.mayHaveReachedServer, detail: failure.detail))
        }
        guard (100...999).contains(response.status) else { throw HAR.fault("\(response.status) is no status of HTTP") }
        var head = HTTPResponse(status: HTTPResponse.Status(code: response.status, reasonPhrase: response.statusText))
        head.headerFields = try HAR.fields(response.headers)
        let content = response.content
        let body = try HAR.read(content.text ?? "", content.text == nil ? nil : content.encoding, "answer")
        return .answer(HTTPAnswer(response: head, body: body))
    }
}

extension HAR.Request {
    init(_ exchange: RecordedExchange) {
        self.init(
            method: exchange.method, url: "\(exchange.scheme ?? "http")://\(exchange.host)\(exchange.path)",
            headers: HAR.pairs(exchange.requestHeaders), queryString: HAR.pairs(exchange.query),
            postData: exchange.requestBody.map { HAR.PostData($0, type: exchange.requestHeader("Content-Type") ?? "") },
            bodySize: exchange.requestBody?.count ?? 0)
    }
}

extension HAR.PostData {
    init(_ body: Data, type: String) {
        mimeType = type
        if type == FormParameters.contentType {
            params = HAR.pairs(FormParameters(decoding: body))
        } else {
            (text, _encoding) = HAR.written(body)
        }
    }

    func body() throws -> Data {
        if let text { return try HAR.read(text, _encoding, "request") }
        return Data(FormParameters((params ?? []).map { .init(name: $0.name, value: $0.value) }).encoded.utf8)
    }
}

extension HAR.Response {
    init(_ outcome: RecordedExchange.Outcome) {
        self.init()
        guard case .answer(let answer) = outcome else { return }
        let fields = answer.response.headerFields
        status = answer.response.status.code
        statusText = answer.response.status.reasonPhrase
        headers = HAR.pairs(fields)
        redirectURL = fields[.location] ?? ""
        bodySize = answer.body.count
        content = HAR.Content(size: bodySize, mimeType: fields[.contentType] ?? content.mimeType)
        (content.text, content.encoding) = HAR.written(answer.body)
    }
}

extension HAR {
    /// What is wrong with an entry of an archive.
    fileprivate static func fault(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }

    fileprivate static func pairs(_ fields: some Sequence<HTTPField>) -> [Pair] {
        fields.map { Pair(name: $0.name.rawName, value: $0.value) }
    }

    fileprivate static func pairs(_ parameters: FormParameters) -> [Pair] {
        parameters.map { Pair(name: $0.name, value: $0.value) }
    }

    fileprivate static func fields(_ pairs: [Pair]) throws -> HTTPFields {
        try HTTPFields(pairs.filter { !$0.name.hasPrefix(":") }.map { pair in
            guard let name = HTTPField.Name(pair.name) else { throw fault("“\(pair.name)” is no header's name") }
            return HTTPField(name: name, value: pair.value)
        })
    }

    /// A body as text, in base64 where it is none.
    fileprivate static func written(_ body: Data) -> (text: String, encoding: String?) {
        String(validating: body, as: UTF8.self).map { ($0, nil) } ?? (body.base64EncodedString(), "base64")
    }

    fileprivate static func read(_ text: String, _ encoding: String?, _ message: String) throws -> Data {
        guard encoding == "base64" else { return Data(text.utf8) }
        guard let body = Data(base64Encoded: text) else { throw fault("its \(message)'s body is not base64") }
        return body
    }
}
