import Foundation
import HTTPTypes
import Indivo
import IndivoModel
import IndivoTesting

/// Exchanges with a real server, from the folder that `INDIVO_RECORDINGS` names or the one beside the package.
enum ServerRecording {
    /// One exchange: a line of `exchanges.jsonl`.
    struct Exchange: Decodable, Sendable, CustomStringConvertible {
        let name: String
        let seq: Int
        let method: String
        let path: String
        let requestHeaders: [[String]]
        let requestBody: Data?
        let isBodyOmitted: Bool
        let status: Int
        let responseHeaders: [[String]]
        let responseBody: Data

        var description: String { "\(name) (\(method) \(path), \(status))" }

        private enum Key: String, CodingKey {
            case name, seq, method, path, status
            case requestHeaders = "request_headers", requestBody = "request_body", requestBase64 = "request_body_b64"
            case omitted = "request_body_omitted", responseHeaders = "response_headers"
            case responseBody = "response_body", responseBase64 = "response_body_b64"
        }

        private struct Omitted: Decodable {}

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: Key.self)
            name = try keys.decode(String.self, forKey: .name)
            seq = try keys.decode(Int.self, forKey: .seq)
            method = try keys.decode(String.self, forKey: .method)
            path = try keys.decode(String.self, forKey: .path)
            status = try keys.decode(Int.self, forKey: .status)
            requestHeaders = try keys.decodeIfPresent([[String]].self, forKey: .requestHeaders) ?? []
            responseHeaders = try keys.decodeIfPresent([[String]].self, forKey: .responseHeaders) ?? []
            isBodyOmitted = try keys.decodeIfPresent(Omitted.self, forKey: .omitted) != nil
            func body(_ text: Key, _ base64: Key) throws -> Data? {
                if let text = try keys.decodeIfPresent(String.self, forKey: text) { return Data(text.utf8) }
                return try keys.decodeIfPresent(Data.self, forKey: base64)
            }
            requestBody = try body(.requestBody, .requestBase64)
            responseBody = try body(.responseBody, .responseBase64) ?? Data()
        }

        init?(_ recorded: RecordedExchange) {
            guard case .answer(let answer) = recorded.outcome else { return nil }
            name = recorded.name
            seq = recorded.seq
            method = recorded.method
            path = recorded.path
            requestHeaders = recorded.requestHeaders.map { [$0.name.rawName, $0.value] }
            requestBody = recorded.requestBody
            isBodyOmitted = false
            status = answer.response.status.code
            responseHeaders = answer.response.headerFields.map { [$0.name.rawName, $0.value] }
            responseBody = answer.body
        }

        /// The call it made, and the values of the path's variables, unescaped.
        var call: (call: IndivoCall, variables: [String: String])? {
            guard let method = HTTPRequest.Method(rawValue: method), let call = IndivoCall.matching(method, path),
                let variables = call.variables(in: path.prefix { $0 != "?" })
            else { return nil }
            return (call, variables.mapValues { $0.removingPercentEncoding ?? $0 })
        }

        /// The query's parameters.
        var query: FormParameters {
            guard let start = path.firstIndex(of: "?") else { return [:] }
            return FormParameters(decoding: String(path[path.index(after: start)...]))
        }

        var form: FormParameters { FormParameters(decoding: requestBody ?? Data()) }

        func requestHeader(_ name: String) -> String? { Self.header(name, requestHeaders) }
        var contentType: String { Self.header("content-type", responseHeaders) ?? "" }

        private static func header(_ name: String, _ headers: [[String]]) -> String? {
            headers.first { $0.count == 2 && $0[0].lowercased() == name }?[1]
        }

        /// What was sent.
        var content: FileContent { FileContent(requestBody ?? Data(), contentType: requestHeader("content-type") ?? "") }
    }

    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] { return URL(filePath: path) }
        return URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/recordings").standardized
    }()

    /// Whether there is something to replay. A folder that is named has to be there.
    static let isThere =
        ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] != nil
        || FileManager.default.fileExists(atPath: folder.appending(path: "exchanges.jsonl").path)

    /// The digest of the exchanges, which tells one recording from another.
    static func digest() throws -> String {
        DocumentDigest.text(try Data(contentsOf: folder.appending(path: "exchanges.jsonl")))
    }

    /// Exchanges with a sandbox, recorded by `INDIVO_RECORD_SANDBOX=1 swift test --filter OwnRecordingTests`.
    static func ownExchanges() throws -> [Exchange] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/sandbox.har")
        return try Recording(contentsOf: file.standardized).exchanges.compactMap { Exchange($0) }
    }

    static func exchanges() throws -> [Exchange] {
        let content = try Data(contentsOf: folder.appending(path: "exchanges.jsonl"))
        return try content.split(separator: UInt8(ascii: "\n")).filter { !$0.isEmpty }
            .map { try JSONDecoder().decode(Exchange.self, from: $0) }
            .sorted { $0.seq < $1.seq }
    }
}
