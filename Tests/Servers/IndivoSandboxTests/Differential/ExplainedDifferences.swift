import Foundation
import IndivoXML
import TestSupport

/// Where the sandbox answers otherwise, and why that is no fault. The reasons are rules: they hold for
/// exchanges that are kept apart, too.
struct ExplainedDifferences {
    private let recording: Recording
    /// The sequence numbers that are there: a part of the recording is kept apart, and what it changed is not
    /// known.
    private let sequence: Set<Int>
    /// The elements with their attributes that recorded answers have, by the answers' root.
    private let known: [String: Set<String>]
    /// The documents that some answer describes, and of these the ones whose content is known.
    private let described: Set<String>
    private let readable: Set<String>

    init(_ recording: Recording) {
        self.recording = recording
        let documents = RecordedDocument.all(in: recording)
        described = Set(documents.map(\.id))
        readable = Set(documents.filter(\.isMadeByExchange).map(\.id)).union(
            SeedFacts.known(in: recording).keys
        )
        sequence = Set(recording.exchanges.map(\.seq))
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

    /// Why an answer differs.
    enum Difference: Equatable {
        /// It is meant to.
        case explained(String)
        /// It depends on what the recording does not hold: it cannot be compared.
        case notReplayable(String)
    }

    /// Why an answer differs; nil when there is no reason.
    func difference(_ exchange: ServerExchange, _ answer: RawHTTP.Answer) -> Difference? {
        if exchange.omittedBody != nil {
            return .notReplayable("the recording leaves the body of the request out")
        }
        if exchange.call.hasPrefix("audit_"), isSameButForTies(exchange, answer) {
            return .explained(
                "the real server's audit orders the entries of one second by chance, and writes the status"
                    + " of a refused request into the entry before"
            )
        }
        if exchange.status == 400, answer.status == 400, let model = Self.invalidModel(exchange.responseText),
            model == Self.invalidModel(answer.text)
        {
            return .explained("of several fields that are not valid the real server names one by chance")
        }
        if exchange.call == "carenet_document_meta", exchange.status == 200, answer.status == 404 {
            return .explained(
                "the real server tells the metadata of any document through a carenet, this one of shared ones"
            )
        }
        if exchange.call == "document_carenets", exchange.status == 200, answer.status == 200,
            Self.carenets(exchange.responseText) == Self.carenets(answer.text)
        {
            return .explained("the real server repeats a carenet for each document that is shared in it")
        }
        guard hasGap(before: exchange) else { return nil }
        let isTelling =
            ExplainedDifferences.tellingOfEarlierCalls.contains(exchange.call)
            || exchange.call == "error" && exchange.path.contains("/documents/?")
        if isTelling, exchange.status == 200, answer.status == 200, hasKnownShape(exchange, answer) {
            return .notReplayable("it tells of requests that are not in this part of the recording")
        }
        let listed = documents(exchange.responseText)
        if exchange.status == 200, answer.status == 200, listed != documents(answer.text) {
            return .notReplayable("it lists documents of requests that are not in this part of the recording")
        }
        if exchange.call.hasSuffix("generic_list"), !listed.isSubset(of: readable) {
            return .notReplayable("it tells what documents hold that are known only by their list")
        }
        if ExplainedDifferences.needingAMessage.contains(exchange.call) {
            return .notReplayable("it needs a message that is known only by its list")
        }
        if let why = missingCause(of: exchange) { return .notReplayable(why) }
        return nil
    }

    /// The names of the carenets that a response lists.
    private static func carenets(_ text: String) -> Set<Substring> {
        Set(text.matches(of: /<Carenet id="[^"]*" name="([^"]*)"/).map(\.output.1))
    }

    /// What stands before the field that a refused fact names.
    private static func invalidModel(_ text: String) -> Substring? {
        text.range(of: " object didn't validate: ").map { text[..<$0.lowerBound] }
    }

    /// The documents that an answer names.
    private func documents(_ text: String) -> Set<String> {
        let names = [
            /<Document id="([0-9a-f-]{36})"/, /documentId="([0-9a-f-]{36})"/,
            /"__documentid__": "([0-9a-f-]{36})"/,
        ]
        return Set(names.flatMap { text.matches(of: $0).map { String($0.output.1) } })
    }

    /// What an earlier request must have done for the recorded answer, where none in this part of the
    /// recording did.
    private func missingCause(of exchange: ServerExchange) -> String? {
        let earlier = recording.exchanges.filter {
            $0.seq < exchange.seq && $0.status == 200 && $0.method != "GET"
        }
        let path = exchange.path.prefix { $0 != "?" }.removingPercentEncoding ?? exchange.path
        func wasMade(_ condition: (ServerExchange, String) -> Bool) -> Bool {
            earlier.contains { condition($0, $0.path.removingPercentEncoding ?? $0.path) }
        }
        let text = exchange.responseText
        if text.contains("already been versioned"), let document = Self.id(in: path),
            !wasMade({ other, _ in other.call.hasPrefix("document_version") && other.path.contains(document) }
            )
        {
            return "the version was replaced by a request that is not in this part of the recording"
        }
        if let document = Self.id(in: path), exchange.status != 404, !described.contains(document) {
            return "its document was made by a request that is not in this part of the recording"
        }
        if let token = path.firstMatch(of: /\/request_tokens\/([A-Za-z0-9]+)\//)?.output.1,
            !wasMade({ other, _ in other.responseText.contains("oauth_token=\(token)") })
        {
            return "its token was issued by a request that is not in this part of the recording"
        }
        if exchange.call.contains("pha") || text.contains("type=\"PHA\""),
            !recording.exchanges.contains(where: { $0.call == "all_phas" && $0.status == 200 })
        {
            return "the apps' manifests are not in this part of the recording"
        }
        if exchange.call == "get_user_preferences",
            !wasMade({ other, _ in other.call == "set_user_preferences" })
        {
            return "the preferences were set by a request that is not in this part of the recording"
        }
        if exchange.call.hasSuffix("_instance"), exchange.status == 200,
            !recording.exchanges.contains(where: {
                $0.call == "generic_list" && $0.responseText.hasPrefix("[") && isAboutFact(of: exchange, $0)
            })
        {
            return "what the fact says is not in this part of the recording"
        }
        // An external id or a message id, which an earlier request must have used.
        let isOfName = path.contains("/external/") || path.contains("/inbox/")
        let name =
            path.replacing("/meta", with: "").replacing("/label", with: "").split(separator: "/").last ?? ""
        let needsName =
            text.contains("Duplicate external id") || exchange.method == "GET" && exchange.status == 200
            || exchange.call.contains("label") && exchange.status == 200
            || exchange.call == "document_version_by_ext_id" && exchange.status == 404
        if isOfName, needsName, !wasMade({ $1.hasSuffix("/" + name) }) {
            return "its id was used by a request that is not in this part of the recording"
        }
        let demographics = earlier.filter { $0.call == "set_demographics" }.compactMap {
            $0.responseText.firstMatch(of: /<Document id="([0-9a-f-]{36})"/).map { String($0.output.1) }
        }
        if exchange.call == "read_demographics_carenet",
            !wasMade({ other, _ in
                other.call == "carenet_document_placement"
                    && demographics.contains { other.path.contains($0) }
            })
        {
            return "the demographics were shared by a request that is not in this part of the recording"
        }
        if path.hasPrefix("/carenets/"), let document = Self.shared(exchange),
            !wasMade({ other, _ in other.call == "carenet_document_placement" && other.path.contains(document)
            })
        {
            return "it was shared by a request that is not in this part of the recording"
        }
        return nil
    }

    /// Whether a report tells of the fact that a graph is about, by its codes.
    private func isAboutFact(of exchange: ServerExchange, _ report: ServerExchange) -> Bool {
        let codes = exchange.responseText.matches(of: /<dcterms:identifier>([^<]+)</).map {
            String($0.output.1)
        }
        return !codes.isEmpty && codes.allSatisfy { report.responseText.contains("\"\($0)\"") }
    }

    /// The first document that a path names.
    private static func id(in path: String) -> String? {
        path.firstMatch(of: /\/documents\/([0-9a-f-]{36})/).map { String($0.output.1) }
    }

    /// The document that has to be shared for an answer through a carenet.
    private static func shared(_ exchange: ServerExchange) -> String? {
        id(in: exchange.path)
            ?? exchange.responseText.firstMatch(of: /documentId="([0-9a-f-]{36})"/).map {
                String($0.output.1)
            }
    }

    private func hasGap(before exchange: ServerExchange) -> Bool {
        (0..<exchange.seq).contains { !sequence.contains($0) }
    }

    /// Whether an answer has the root of the recorded one, with the same attributes, and in it nothing but
    /// elements and attributes that recorded answers with that root have: then only the number of things and
    /// their values differ.
    private func hasKnownShape(_ exchange: ServerExchange, _ answer: RawHTTP.Answer) -> Bool {
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

    /// Whether two audit reports count the same and list as many entries, all of them of requests that were
    /// made.
    private func isSameButForTies(_ exchange: ServerExchange, _ answer: RawHTTP.Answer) -> Bool {
        guard let theirs = try? XMLNode(parsing: exchange.responseText),
            let mine = try? XMLNode(parsing: answer.text),
            theirs.child(named: "Summary")?.attributes.map(\.value)
                == mine.child(named: "Summary")?.attributes.map(\.value)
        else { return false }
        guard let left = try? entries(theirs), let right = try? entries(mine), !left.isEmpty,
            left.count == right.count
        else { return false }
        let made = Set(recording.exchanges.map { entry($0.method, $0.path) })
        return made.isSuperset(of: right) && (left == right || made.isSuperset(of: left))
    }

    private func entries(_ reports: XMLNode) throws -> [String] {
        reports.find("AuditEntry > RequestInfo").map {
            entry($0.attr("req_method") ?? "", $0.attr("req_url") ?? "")
        }
    }

    private func entry(_ method: String, _ target: String) -> String {
        let path = target.split(separator: "?").first.map(String.init) ?? ""
        return method + " " + (path.removingPercentEncoding ?? path)
    }
}
