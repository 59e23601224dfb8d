import FHIR
import Foundation
import OrderedJSON

extension SurveySession {
    /// The response: nested as the questionnaire, with what is asked and answered. Hidden items with values
    /// are in it, items that are not asked or not answered are not.
    ///
    /// - Parameters:
    ///   - status: `inProgress` to be restored later.
    ///   - authored: When it was answered. By default what ``header`` says, else now.
    ///   - includesText: Whether items have the questionnaire's texts, for readers that do not have the
    ///     questionnaire.
    public func response(
        _ status: QuestionnaireResponseStatus = .completed,
        authored: FHIRDateTime? = nil,
        includesText: Bool = true
    ) -> QuestionnaireResponse {
        var response = header
        response.status = status
        if let canonical = survey.canonical, header.questionnaire == nil {
            response.questionnaire = FHIRURI(canonical)
        }
        if let authored {
            response.authored = authored
        } else if response.authored == nil {
            response.authored = context.now.flatMap { FHIRDateTime(text: $0) } ?? FHIRDateTime(Date())
        }
        let items = writtenOrder(ResponseTree.root).compactMap { responseJSON(of: $0, includesText) }
        response.tree["item"] = items.isEmpty ? nil : JSONValue(items)
        return response
    }

    private func responseJSON(of node: Int, _ includesText: Bool) -> JSONValue? {
        guard tree[node].isEnabled else { return nil }
        let item = survey.items[tree[node].item]
        var members: [JSONMember] = []
        if item.isGroup {
            let children = writtenOrder(node).compactMap { responseJSON(of: $0, includesText) }
            members.add("item", children)
        } else if item.isQuestion {
            let answers = tree[node].children.compactMap { answerJSON($0, includesText) }
            members.add("answer", answers)
        }
        if let source = tree[node].source {
            // An item without an answer in the restored response is written again.
            guard !members.isEmpty || (source.member("answer") == nil && source.member("item") == nil) else {
                return nil
            }
            return source.replacing(members, among: ["answer", "item"])
        }
        guard !members.isEmpty else { return nil }
        var start = [JSONMember(name: "linkId", value: JSONValue(item.linkId))]
        if let origin = tree[node].origin {
            start.insert(JSONMember(name: "extension", value: [origin.author]), at: 0)
        }
        if let definition = item.definition {
            start.append(JSONMember(name: "definition", value: JSONValue(definition)))
        }
        if includesText, let text = item.text {
            start.append(JSONMember(name: "text", value: JSONValue(text.plain)))
        }
        return JSONValue(members: start + members)
    }

    /// The nodes under a node, in the order of the questionnaire, or of the restored response where that
    /// differs.
    private func writtenOrder(_ node: Int) -> [Int] {
        let children = tree[node].children
        guard isReordered.contains(node) else { return children }
        let order = (tree[node].source?.elements(of: "item") ?? []).map {
            $0.member("linkId")?.string ?? ""
        }
        let positions = Dictionary(zip(order, 0...), uniquingKeysWith: min)
        var last = 0
        let keyed = children.map { child -> (Int, Int) in
            last = positions[survey.items[tree[child].item].linkId] ?? last
            return (last, child)
        }
        return keyed.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(
            \.element.1
        )
    }

    private func answerJSON(_ node: Int, _ includesText: Bool) -> JSONValue? {
        guard let value = tree[node].value else { return nil }
        let children = writtenOrder(node).compactMap { responseJSON(of: $0, includesText) }
        var members: [JSONMember] = []
        let source = tree[node].source
        if source?.valueMember == nil {
            let content = value.content
            members.append(JSONMember(name: "value" + content.suffix, value: content.tree))
        }
        members.add("item", children)
        return source?.replacing(members, among: ["item"]) ?? JSONValue(members: members)
    }
}

extension [JSONMember] {
    /// Adds a list, unless it is empty.
    mutating func add(_ name: String, _ list: [JSONValue]) {
        if !list.isEmpty { append(JSONMember(name: name, value: JSONValue(list))) }
    }
}

extension JSONValue {
    /// The object with members instead of those of some names: where one of the name was, else at the end.
    fileprivate func replacing(_ new: [JSONMember], among names: [String]) -> JSONValue {
        var left = new
        var result: [JSONMember] = []
        for member in members ?? [] {
            let name = member.name
            if let index = left.firstIndex(where: { $0.name == name }) {
                result.append(left.remove(at: index))
            } else if !names.contains(name) {
                result.append(member)
            }
        }
        return JSONValue(members: result + left)
    }
}
