import Foundation
import IndivoModel
import IndivoXML
import OAuth1

/// What a server says in the body of a refusal.
struct ServerMessage {
    /// The words, without markup and cut short. They may repeat what was sent.
    let words: String

    init(words: String) { self.words = words }

    init(_ answer: HTTPAnswer) {
        let plain = String(decoding: answer.body.prefix(8192), as: UTF8.self)
            .replacing(#/</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?>/#, with: " ")
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        words = plain.count > 500 ? plain.prefix(500) + "…" : plain
    }

    /// The conflict that a 400 is about; the sentences are those of Indivo X 2.0.
    var conflict: IndivoError.Conflict? {
        if words.contains("Duplicate external id") {
            words.contains("unique message_id") ? .messageIDUsed : .externalIDUsed
        } else if words.contains("already been versioned") {
            .alreadyReplaced
        } else {
            nil
        }
    }

    /// The words, with `…` for every value that was sent: a server likes to quote what it does not take.
    func leavingOut(_ values: some Sequence<String>) -> String {
        var text = words
        for value in Set(values).sorted(by: { ($0.count, $0) > ($1.count, $1) }) where !value.isEmpty {
            if value.count >= 4 {
                text = text.replacing(value, with: "…")
            } else {
                // A short value, "12" say, only where it stands alone.
                text = text.split(separator: " ", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .punctuationCharacters) == value ? $0.replacing(value, with: "…") : $0 }
                    .joined(separator: " ")
            }
        }
        return text
    }
}

/// What a request carried that may be about a patient.
struct SentContent {
    /// The texts, attributes and parameters, without the names of elements, models and fields.
    private(set) var values: [String] = []
    private let root: XMLNode?

    init(query: FormParameters, body: CallClient.Body?) {
        values = query.filter { !Self.controls.contains($0.name) }.flatMap { $0.value.split(separator: "|").map(String.init) }
        var parsed: XMLNode?
        switch body {
        case .form(let form): values += form.map(\.value)
        case .text(let text): values.append(text)
        case .xml(let data):
            parsed = try? XMLNode(parsing: data)
            if parsed == nil { values += Self.words(of: data) }
        case .data(let data, _): values += Self.words(of: data)
        case nil: break
        }
        root = parsed.map { $0.root ?? $0 }
        if let root { collect(root) }
    }

    private static func words(of data: Data) -> [String] {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Parameters of a query that say how it is answered, not whom or what it is about.
    private static let controls: Set = [
        "limit", "offset", "order_by", "status", "type", "response_format", "group_by", "date_group", "aggregate_by",
        "date_range",
    ]

    private mutating func collect(_ node: XMLNode) {
        for (name, value) in node.attributes.map({ ($0.name, $0.value) }) where name != "name" { values.append(value) }
        for child in node.contents() {
            if child.kind == .element {
                collect(child)
            } else {
                values.append(child.text().trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    /// What this library itself finds wrong with the documents that were sent, as far as their classes are known.
    var problems: [ValidationProblem] {
        guard let root, root.name == "Models", let file = try? SDMXDocument(root) else { return [] }
        return file.models.flatMap { (try? $0.problems()) ?? [] }
    }
}
