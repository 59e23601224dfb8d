import Foundation
import IndivoXML
import OAuth1
import TestSupport

/// Compares an answer of the sandbox with the recorded one: status, content type, body.
///
/// What must differ is taken out on both sides: times of the day of the recording, and ids that nobody could
/// foresee, which must correspond one to one.
struct AnswerComparison {
    private let mask: ResponseMask
    private var ids: [String: String] = [:]

    init(_ recording: Recording) { mask = ResponseMask(recording) }

    /// What differs; nil when the answers agree.
    mutating func difference(_ exchange: ServerExchange, _ answer: RawHTTP.Answer, base: String) -> String? {
        guard answer.status == exchange.status else {
            return "status \(answer.status), recorded \(exchange.status): \(answer.text.prefix(160))"
        }
        let recordedType = exchange.responseHeader("Content-Type") ?? ""
        let type = answer.header("Content-Type") ?? ""
        guard type == recordedType else { return "type \(type), recorded \(recordedType)" }
        let allowed = Set(
            (answer.header("Allow") ?? "").split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        )
        let recordedAllowed = Set(
            (exchange.responseHeader("Allow") ?? "").split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        )
        guard allowed == recordedAllowed else { return "Allow \(allowed), recorded \(recordedAllowed)" }
        if exchange.method == "HEAD" { return nil }
        let mine = answer.text.replacing(base, with: mask.base)
            .replacing(mask.base + "/records", with: "http://indivo.org/records")
        let theirs = exchange.responseText
        let left = canonical(mine, type)
        let right = canonical(theirs, type)
        guard left.count == right.count else {
            return firstDifference(left, right)
        }
        for (a, b) in zip(left, right) {
            if let problem = unify(a, b) { return problem }
        }
        return nil
    }

    static let ties =
        """
        the real server has no order for rows that are equal in what it orders by, but that of ids made by \
        chance
        """

    /// Calls whose lists the real server does not order at all.
    private static let unordered: Set = [
        "account_permissions", "all_manifests", "all_phas", "app_record_list", "autoshare_list",
        "autoshare_list_bytype_all", "carenet_document_list", "document_carenets", "get_documents_by_rel",
        "record_list", "record_phas", "record_shares", "report_ccr",
    ]

    /// Whether two lists hold the same, in another order, where the order asked for leaves it open; of a
    /// page, whether the values that it is ordered by are the same.
    func isSameButForTies(_ exchange: ServerExchange, _ answer: RawHTTP.Answer, base: String) -> Bool {
        guard exchange.status == 200, answer.status == 200 else { return false }
        let type = exchange.responseHeader("Content-Type") ?? ""
        let query = FormParameters(decoding: String(exchange.path.drop { $0 != "?" }.dropFirst()))
        let field = query["order_by"].map { String($0.drop { $0 == "-" }) }
        let isGrouped = query["group_by"] != nil || query["date_group"] != nil
        let isUnordered = Self.unordered.contains(exchange.call)
        guard isUnordered || field.map({ $0 != "created_at" }) ?? isGrouped else { return false }
        let text = answer.text.replacing(base, with: mask.base)
            .replacing(mask.base + "/records", with: "http://indivo.org/records")
        let left = canonical(text, type).map(withoutIndex)
        let right = canonical(exchange.responseText, type).map(withoutIndex)
        if left.sorted() == right.sorted() { return true }
        let isPage = query["limit"] != nil || query["offset"] != nil || left.count >= 100
        guard isPage, left.first == right.first else { return false }
        func keys(_ lines: [String]) -> [String] { lines.compactMap { key($0, of: field ?? "") } }
        guard isUnordered || keys(right).isEmpty else { return keys(left) == keys(right) }
        // Which of them a page has is left open, too, or the list does not show what it is ordered by.
        func count(_ lines: [String]) -> Int { lines.count { $0.hasPrefix(" {}Document ") } }
        return count(left) == count(right)
    }

    /// A line without its place in a list, and without ids.
    private func withoutIndex(_ line: String) -> String { masked(line.replacing(/^\[\d+\]/, with: "[]")) }

    /// What a line says of a field; nil where it is about another.
    private func key(_ line: String, of field: String) -> String? {
        for start in ["\(field)=\"", "name=\"\(field)\" =", ".\(field) ="] {
            if let range = line.range(of: start) {
                return String(line[range.upperBound...].prefix { $0 != "\"" })
            }
        }
        return nil
    }

    private func firstDifference(_ left: [String], _ right: [String]) -> String {
        for (a, b) in zip(left, right) where masked(a) != masked(b) {
            return excerpt(a, b)
        }
        return "has \(left.count) parts, recorded \(right.count)"
    }

    /// The place from which two texts differ.
    private func excerpt(_ mine: String, _ theirs: String) -> String {
        let common = zip(masked(mine), masked(theirs)).prefix { $0 == $1 }.count
        func around(_ text: String) -> Substring { masked(text).dropFirst(max(0, common - 80)).prefix(240) }
        return "has “\(around(mine))”, recorded “\(around(theirs))”"
    }

    private func masked(_ text: String) -> String { ResponseMask.withoutIds(text).text }

    private mutating func unify(_ mine: String, _ theirs: String) -> String? {
        let left = ResponseMask.withoutIds(mine)
        let right = ResponseMask.withoutIds(theirs)
        guard left.text == right.text else { return excerpt(mine, theirs) }
        for (a, b) in zip(left.ids, right.ids) {
            if let known = ids[b] {
                guard known == a else { return "id \(a) where \(known) stands for the recorded \(b)" }
            } else {
                ids[b] = a
            }
        }
        return nil
    }

    // MARK: Canonical forms

    /// The body in lines that can be compared one by one.
    private func canonical(_ text: String, _ type: String) -> [String] {
        let text = mask.withoutTimes(text)
        if type == "application/json" {
            // Numbers that JSON does not have, as Python writes them, become texts.
            let text = text.replacing(/: (NaN|-?Infinity)/) { ": \"\($0.output.1)\"" }
            let json = Data(text.utf8)
            if let value = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) {
                return lines(of: value, "")
            }
        }
        if type == "application/rdf+xml" { return RDFComparison.canonical(text) }
        if type == "application/xml" || type == "text/xml",
            let root = try? XMLNode(parsing: text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            var lines: [String] = []
            append(root, 0, to: &lines)
            return lines
        }
        if type == "text/plain" || type.hasPrefix("application/x-www-form"), text.contains("oauth_token") {
            return text.split(separator: "&").map(String.init).sorted()
        }
        return [text.trimmingCharacters(in: .newlines)]
    }

    private func lines(of value: Any, _ path: String) -> [String] {
        switch value {
        case let object as [String: Any]:
            return object.sorted { $0.key < $1.key }.flatMap { lines(of: $0.value, path + "." + $0.key) }
        case let list as [Any]:
            return ["\(path)[\(list.count)]"]
                + list.enumerated().flatMap { lines(of: $0.element, path + "[\($0.offset)]") }
        default:
            return ["\(path) = \(value)"]
        }
    }

    /// An element a line, its attributes in order, blank text between elements left out; the fields of a
    /// model in order of their names, for the real server writes them in any.
    private func append(_ node: XMLNode, _ depth: Int, to lines: inout [String]) {
        let attributes = node.attributes.filter { !$0.qualifiedName.hasPrefix("xmlns") }
            .map { "\($0.qualifiedName)=\"\($0.value)\"" }.sorted()
        var line =
            String(repeating: " ", count: depth) + "{\(node.namespace ?? "")}\(node.name) "
            + attributes.joined(separator: " ")
        var children = Array(node.children())
        if children.isEmpty {
            // The header is signed anew each time.
            let text = node.text()
            let isBlank = text.allSatisfy(\.isWhitespace)
            line += node.name == "OAuthHeader" ? " SIGNED" : " = " + (isBlank ? "" : text)
        }
        lines.append(line)
        if node.name == "Model" { children.sort { ($0.attr("name") ?? "") < ($1.attr("name") ?? "") } }
        // Nor has it an order for the relations that it counts.
        if node.name == "relatesTo" || node.name == "isRelatedFrom" {
            children.sort { ($0.attr("type") ?? "") < ($1.attr("type") ?? "") }
        }
        for child in children { append(child, depth + 1, to: &lines) }
    }
}
