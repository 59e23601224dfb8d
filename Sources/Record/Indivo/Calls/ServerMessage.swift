import Foundation
import IndivoBase

/// The server's message in the body of a refusal.
struct ServerMessage {
    /// The message's beginning, without markup and control characters, with white space collapsed.
    private let beginning: String

    init(_ body: Data) {
        // A schema's validator puts the namespace before each name.
        let text = String(decoding: body.prefix(Self.maximumBodyLength), as: UTF8.self)
            .replacing("{http://indivo.org/vocab/xml/documents#}", with: "")
        let words = Self.collapsed(text.replacing(#/</?[a-zA-Z][a-zA-Z0-9]*(\s[^<>]*)?>/#, with: " ")).shown()
        let cut = words.prefix(Self.maximumLength)
        let isWhole = body.count <= Self.maximumBodyLength && cut.endIndex == words.endIndex
        // A word that was cut in two is dropped: it could no longer be recognised as one that was sent.
        beginning = isWhole ? words : String(cut[..<(cut.lastIndex(of: " ") ?? cut.endIndex)])
    }

    /// How many bytes of a refusal are read, and how many characters of its message are kept. 500 are shown.
    private static let maximumBodyLength = 16 << 10
    private static let maximumLength = 4 << 10

    /// The words, cut short. They may quote what was sent.
    var words: String { Self.short(beginning) }

    private static func short(_ text: String) -> String { text.count > 500 ? text.prefix(500) + "…" : text }

    static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The conflict that a 400 is about; the sentences are those of Indivo X 2.0.
    var conflict: IndivoError.Conflict? {
        if words.contains("Duplicate external id") {
            return words.contains("unique message_id") ? .messageIDUsed : .externalIDUsed
        }
        return words.contains("already been versioned") ? .alreadyReplaced : nil
    }

    /// The message without what was sent and what is quoted (``Redaction``): servers often quote what they
    /// refuse. Quoted names of elements, models and fields stay.
    func leavingOut(_ values: some Sequence<String>, keeping names: Set<String> = []) -> String {
        Self.short(Redaction.redact(beginning, sent: values, names: names))
    }
}

/// What a request carried that may be about a patient.
struct SentContent {
    /// The texts, attributes and parameters, without the names of elements, models and fields.
    private(set) var values: [String] = []
    /// The names of elements, models and fields.
    private(set) var names: Set<String> = []
    private var root: XMLNode?

    init(query: FormParameters, body: CallClient.Body?) {
        values = query.filter { !Self.controls.contains($0.name) }.flatMap {
            $0.value.split(separator: "|").map(String.init)
        }
        switch body {
        case .form(let form): values += form.map(\.value)
        case .text(let text): values.append(text)
        case .data(let data, let type):
            if type.hasSuffix("xml"), let parsed = try? XMLNode(parsing: data) {
                root = parsed
                collect(parsed)
            } else {
                values += String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(
                    String.init
                )
            }
        case nil: break
        }
    }

    /// Parameters of a query that shape its response, not whom or what it is about.
    private static let controls: Set = [
        "limit", "offset", "order_by", "status", "type", "response_format", "group_by", "date_group",
        "aggregate_by", "date_range",
    ]

    private mutating func collect(_ node: XMLNode) {
        names.insert(node.name)
        for attribute in node.attributes {
            if attribute.name == "name" {
                names.insert(attribute.value)
            } else {
                values.append(attribute.value)
            }
        }
        for child in node.contents() where child.kind == .element { collect(child) }
        let texts = node.contents().filter { $0.kind != .element }
        values += texts.map { $0.text().trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The rules that the sent documents break, as far as this library knows the documents' classes.
    var problems: [ValidationError.Problem] { root.map { ValidationError.Problem.found(in: $0) } ?? [] }

    /// The models that were sent and that this library does not know.
    var unknownModels: [ValidationError.Problem] {
        root.map { ValidationError.Problem.unknownModels(in: $0) } ?? []
    }
}
