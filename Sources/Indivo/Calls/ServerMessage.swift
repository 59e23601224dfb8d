import Foundation
import IndivoModel
import IndivoXML
import OAuth1

/// What a server says in the body of a refusal.
struct ServerMessage {
    /// All that it says, without markup, white space collapsed.
    private let all: String
    /// Whether there is more than was read.
    private let isCut: Bool

    init(words: String) {
        all = words
        isCut = false
    }

    init(_ answer: HTTPAnswer) {
        isCut = answer.body.count > Self.longest
        all = Self.collapsed(
            String(decoding: answer.body.prefix(Self.longest), as: UTF8.self)
                .replacing(#/</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?>/#, with: " "))
    }

    private static let longest = 256 << 10
    /// So many values times so many bytes are looked through at most.
    private static let mostWork = 20_000_000

    /// The words, cut short. They may repeat what was sent.
    var words: String { Self.short(all) }

    private static func short(_ text: String) -> String { text.count > 500 ? text.prefix(500) + "…" : text }

    private static func collapsed(_ text: String) -> String {
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

    /// The words, with `…` for every value that was sent: a server likes to quote what it does not take. Nothing where
    /// there is too much to look through.
    func leavingOut(_ values: some Sequence<String>) -> String {
        guard !isCut else { return "" }
        var text = all
        let quoted = Set(values.map(Self.collapsed).flatMap { [$0, Self.asHTML($0), Self.asPython($0)] })
        guard quoted.count * all.utf8.count <= Self.mostWork else { return "" }
        for value in quoted.sorted(by: { ($0.count, $0) > ($1.count, $1) }) where !value.isEmpty {
            if value.count >= 4 {
                text = text.replacing(value, with: "…")
            } else {
                // A short value, "12" say, only where it stands alone.
                text = text.split(separator: " ", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .punctuationCharacters) == value ? $0.replacing(value, with: "…") : $0 }
                    .joined(separator: " ")
            }
        }
        return Self.short(text)
    }

    /// As a template of the server's escapes it.
    private static func asHTML(_ value: String) -> String {
        value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }

    /// As the server's language shows a text in a message: `caf\xe9`.
    private static func asPython(_ value: String) -> String {
        value.unicodeScalars.map { scalar in
            let digits = String(scalar.value, radix: 16)
            func padded(_ length: Int) -> String { String(repeating: "0", count: max(0, length - digits.count)) + digits }
            return switch scalar.value {
            case ..<0x80: String(scalar)
            case ..<0x100: "\\x" + padded(2)
            case ..<0x10000: "\\u" + padded(4)
            default: "\\U" + padded(8)
            }
        }.joined()
    }
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
