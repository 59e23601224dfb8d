import Foundation
import IndivoXML

/// Where the sandbox answers otherwise, and why that is no fault. The reasons are rules: they hold for exchanges that
/// are kept apart, too.
struct ExplainedDifferences {
    private let recording: Recording
    /// The sequence numbers that are there: a part of the recording is kept apart, and what it changed is not known.
    private let sequence: Set<Int>
    /// The elements with their attributes that recorded answers have, by the answers' root.
    private let known: [String: Set<String>]

    init(_ recording: Recording) {
        self.recording = recording
        sequence = Set(recording.exchanges.map(\.sequence))
        known = recording.exchanges.filter { $0.status == 200 }.reduce(into: [:]) { known, exchange in
            let shapes = ExplainedDifferences.shapes(exchange.responseText)
            if let root = shapes.first { known[root, default: []].formUnion(shapes) }
        }
    }

    /// Calls that tell what earlier calls have changed, and so tell of those that are kept apart too.
    private static let tellingOfEarlierCalls: Set = [
        "account_inbox", "account_notifications", "audit_document_view", "audit_function_view", "audit_query",
        "audit_record_view", "carenet_document_list", "carenet_document_meta", "carenet_equipment_list",
        "document_carenets", "document_status_history", "document_versions", "get_documents_by_rel",
        "record_document_list", "record_document_meta", "record_app_document_list", "app_document_list",
    ]

    /// Calls that do nothing, or fail, when a message was not sent before.
    private static let needingAMessage: Set = [
        "record_message_attach", "account_inbox_message", "account_inbox_message_attachment_accept",
    ]

    /// The reason why an answer differs; nil when there is none.
    func reason(_ exchange: RecordedExchange, _ answer: RawHTTP.Answer) -> String? {
        if exchange.status == 500, answer.status == 400 {
            return "the real server fails by accident; the sandbox says what is wrong"
        }
        if exchange.requestBody == nil, exchange.status == answer.status {
            return "the recording leaves the body of the request out, and so its digest is not known"
        }
        if exchange.call.hasPrefix("audit_"), isSameButForTies(exchange, answer) {
            return "the real server's audit orders the entries of one second by chance, and writes the status of a "
                + "refused request into the entry before"
        }
        guard hasGap(before: exchange) else { return nil }
        let isTelling =
            ExplainedDifferences.tellingOfEarlierCalls.contains(exchange.call)
            || exchange.call == "error" && exchange.path.contains("/documents/?")
        if isTelling, exchange.status == 200, answer.status == 200, hasKnownShape(exchange, answer) {
            return "it tells of requests that are not in this part of the recording"
        }
        if ExplainedDifferences.needingAMessage.contains(exchange.call) {
            return "it needs a message that was sent by a request that is not in this part of the recording"
        }
        return nil
    }

    private func hasGap(before exchange: RecordedExchange) -> Bool {
        (0..<exchange.sequence).contains { !sequence.contains($0) }
    }

    /// Whether an answer has the root of the recorded one, with the same attributes, and in it nothing but elements and
    /// attributes that recorded answers with that root have: then only the number of things and their values differ.
    private func hasKnownShape(_ exchange: RecordedExchange, _ answer: RawHTTP.Answer) -> Bool {
        let mine = ExplainedDifferences.shapes(answer.text)
        guard let root = mine.first, root == ExplainedDifferences.shapes(exchange.responseText).first else {
            return false
        }
        return known[root, default: []].isSuperset(of: mine)
    }

    /// The elements of a document, each with its path and the names of its attributes; the root comes first.
    private static func shapes(_ text: String) -> [String] {
        func shapes(_ node: XMLNode, in path: String) -> [String] {
            let path = "\(path)/{\(node.namespace ?? "")}\(node.name)"
            let attributes = node.attributes.map(\.qualifiedName).sorted().joined(separator: " ")
            return ["\(path) \(attributes)"] + node.children().flatMap { shapes($0, in: path) }
        }
        let root = try? XMLNode(parsing: text.trimmingCharacters(in: .whitespacesAndNewlines))
        return root.map { shapes($0, in: "") } ?? []
    }

    /// Whether two audit reports count the same and list as many entries, all of them of requests that were made.
    private func isSameButForTies(_ exchange: RecordedExchange, _ answer: RawHTTP.Answer) -> Bool {
        guard let theirs = try? XMLNode(parsing: exchange.responseText), let mine = try? XMLNode(parsing: answer.text),
            theirs.child(named: "Summary")?.attributes.map(\.value) == mine.child(named: "Summary")?.attributes.map(\.value)
        else { return false }
        guard let left = try? entries(theirs), let right = try? entries(mine), !left.isEmpty,
            left.count == right.count else { return false }
        let made = Set(recording.exchanges.map { entry($0.method, $0.path) })
        return made.isSuperset(of: right) && (left == right || made.isSuperset(of: left))
    }

    private func entries(_ reports: XMLNode) throws -> [String] {
        try reports.find("AuditEntry > RequestInfo").map { entry($0.attr("req_method") ?? "", $0.attr("req_url") ?? "") }
    }

    private func entry(_ method: String, _ target: String) -> String {
        let path = target.split(separator: "?").first.map(String.init) ?? ""
        return method + " " + (path.removingPercentEncoding ?? path)
    }
}
