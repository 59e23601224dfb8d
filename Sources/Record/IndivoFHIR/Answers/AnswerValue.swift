import FHIR
import Foundation
import IndivoModel

/// A value of a document's field that an answer can become.
///
/// The types of Indivo's documents conform. A `LexicalValue` of your own conforms without code: it is read
/// from the text of the answer, of a coding from the code.
///
/// ```swift
/// enum Quality: String, CaseIterable, LexicalValue, AnswerValue { case good, bad }
/// ```
public protocol AnswerValue {
    /// The value of an answer, with nothing left out; nil where the answer is of another type.
    init?(answer: QuestionnaireResponse.Item.Answer.Value)
}

extension AnswerValue where Self: LexicalValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        let text: String?
        switch answer {
        case .coding(let coding): text = coding.code
        default: text = answer.text
        }
        guard let text, let value = try? Self.fromField(text) else { return nil }
        self = value
    }
}

extension QuestionnaireResponse.Item.Answer.Value {
    /// The answer as one text with nothing left out; nil for answers of several parts.
    fileprivate var text: String? {
        switch self {
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .decimal(let value): value.description
        case .date(let value): value.description
        case .dateTime(let value): value.description
        case .time(let value): value.description
        case .string(let value): value
        case .uri(let value): value.rawValue
        case .attachment, .coding, .quantity, .reference: nil
        }
    }
}

extension String: AnswerValue {
    /// The text of an answer; of a coding what people read.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        let text: String?
        switch answer {
        case .coding(let coding): text = coding.display ?? coding.code
        default: text = answer.text
        }
        guard let text else { return nil }
        self = text
    }
}

extension Bool: AnswerValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard let value = answer.boolean else { return nil }
        self = value
    }
}

extension Int: AnswerValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard let value = answer.integer else { return nil }
        self = value
    }
}

extension Double: AnswerValue {
    /// The nearest number to an integer or decimal. Not a quantity: its unit would be lost.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        switch answer {
        case .integer(let value): self = Double(value)
        case .decimal(let value): self = value.double
        default: return nil
        }
        guard isFinite else { return nil }
    }
}

extension XMLDate: AnswerValue {
    /// A whole day; nil for a date with a time of day, and for a month alone.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard let date = answer.date, date.day != nil, let value = try? XMLDate(lexical: date.description)
        else { return nil }
        self = value
    }
}

extension XMLPartialDate: AnswerValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard let date = answer.date,
            let value = XMLPartialDate(year: date.year, month: date.month, day: date.day)
        else {
            return nil
        }
        self = value
    }
}

extension XMLDateTime: AnswerValue {
    /// A time; a whole day counts from midnight, as in Indivo's data models.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        let text: String
        switch answer {
        case .dateTime(let value) where value.date.day != nil: text = value.description
        case .date(let value) where value.day != nil: text = value.description
        default: return nil
        }
        guard let value = try? XMLDateTime.fromField(text) else { return nil }
        self = value
    }
}

extension XMLTime: AnswerValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard case .time(let time) = answer, let value = try? XMLTime(lexical: time.description) else {
            return nil
        }
        self = value
    }
}

extension CodedValue: AnswerValue {
    /// A coding, or words without a code.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        switch answer {
        case .coding(let coding):
            self.init(
                title: coding.display ?? coding.code,
                system: coding.system.map { IndivoModel.CodeSystem(fhir: $0) },
                identifier: coding.code
            )
        case .string(let text): self.init(title: text)
        default: return nil
        }
    }
}

extension IndivoModel.CodeSystem {
    /// The system that FHIR calls so, as Indivo's documents call it.
    init(fhir uri: FHIRURI) {
        switch uri {
        case .snomed: self = .snomed
        case .loinc: self = .loinc
        case .rxNorm: self = .rxNorm
        case .cvx: self = .cvx
        case "http://hl7.org/fhir/ndfrt": self = .ndfrt
        case "http://fdasis.nlm.nih.gov": self = .unii
        default: self.init(uri.rawValue)
        }
    }
}

extension ValueAndUnit: AnswerValue {
    /// A quantity with its digits as they were entered, or a number without a unit.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        switch answer {
        case .quantity(let quantity):
            guard let value = quantity.value else { return nil }
            self.init((quantity.comparator?.code ?? "") + value.description, quantity.documentUnit)
        case .integer, .decimal: self.init(answer.text, nil)
        default: return nil
        }
    }
}

extension VitalSign: AnswerValue {
    /// A quantity, or a number without a unit. The document's own code says what was measured.
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        if let number = Double(answer: answer) {
            self.init(number, nil)
        } else if let quantity = answer.quantity, quantity.comparator == nil,
            let value = quantity.value?.double, value.isFinite
        {
            self.init(value, quantity.documentUnit)
        } else {
            return nil
        }
    }
}

extension QuantitativeResult: AnswerValue {
    public init?(answer: QuestionnaireResponse.Item.Answer.Value) {
        guard let value = ValueAndUnit(answer: answer) else { return nil }
        self.init(value)
    }
}

extension Quantity {
    /// The unit in UCUM, else as people read it.
    fileprivate var documentUnit: String? { system == .ucum ? code ?? unit : unit ?? code }
}
