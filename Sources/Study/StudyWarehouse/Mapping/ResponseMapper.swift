import FHIR

/// QuestionnaireResponses as facts: one for each answer, and one for the response itself.
///
/// | answer | concept | value |
/// |---|---|---|
/// | choice, boolean | the question's and the answer's code | its label |
/// | choice, of a question with a standard code | the standard code | the answer's code |
/// | a code of SNOMED CT, RxNorm, ICD | that code | its label |
/// | number, quantity | the question's code, or its standard code | the number, with its unit |
/// | text, date, time, URL | the same | the text |
///
/// Attachments and references have no form as facts; ``FactSet/omitted`` lists them. Labels are the
/// questionnaire's; of an answer that it does not list, the concept is named by its code, and the label that
/// the phone gave is the fact's value.
public struct ResponseMapper: Sendable {
    /// What becomes of answers in the participant's own words, which may name people.
    public enum FreeText: String, Sendable, CaseIterable {
        /// They become facts.
        case loaded
        /// That there was an answer becomes a fact, without the answer.
        case omitted
    }

    private let codebook: Codebook
    /// What becomes of answers in the participant's own words.
    public let freeText: FreeText

    /// More answers than any survey has.
    private static let maximumAnswers = 20_000
    private static let maximumDepth = 64

    /// A mapper with labels and codes of a codebook.
    public init(_ codebook: Codebook = Codebook(), freeText: FreeText = .loaded) {
        self.codebook = codebook
        self.freeText = freeText
    }

    /// Maps a response. One that was entered in error, or is not complete, gives a visit without facts.
    ///
    /// - Parameters:
    ///   - visit: Identifies the visit where the response has no identifier: a correction has to have one.
    ///   - received: When it was received, for responses that have no date.
    /// - Throws: ``MappingError``.
    public func map(_ response: QuestionnaireResponse, visit: String, received: FHIRDateTime)
        throws(MappingError) -> FactSet
    {
        // A version behind ‘|’ is not part of what names the questions.
        guard let canonical = response.questionnaire.map({ String($0.rawValue.prefix { $0 != "|" }) }),
            !canonical.isEmpty
        else {
            throw MappingError(
                path: "QuestionnaireResponse.questionnaire",
                reason: "it is missing, and names the questions"
            )
        }
        let written = response.authored ?? received
        let id =
            response.identifier?.value.map { "\(response.identifier?.system?.rawValue ?? "")|\($0)" } ?? visit
        let period = Self.encounter(of: response, received)
        let start = ObservedTime(written, received: received).time
        var walk = Walk(
            mapper: self,
            canonical: canonical,
            name: ConceptNames.questionnaire(canonical),
            start: start,
            builder: FactBuilder(StudyVisit(id: id, start: period.start ?? start, end: period.end))
        )
        guard response.status == .completed || response.status == .amended else { return walk.builder.set }
        let name = walk.name
        let code = ConceptNames.code("SURVEY", name)
        let concept = Concept(
            path: ConceptNames.path(ConceptNames.surveys, [name]),
            code: code,
            name: name,
            key: canonical
        )
        walk.builder.append(
            Fact(code, start: start),
            concept,
            ObservedTime.modifiers(written, received: received)
        )
        try walk.items(response.item, groups: [], path: [name], depth: 0)
        return walk.builder.set
    }

    /// The period of an activity report's encounter, which is contained.
    private static func encounter(of response: QuestionnaireResponse, _ received: FHIRDateTime) -> (
        start: WarehouseTime?, end: WarehouseTime?
    ) {
        guard let reference = response.encounter?.reference, reference.hasPrefix("#"),
            let encounter = response.contained.first(where: { $0.id == String(reference.dropFirst()) })?.as(
                Encounter.self
            )
        else { return (nil, nil) }
        return (
            encounter.period?.start.map { ObservedTime($0, received: received).time },
            encounter.period?.end.map { ObservedTime($0, received: received).time }
        )
    }

    /// A way through a response.
    private struct Walk {
        let mapper: ResponseMapper
        let canonical: String
        let name: String
        let start: WarehouseTime
        var builder: FactBuilder
        var answers = 0

        mutating func items(
            _ items: [QuestionnaireResponse.Item],
            groups: [String],
            path: [String],
            depth: Int
        ) throws(MappingError) {
            guard depth < ResponseMapper.maximumDepth else {
                throw MappingError(
                    path: "QuestionnaireResponse.item",
                    reason: "items are nested more than \(ResponseMapper.maximumDepth) deep"
                )
            }
            var seen: [String: Int] = [:]
            for item in items {
                guard let linkID = item.linkId, !linkID.isEmpty else {
                    throw MappingError(path: "QuestionnaireResponse.item", reason: "an item without linkId")
                }
                seen[linkID, default: 0] += 1
                let group = linkID + (seen[linkID].map { $0 > 1 ? "[\($0)]" : "" } ?? "")
                for answer in item.answer {
                    answers += 1
                    guard answers <= ResponseMapper.maximumAnswers else {
                        throw MappingError(
                            path: "QuestionnaireResponse.item",
                            reason: "more than \(ResponseMapper.maximumAnswers) answers"
                        )
                    }
                    append(answer, linkID, groups, path + [ConceptNames.component(question: linkID)])
                    try self.items(
                        answer.item,
                        groups: groups,
                        path: path + [ConceptNames.component(question: linkID)],
                        depth: depth + 1
                    )
                }
                try self.items(
                    item.item,
                    groups: groups + [group],
                    path: path + [ConceptNames.component(question: linkID)],
                    depth: depth + 1
                )
            }
        }

        private mutating func append(
            _ answer: QuestionnaireResponse.Item.Answer,
            _ linkID: String,
            _ groups: [String],
            _ path: [String]
        ) {
            guard let value = answer.value else { return }
            let known = mapper.codebook[canonical, linkID]
            let label = known?.label ?? linkID
            let standard = known?.standardCode
            let code = standard ?? ConceptNames.question(linkID, in: name)
            let question = Concept(
                path: ConceptNames.path(ConceptNames.surveys, path),
                code: code,
                name: label,
                key: standard ?? "\(canonical)|\(linkID)",
                unit: known?.unit
            )
            func answered(_ answer: String, _ name: String) -> Concept {
                Concept(
                    path: ConceptNames.path(
                        ConceptNames.surveys,
                        path + [ConceptNames.component(answer: answer)]
                    ),
                    code: ConceptNames.answer(answer, to: linkID, in: self.name),
                    name: "\(label): \(name)",
                    key: "\(canonical)|\(linkID)|\(answer)"
                )
            }
            let isOwn = mapper.freeText == .loaded
            switch value {
            case .boolean(let value):
                guard standard == nil else {
                    return add(question, FactValue(text: value ? "true" : "false"), groups, linkID)
                }
                add(
                    answered(value ? "true" : "false", value ? "yes" : "no"),
                    FactValue(text: value ? "yes" : "no"),
                    groups
                )
            case .coding(let coding):
                // Concepts are everybody's: what a phone calls one is in its own fact alone.
                let name = coding.code.flatMap { known?.options[$0] } ?? coding.code ?? ""
                let shown =
                    coding.code.flatMap { known?.options[$0] } ?? (isOwn ? coding.display : nil) ?? coding
                    .code ?? ""
                if let scheme = ConceptNames.scheme(coding.system?.rawValue ?? ""), scheme != "LOINC",
                    let code = ConceptNames.code(coding)
                {
                    let path = ConceptNames.path(
                        ConceptNames.surveys,
                        path + [ConceptNames.component(answer: code)]
                    )
                    let concept = Concept(path: path, code: code, name: name, key: code)
                    return add(concept, FactValue(text: shown), groups, linkID)
                }
                guard let code = coding.code, !code.isEmpty else {
                    // An answer in own words beside the options.
                    return add(
                        question,
                        isOwn ? FactValue(text: shown) : .none,
                        groups,
                        standard == nil ? nil : linkID
                    )
                }
                guard standard == nil else { return add(question, FactValue(text: code), groups, linkID) }
                add(answered(code, name), FactValue(text: shown), groups)
            case .decimal(let decimal):
                add(question, decimal, "E", known?.unit, groups, standard == nil ? nil : linkID)
            case .integer(let integer):
                let decimal = FHIRDecimal(integer)
                add(question, decimal, "E", known?.unit, groups, standard == nil ? nil : linkID)
            case .quantity(let quantity):
                guard let decimal = quantity.value else {
                    return builder.omit("\(linkID): a quantity without a value")
                }
                add(
                    question,
                    decimal,
                    Comparison.of(quantity.comparator),
                    UnitConversion.unit(of: quantity),
                    groups,
                    standard == nil ? nil : linkID
                )
            case .string(let text):
                let value =
                    known.map { FactValue(text: text, isLong: $0.type == .text) } ?? FactValue(text: text)
                add(question, isOwn ? value : .none, groups, standard == nil ? nil : linkID)
            case .date(let date):
                add(question, FactValue(text: date.description), groups, standard == nil ? nil : linkID)
            case .dateTime(let time):
                add(question, FactValue(text: time.description), groups, standard == nil ? nil : linkID)
            case .time(let time):
                add(question, FactValue(text: time.description), groups, standard == nil ? nil : linkID)
            case .uri(let uri):
                add(
                    question,
                    isOwn ? FactValue(text: uri.rawValue) : .none,
                    groups,
                    standard == nil ? nil : linkID
                )
            case .attachment: builder.omit("\(linkID): an attachment")
            case .reference: builder.omit("\(linkID): a reference")
            }
        }

        private mutating func add(
            _ concept: Concept,
            _ decimal: FHIRDecimal,
            _ comparison: String,
            _ unit: String?,
            _ groups: [String],
            _ question: String?
        ) {
            guard let number = WarehouseNumber(decimal) else {
                return add(concept, FactValue(text: decimal.description), groups, question)
            }
            add(concept, .number(number, comparison: comparison), groups, question, unit: unit)
        }

        /// - Parameter question: Its link id, where the concept does not show whose answer it is.
        private mutating func add(
            _ concept: Concept,
            _ value: FactValue,
            _ groups: [String],
            _ question: String? = nil,
            unit: String? = nil
        ) {
            var fact = Fact(concept.code, start: start, value: value)
            fact.unit = unit
            var modifiers: [(code: String, value: FactValue)] = []
            if !groups.isEmpty {
                modifiers.append((FactModifier.group, FactValue(text: groups.joined(separator: "/"))))
            }
            if let question {
                modifiers.append((FactModifier.question, FactValue(text: "\(name):\(question)")))
            }
            builder.append(fact, concept, modifiers)
        }
    }
}

/// Why a resource is not mapped.
public struct MappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The element.
    public let path: String
    /// What is wrong. It holds nothing of what the participant gave.
    public let reason: String

    public var description: String { "\(path): \(reason)" }
}

/// i2b2's operators of numbers.
enum Comparison {
    static func of(_ comparator: QuantityComparator?) -> String {
        switch comparator?.code {
        case "<": "L"
        case "<=": "LE"
        case ">": "G"
        case ">=": "GE"
        default: "E"
        }
    }
}
