import Foundation
import HTTPTypes
import Indivo
import IndivoTesting
import TestSupport

extension ServerExchange {
    /// An exchange that this library recorded; `nil` for one without a response.
    init?(_ recorded: RecordedExchange) {
        guard case .answer(let answer) = recorded.outcome else { return nil }
        self.init(
            name: recorded.name,
            seq: recorded.seq,
            method: recorded.method,
            path: recorded.path,
            requestHeaders: recorded.requestHeaders.map { ($0.name.rawName, $0.value) },
            requestBody: recorded.requestBody,
            status: answer.response.status.code,
            responseHeaders: answer.response.headerFields.map { ($0.name.rawName, $0.value) },
            responseBody: answer.body
        )
    }

    /// Exchanges with a sandbox, recorded by `INDIVO_RECORD_SANDBOX=1 swift test --filter OwnRecordingTests`.
    static func own() throws -> [ServerExchange] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../Fixtures/sandbox.har"
        )
        return try Recording(contentsOf: file.standardized).exchanges.compactMap { ServerExchange($0) }
    }

    /// The call it made, and the values of the path's variables, unescaped.
    var indivoCall: (call: IndivoCall, variables: [String: String])? {
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
    var contentType: String { responseHeader("content-type") ?? "" }

    /// What was sent.
    var content: FileContent {
        FileContent(requestBody ?? Data(), contentType: requestHeader("content-type") ?? "")
    }
}
