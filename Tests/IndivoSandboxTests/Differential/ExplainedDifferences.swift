import Foundation

/// Where the sandbox answers otherwise on purpose.
enum ExplainedDifferences {
    /// The reason why an answer differs; nil when there is none.
    static func reason(_ exchange: RecordedExchange, _ answer: RawHTTP.Answer) -> String? {
        if exchange.status == 500, answer.status == 400 {
            return "the real server fails by accident; the sandbox says what is wrong"
        }
        return nil
    }
}
