import Foundation
import TestSupport

/// The bodies of requests and answers that were recorded with a real server.
struct RecordedBody: CustomStringConvertible {
    /// The exchange's name, and which side of it.
    let description: String
    let data: Data
    /// Whether the server wrote it, and not somebody who perhaps tried what it does with mistakes.
    let isAnswer: Bool
    /// The server's name for the call.
    let call: String

    /// The bodies of requests, forms left out, and of answers that are no refusals.
    static func all() throws -> [RecordedBody] {
        try ServerRecordings.exchanges().flatMap { exchange -> [RecordedBody] in
            let isForm = exchange.requestHeader("Content-Type")?.contains("form") ?? false
            let bodies = [
                (isForm ? nil : exchange.requestBody, "request", false),
                (exchange.status < 300 ? exchange.responseBody : nil, "answer", true),
            ]
            return bodies.compactMap { data, side, isAnswer in
                guard let data, !data.isEmpty else { return nil }
                return RecordedBody(
                    description: "\(side) of \(exchange.name)",
                    data: data,
                    isAnswer: isAnswer,
                    call: exchange.call
                )
            }
        }
    }
}
