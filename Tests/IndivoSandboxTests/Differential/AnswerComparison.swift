import Foundation
import IndivoXML
import RecordedTraffic

/// Compares an answer of the sandbox with the recorded one: status, content type, body.
///
/// What must differ is taken out on both sides: times of the day of the recording, and ids that nobody could foresee,
/// which must correspond one to one.
struct AnswerComparison {
    private var ids: [String: String] = [:]

    /// What differs; nil when the answers agree.
    mutating func difference(_ exchange: ServerExchange, _ answer: RawHTTP.Answer, base: String) -> String? {
        guard answer.status == exchange.status else {
            return "status \(answer.status), recorded \(exchange.status): \(answer.text.prefix(160))"
        }
        let recordedType = exchange.responseHeader("Content-Type") ?? ""
        let type = answer.header("Content-Type") ?? ""
        guard type == recordedType else { return "type \(type), recorded \(recordedType)" }
        let allowed = Set(
            (answer.header("Allow") ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        let recordedAllowed = Set(
            (exchange.responseHeader("Allow") ?? "").split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            })
        guard allowed == recordedAllowed else { return "Allow \(allowed), recorded \(recordedAllowed)" }
        if exchange.method == "HEAD" { return nil }
        let mine = answer.text.replacing(base, with: Replay.recordedBase)
            .replacing("http://127.0.0.1:8000/records", with: "http://indivo.org/records")
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

    private func masked(_ text: String) -> String {
        text.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "ID")
    }

    private mutating func unify(_ mine: String, _ theirs: String) -> String? {
        let pattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
        guard masked(mine) == masked(theirs) else {
            return excerpt(mine, theirs)
        }
        for (a, b) in zip(mine.matches(of: pattern), theirs.matches(of: pattern)) {
            let (a, b) = (String(a.output), String(b.output))
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
        let text = text.replacing(/20\d\d-11-2\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "NOW")
        if type == "application/json",
            let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        {
            return lines(of: value, "")
        }
        if type == "application/rdf+xml" { return RDFComparison.canonical(text) }
        if type == "application/xml",
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

    /// An element a line, its attributes in order, blank text between elements left out; the fields of a model in order
    /// of their names, for the real server writes them in any.
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
        for child in children { append(child, depth + 1, to: &lines) }
    }
}
