import FHIR

/// What questionnaires say of their questions: labels, standard codes, paths.
///
/// Responses are mapped without it, too; then questions have their link ids for labels, and no standard
/// codes.
public struct Codebook: Sendable {
    /// A question or group.
    public struct Item: Sendable {
        /// What people read.
        public let label: String
        /// The concept of a standard code that the questionnaire gives to the question.
        public let standardCode: String?
        public let type: QuestionnaireItemType?
        /// The labels of answers, by code.
        public let options: [String: String]
        /// The unit of a number, a code of UCUM; `nil` where the questionnaire has none.
        public let unit: String?
    }

    private var items: [String: [String: Item]] = [:]

    /// Reads questionnaires. Of two items with one link id the first counts.
    public init(_ questionnaires: [Questionnaire] = []) {
        for questionnaire in questionnaires {
            guard let url = questionnaire.url?.rawValue else { continue }
            var found: [String: Item] = [:]
            Self.walk(questionnaire.item, depth: 0) { item in
                guard let linkID = item.linkId, found[linkID] == nil else { return }
                found[linkID] = Item(item)
            }
            items[Self.key(url)] = found
        }
    }

    /// What is known of a question.
    public subscript(questionnaire: String, linkID: String) -> Item? {
        items[Self.key(questionnaire)]?[linkID]
    }

    private static func key(_ canonical: String) -> String { String(canonical.prefix { $0 != "|" }) }

    private static func walk(_ items: [Questionnaire.Item], depth: Int, _ body: (Questionnaire.Item) -> Void)
    {
        guard depth < 64 else { return }
        for item in items {
            body(item)
            walk(item.item, depth: depth + 1, body)
        }
    }
}

extension Codebook.Item {
    private static let unitURL: FHIRURI =
        "http://hl7.org/fhir/StructureDefinition/questionnaire-unit"

    private static func unit(of item: Questionnaire.Item) -> String? {
        guard case .coding(let coding)? = item.extensions(url: unitURL).first?.value else { return nil }
        return UnitConversion.unit(
            of: Quantity(value: 1, unit: coding.display, system: coding.system, code: coding.code)
        )
    }

    /// What a questionnaire says of an item.
    public init(_ item: Questionnaire.Item) {
        let label = item.text ?? item.code.first?.display ?? item.linkId ?? ""
        self.label = ([item.prefix].compactMap { $0 } + [label]).joined(separator: " ")
        let codes =
            item.type == .group
            ? [] : item.code.filter { ConceptNames.scheme($0.system?.rawValue ?? "") != nil }
        standardCode = codes.first.flatMap(ConceptNames.code)
        type = item.type
        unit = Self.unit(of: item)
        options = Dictionary(
            firstOf: item.answerOption.compactMap { option in
                guard let coding = option.value?.coding, let code = coding.code, let display = coding.display
                else { return nil }
                return (code, display)
            }
        )
    }
}
