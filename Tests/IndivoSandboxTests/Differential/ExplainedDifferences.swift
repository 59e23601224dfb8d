import Foundation

/// Where the sandbox answers otherwise, and why that is no fault.
struct ExplainedDifferences {
    /// The sequence numbers that are there: a part of the recording is kept apart, and what it changed is not known.
    private let sequence: Set<Int>

    init(_ recording: Recording) {
        sequence = Set(recording.exchanges.map(\.sequence))
    }

    /// Calls that tell what earlier calls have changed, and so tell of those that are kept apart too.
    private static let tellingOfEarlierCalls: Set = [
        "account_inbox", "account_inbox_message", "account_inbox_message_attachment_accept", "account_notifications",
        "audit_document_view", "audit_function_view", "audit_query", "audit_record_view", "carenet_document_list",
        "carenet_document_meta", "carenet_equipment_list", "document_carenets", "document_status_history",
        "document_versions", "get_documents_by_rel", "record_document_list", "record_document_meta",
        "record_app_document_list", "app_document_list", "record_message_attach", "error",
    ]

    /// The reason why an answer differs; nil when there is none.
    func reason(_ exchange: RecordedExchange, _ answer: RawHTTP.Answer) -> String? {
        if exchange.status == 500, answer.status == 400 {
            return "the real server fails by accident; the sandbox says what is wrong"
        }
        if ExplainedDifferences.tellingOfEarlierCalls.contains(exchange.call), hasGap(before: exchange) {
            return "it tells of requests that are not in this part of the recording"
        }
        return nil
    }

    private func hasGap(before exchange: RecordedExchange) -> Bool {
        (0..<exchange.sequence).contains { !sequence.contains($0) }
    }
}
