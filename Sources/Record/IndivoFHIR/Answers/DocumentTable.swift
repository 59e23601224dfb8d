import FHIR
import IndivoModel
import OrderedJSON

/// Which answers of a survey go to which fields of a document.
///
/// ```swift
/// let table = DocumentTable<Medication>(
///     .field("drug", \.drugName),
///     .field("since", \.startDate),
///     .field("dose", \.quantity),
///     .group("refill", \.fulfillments, DocumentTable<Fill>(.field("refill-date", \.date))))
/// let (medication, problems) = table.document(from: session.response())
/// ```
/// Key paths are checked by the compiler, so that a table works with generated classes and with your own. An
/// answer that a field cannot hold whole is left out and reported; questions without answers leave their
/// fields as they are.
public struct DocumentTable<Document: IndivoDocument> {
    /// Where the answers of one item go.
    public struct Row {
        let linkId: String
        let fill: (Document, [Occurrence]) -> [DocumentFillProblem]
    }

    /// An occurrence of an item in a response.
    struct Occurrence {
        let json: JSONValue

        /// The answers; nil stands for one that has no value.
        var answers: [QuestionnaireResponse.Item.Answer.Value?] {
            json.elements(of: "answer").map { answer in
                (answer.members ?? []).lazy.filter { $0.name.hasPrefix("value") }
                    .compactMap {
                        QuestionnaireResponse.Item.Answer.Value(String($0.name.dropFirst(5)), $0.value)
                    }.first
            }
        }
    }

    private let rows: [Row]

    /// A table of rows.
    public init(_ rows: Row...) { self.rows = rows }

    /// A new document with the answers of a response, and the answers that do not fit.
    public func document(from response: QuestionnaireResponse) -> (
        document: Document, problems: [DocumentFillProblem]
    ) {
        let document = Document()
        return (document, fill(document, from: response))
    }

    /// Sets the fields for which the response has answers.
    ///
    /// - Returns: The answers that do not fit, and were left out.
    public func fill(_ document: Document, from response: QuestionnaireResponse) -> [DocumentFillProblem] {
        fill(document, from: response.tree)
    }

    /// The linkIds of the table that a questionnaire does not have: answers for them will never come.
    public func unknownLinkIds(in questionnaire: Questionnaire) -> [String] {
        var known: Set<String> = []
        var open = questionnaire.item
        while let item = open.popLast() {
            if let linkId = item.linkId { known.insert(linkId) }
            open += item.item
        }
        return rows.map(\.linkId).filter { !known.contains($0) }
    }

    func fill(_ document: Document, from json: JSONValue) -> [DocumentFillProblem] {
        let occurrences = Self.occurrences(of: Set(rows.map(\.linkId)), in: json)
        return rows.flatMap { row in occurrences[row.linkId].map { row.fill(document, $0) } ?? [] }
    }

    /// The items under a response or item, in document order, by linkId.
    private static func occurrences(of linkIds: Set<String>, in json: JSONValue) -> [String: [Occurrence]] {
        var found: [String: [Occurrence]] = [:]
        func children(_ json: JSONValue) -> [JSONValue] {
            json.elements(of: "item")
                + json.elements(of: "answer").flatMap {
                    $0.elements(of: "item")
                }
        }
        var stack = Array(children(json).reversed())
        while let item = stack.popLast() {
            if let linkId = item.member("linkId")?.string, linkIds.contains(linkId) {
                found[linkId, default: []].append(Occurrence(json: item))
            }
            stack += children(item).reversed()
        }
        return found
    }
}

extension DocumentTable.Row {
    /// The one answer of a question becomes the value of a field.
    public static func field<Value: AnswerValue>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, Value?>
    ) -> Self {
        single(linkId) { (document: Document, value: Value) in document[keyPath: path] = value }
    }

    /// The one answer of a question becomes the value of a field that is not optional.
    public static func field<Value: AnswerValue>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, Value>
    ) -> Self {
        single(linkId) { (document: Document, value: Value) in document[keyPath: path] = value }
    }

    /// The one answer of a question becomes a part of a compound value: `.field("systolic", \.bp,
    /// \.systolic)`.
    public static func field<Compound: CompoundValue, Value: AnswerValue>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, Compound?>,
        _ part: WritableKeyPath<Compound, Value?>
    ) -> Self {
        single(linkId) { (document: Document, value: Value) in
            var compound = document[keyPath: path] ?? Compound()
            compound[keyPath: part] = value
            document[keyPath: path] = compound
        }
    }

    /// All answers of a question become the values of a list.
    public static func field<Value: AnswerValue>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, [Value]>
    ) -> Self {
        Self(linkId: linkId) { document, occurrences in
            var problems: [DocumentFillProblem] = []
            document[keyPath: path] = occurrences.flatMap(\.answers).compactMap { answer -> Value? in
                let value = answer.flatMap { Value(answer: $0) }
                if value == nil {
                    problems.append(DocumentFillProblem(linkId, .mismatch(answer, Value.self)))
                }
                return value
            }
            return problems
        }
    }

    /// Each occurrence of a group, or answer of a question, becomes a related document.
    public static func group<Related: IndivoDocument>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, [Related]>,
        _ table: DocumentTable<Related>
    ) -> Self {
        Self(linkId: linkId) { document, occurrences in
            var problems: [DocumentFillProblem] = []
            document[keyPath: path] = occurrences.map { occurrence -> Related in
                let related = Related()
                problems += table.fill(related, from: occurrence.json)
                return related
            }
            return problems
        }
    }

    /// The only occurrence of a group becomes a related document.
    public static func group<Related: IndivoDocument>(
        _ linkId: String,
        _ path: ReferenceWritableKeyPath<Document, Related?>,
        _ table: DocumentTable<Related>
    ) -> Self {
        Self(linkId: linkId) { document, occurrences in
            guard occurrences.count == 1 else {
                return [DocumentFillProblem(linkId, .severalValues(occurrences.count))]
            }
            let related = Related()
            document[keyPath: path] = related
            return table.fill(related, from: occurrences[0].json)
        }
    }

    private static func single<Value: AnswerValue>(
        _ linkId: String,
        _ set: @escaping (Document, Value) -> Void
    ) -> Self {
        Self(linkId: linkId) { document, occurrences in
            let answers = occurrences.flatMap(\.answers)
            guard answers.count <= 1 else {
                return [DocumentFillProblem(linkId, .severalValues(answers.count))]
            }
            guard let answer = answers.first else { return [] }
            guard let value = answer.flatMap({ Value(answer: $0) }) else {
                return [DocumentFillProblem(linkId, .mismatch(answer, Value.self))]
            }
            set(document, value)
            return []
        }
    }
}

/// Why an answer is not in a document.
public struct DocumentFillProblem: Sendable, Hashable, CustomStringConvertible {
    /// Why an answer does not fit.
    public enum Reason: Sendable, Hashable {
        /// The field holds values of another type, or cannot hold the whole answer. `found` is FHIR's type of
        /// the answer.
        case wrongType(found: String, field: String)
        /// The field holds one value, and there are several answers.
        case severalValues(Int)

        static func mismatch(_ answer: QuestionnaireResponse.Item.Answer.Value?, _ type: Any.Type) -> Reason {
            .wrongType(found: answer?.content.suffix ?? "nothing", field: "\(type)")
        }
    }

    /// The item.
    public let linkId: String
    /// Why the item’s answer is not in the document.
    public let reason: Reason

    init(_ linkId: String, _ reason: Reason) {
        self.linkId = linkId
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .wrongType(let found, let field):
            """
            \(linkId): an answer of the type \(found) does not fit the type \(field) without loss; \
            it is left out
            """
        case .severalValues(let count):
            "\(linkId): there are \(count) answers, and the field has one value; they are left out"
        }
    }
}
