import Foundation
import IndivoModel
import IndivoXML
import OAuth1
import ShownText

/// What a server says in the body of a refusal.
struct ServerMessage {
    /// The beginning of what it says, without markup, white space collapsed, and without what commands a terminal.
    private let beginning: String

    init(words: String) { beginning = String(words.shown().prefix(Self.longest)) }

    init(_ answer: HTTPAnswer) {
        let words = Self.collapsed(
            String(decoding: answer.body.prefix(Self.longestBody), as: UTF8.self)
                .replacing(#/</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?>/#, with: " ")).shown()
        guard answer.body.count > Self.longestBody || words.count > Self.longest else {
            beginning = words
            return
        }
        // Without the word that was cut in two, which could no longer be told for one that was sent.
        let cut = words.prefix(Self.longest)
        beginning = String(cut.lastIndex(of: " ").map { cut[..<$0] } ?? cut)
    }

    /// So many bytes of a refusal are read, and so many characters of its words: 500 are shown.
    private static let longestBody = 16 << 10
    private static let longest = 4 << 10

    /// The words, cut short. They may quote what was sent.
    var words: String { Self.short(beginning) }

    private static func short(_ text: String) -> String { text.count > 500 ? text.prefix(500) + "…" : text }

    static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
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

    /// The words without what was sent and what is quoted (``Redaction``): a server likes to quote what it does not take.
    func leavingOut(_ values: some Sequence<String>) -> String { Self.short(Redaction.redact(beginning, sent: values)) }
}

/// What a request carried that may be about a patient.
struct SentContent {
    /// The texts, attributes and parameters, without the names of elements, models and fields.
    private(set) var values: [String] = []
    private var root: XMLNode?

    init(query: FormParameters, body: CallClient.Body?) {
        values = query.filter { !Self.controls.contains($0.name) }.flatMap { $0.value.split(separator: "|").map(String.init) }
        switch body {
        case .form(let form): values += form.map(\.value)
        case .text(let text): values.append(text)
        case .xml(let data): read(data)
        case .data(let data, let type) where type.hasSuffix("xml"): read(data)
        case .data(let data, _): values += Self.words(of: data)
        case nil: break
        }
    }

    /// XML, or, where it is none, its words.
    private mutating func read(_ data: Data) {
        if let parsed = try? XMLNode(parsing: data) {
            let root = parsed.root ?? parsed
            self.root = root
            collect(root)
        } else {
            values += Self.words(of: data)
        }
    }

    private static func words(of data: Data) -> [String] {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Parameters of a query that shape its response, not whom or what it is about.
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
    var problems: [ValidationError.Problem] { root.map { ValidationError.Problem.found(in: $0) } ?? [] }
}
