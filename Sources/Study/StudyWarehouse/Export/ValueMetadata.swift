import FHIR
import Foundation

/// i2b2's description of a concept's values (`ValueMetadata` 3.02), from which its query tool makes a dialog.
struct ValueMetadata: Sendable, Hashable {
    /// The dialog, which decides how the values are searched.
    enum Kind: String, Sendable, Hashable {
        case integer = "Integer"
        case positiveInteger = "PosInteger"
        case decimal = "Float"
        case positiveDecimal = "PosFloat"
        /// Texts that are compared as a whole.
        case text = "String"
        /// Texts whose words are searched.
        case longText = "largestring"
        /// One of several texts.
        case options = "Enum"
    }

    /// One of several texts, and what it means.
    struct Option: Sendable, Hashable {
        let text: String
        let label: String
    }

    var kind: Kind
    /// The unit of numbers; `nil` for none.
    var unit: String?
    /// Grams of a mole of what is measured.
    var molarMass: Decimal?
    /// The lowest and the highest number, as they were written.
    var minimum: String?
    var maximum: String?
    var options: [Option] = []

    init(_ kind: Kind) { self.kind = kind }

    var isNumber: Bool {
        switch kind {
        case .integer, .positiveInteger, .decimal, .positiveDecimal: true
        case .text, .longText, .options: false
        }
    }

    /// - Parameter code: The concept's.
    func xml(_ code: String, _ name: String) -> String {
        let loinc = code.hasPrefix("LOINC:") && !code.hasPrefix("LOINC:~") ? String(code.dropFirst(6)) : ""
        let values = options.map {
            #"<Val description="\#(escapedXML($0.label))">\#(escapedXML($0.text))</Val>"#
        }
        let length = isNumber || kind == .longText ? "" : String(FactValue.maximumTextLength)
        return
            "<ValueMetadata><Version>3.02</Version><CreationDateTime>01/01/2026 00:00:00</CreationDateTime>"
            + Self.element("TestID", code) + Self.element("TestName", name)
            + Self.element("DataType", kind.rawValue) + "<CodeType></CodeType>" + Self.element("Loinc", loinc)
            + "<Flagstouse></Flagstouse><Oktousevalues>Y</Oktousevalues>"
            + Self.element("MaxStringLength", length)
            + Self.element("LowofLowValue", minimum ?? "") + "<HighofLowValue></HighofLowValue>"
            + "<LowofHighValue></LowofHighValue>" + Self.element("HighofHighValue", maximum ?? "")
            + "<LowofToxicValue></LowofToxicValue><HighofToxicValue></HighofToxicValue>"
            + "<EnumValues>\(values.joined())</EnumValues>"
            + "<CommentsDeterminingExclusion><Com></Com></CommentsDeterminingExclusion>"
            + "<UnitValues>\(unitValues)</UnitValues>"
            + "<Analysis><Enums></Enums><Counts></Counts><New></New></Analysis></ValueMetadata>"
    }

    private var unitValues: String {
        guard isNumber, let unit, !unit.isEmpty else {
            return "<NormalUnits></NormalUnits><EqualUnits></EqualUnits><ExcludingUnits></ExcludingUnits>"
                + "<ConvertingUnits><Units></Units><MultiplyingFactor></MultiplyingFactor></ConvertingUnits>"
        }
        let converting = UnitConversion.factors(to: unit, molarMass: molarMass).map { other in
            "<ConvertingUnits>" + Self.element("Units", other.unit)
                + Self.element("MultiplyingFactor", other.factor) + "</ConvertingUnits>"
        }
        return Self.element("NormalUnits", unit) + Self.element("EqualUnits", unit)
            + "<ExcludingUnits></ExcludingUnits>" + converting.joined()
    }

    private static func element(_ name: String, _ text: String) -> String {
        "<\(name)>\(escapedXML(text))</\(name)>"
    }
}

extension ValueMetadata {
    /// The values of a question's own concept; `nil` where each answer is a concept and has none.
    ///
    /// - Parameter isStandard: Whether the question has a code that others share, with the answers as values.
    init?(_ item: Questionnaire.Item, _ known: Codebook.Item, isStandard: Bool) {
        switch item.type {
        case .integer: self.init(.integer)
        case .decimal, .quantity: self.init(.decimal)
        case .text: self.init(.longText)
        case .string, .url, .date, .dateTime, .time: self.init(.text)
        case .openChoice:
            self.init(.text)
            if isStandard { options = Self.options(of: item).map(\.option) }
        case .boolean where isStandard:
            self.init(.options)
            options = [Option(text: "true", label: "yes"), Option(text: "false", label: "no")]
        case .choice:
            let numbers = item.answerOption.contains { if case .integer? = $0.value { true } else { false } }
            self.init(numbers ? .integer : .options)
            options = numbers ? [] : Self.options(of: item).filter { isStandard || !$0.isCoded }.map(\.option)
            if kind == .options, options.isEmpty { return nil }
        default: return nil
        }
        guard isNumber else { return }
        unit = known.unit
        bound(item)
    }

    private mutating func bound(_ item: Questionnaire.Item) {
        func limit(_ names: [String]) -> String? {
            for name in names {
                switch item.extensions(url: FHIRURI(name)).first?.value {
                case .integer(let number): return String(number)
                case .decimal(let number): return number.description
                case .quantity(let quantity): return quantity.value?.description
                default: continue
                }
            }
            return nil
        }
        let core = "http://hl7.org/fhir/StructureDefinition/"
        let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
        minimum = limit([core + "minValue", sdc + "minQuantity"])
        maximum = limit([core + "maxValue", sdc + "maxQuantity"])
        guard let minimum, !minimum.hasPrefix("-") else { return }
        kind = kind == .integer ? .positiveInteger : .positiveDecimal
    }
}

extension ValueMetadata {
    fileprivate struct ItemOption {
        let option: Option
        let isCoded: Bool
    }

    /// The options of a question as texts of its facts.
    fileprivate static func options(of item: Questionnaire.Item) -> [ItemOption] {
        item.answerOption.compactMap { option in
            switch option.value {
            case .coding(let coding):
                guard let code = coding.code, !code.isEmpty else { return nil }
                let option = Option(text: code, label: coding.display ?? code)
                return ItemOption(option: option, isCoded: true)
            case .string(let text): return ItemOption(option: Option(text: text, label: text), isCoded: false)
            case .date(let date):
                let text = date.description
                return ItemOption(option: Option(text: text, label: text), isCoded: false)
            case .time(let time):
                let text = time.description
                return ItemOption(option: Option(text: text, label: text), isCoded: false)
            default: return nil
            }
        }
    }
}

extension ValueMetadata {
    /// The values of a measurement that is known without a questionnaire; `nil` where it has none.
    init?(_ measurement: KnownMeasurements.Measurement) {
        if let unit = measurement.unit {
            self.init(.decimal)
            self.unit = unit
            molarMass = measurement.molarMass
        } else if !measurement.options.isEmpty {
            self.init(.options)
            options = measurement.options
        } else {
            return nil
        }
    }

    /// What a fact shows of the values of its concept; `nil` where it has none.
    init?(_ fact: Fact) {
        switch fact.value {
        case .none: return nil
        case .number:
            self.init(.decimal)
            unit = fact.unit
        case .text: self.init(.text)
        case .longText: self.init(.longText)
        }
    }
}
