import Foundation

/// The bodies of requests and answers that were recorded with a real server.
struct RecordedBody: CustomStringConvertible {
    /// The exchange's name, and which side of it.
    let description: String
    let data: Data
    /// Whether the server wrote it, and not somebody who perhaps tried what it does with mistakes.
    let isAnswer: Bool
    /// The server's name for the call.
    let call: String

    private static let named = ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"]

    static let folder =
        named.map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/recordings").standardized

    /// A folder that was named must be there: a test that would skip it fails instead.
    static var areWanted: Bool { named != nil || FileManager.default.fileExists(atPath: folder.path) }

    /// The bodies of requests, forms left out, and of answers that are no refusals.
    static func all() throws -> [RecordedBody] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try Data(contentsOf: folder.appending(path: "exchanges.jsonl")).split(separator: UInt8(ascii: "\n"))
            .map { try decoder.decode(Exchange.self, from: $0) }
            .flatMap { exchange -> [RecordedBody] in
                let request = exchange.isForm ? nil : exchange.requestBody.map { Data($0.utf8) } ?? exchange.requestBodyB64
                let answer =
                    exchange.status < 300 ? exchange.responseBody.map { Data($0.utf8) } ?? exchange.responseBodyB64 : nil
                let bodies = [(request, "request", false), (answer, "answer", true)]
                return bodies.compactMap { data, side, isAnswer in
                    guard let data, !data.isEmpty else { return nil }
                    return RecordedBody(
                        description: "\(side) of \(exchange.name)", data: data, isAnswer: isAnswer, call: exchange.call)
                }
            }
    }

    private struct Exchange: Decodable {
        var name: String
        var call: String
        var requestHeaders: [[String]]
        var requestBody: String?
        var requestBodyB64: Data?
        var status: Int
        var responseBody: String?
        var responseBodyB64: Data?

        var isForm: Bool {
            requestHeaders.contains { $0[0].lowercased() == "content-type" && $0[1].contains("form") }
        }
    }
}
