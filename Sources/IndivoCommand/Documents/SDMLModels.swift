import IndivoModel
import SDML
import SwiftGenerator

/// Models that a user describes in SDML, made known while the tool runs.
enum SDMLModels {
    /// Reads every SDML file in and below a folder, with the notes beside it, and registers the models.
    /// - Throws: ``CommandFailure`` with every error of every file.
    static func load(_ folder: String) throws {
        let found = ModelFiles([folder])
        let result = SDMLParser.parse(found.inputs, externalModels: Set(DataModel.core.map(\.name)))
        let problems = found.errors + result.diagnostics.filter { $0.severity == .error }.map(\.description)
        guard problems.isEmpty else {
            throw CommandFailure("the models in \(folder) cannot be used:\n" + problems.joined(separator: "\n"))
        }
        for warning in found.warnings + result.diagnostics.map(\.description) { StandardStreams.complain(warning) }
        for model in result.schema.models { RuntimeModel(model).register() }
    }
}

extension RuntimeModel {
    fileprivate init(_ model: SDMLModel) {
        self.init(name: model.name, fields: model.fields.map(Field.init))
    }
}

extension RuntimeModel.Field {
    fileprivate init(_ field: SDMLField) {
        let notes = field.notes
        switch field.type {
        case .value(let type):
            self = .value(
                field.name, type == .date && notes.isDay ? XMLDate.self : type.elementType, formerly: notes.formerly,
                rules: FieldRule.rules(notes, of: type))
        case .one(let model):
            self = .relation(field.name, to: model, isList: false, formerly: notes.formerly, rules: FieldRule.rules(notes, of: nil))
        case .many(let model):
            self = .relation(field.name, to: model, isList: true, formerly: notes.formerly, rules: FieldRule.rules(notes, of: nil))
        }
    }
}

extension SDMLType {
    /// The Swift type of the type's values.
    fileprivate var elementType: any FieldElement.Type {
        switch self {
        case .string: String.self
        case .number: Double.self
        case .date: XMLDateTime.self
        case .codedValue: CodedValue.self
        case .valueAndUnit: ValueAndUnit.self
        case .valueRange: ValueRange.self
        case .quantitativeResult: QuantitativeResult.self
        case .address: Address.self
        case .organization: Organization.self
        case .pharmacy: Pharmacy.self
        case .name: PersonName.self
        case .telephone: Telephone.self
        case .provider: Provider.self
        case .vitalSign: VitalSign.self
        case .bloodPressure: BloodPressure.self
        }
    }
}

extension FieldRule {
    /// What the notes on a field, or on a part of one, ask of its value.
    fileprivate static func rules(_ notes: FieldNotes, of type: SDMLType?) -> [FieldRule] {
        var rules: [FieldRule] = notes.isRequired ? [.required] : []
        switch notes.maximumLength {
        case .standard: break
        case .limited(let length): rules.append(.maximumLength(length))
        case .unlimited: rules.append(.unlimitedLength)
        }
        if let system = notes.codeSystem { rules.append(.coded(in: CodeSystem(system.uri))) }
        if !notes.valueSet.isEmpty { rules.append(.identifiers(notes.valueSet.map(\.identifier))) }
        if let unit = notes.unit, type != .number { rules.append(.unit(unit)) }
        for part in notes.parts {
            guard let type, let kind = type.parts.first(where: { $0.name == part.name })?.kind else { continue }
            let partType: SDMLType? = if case .type(let type) = kind { type } else { nil }
            let property = SwiftValueTypes.property(ofPart: part.name, in: type)
            rules.append(.part(property, Self.rules(part.notes, of: partType)))
        }
        return rules
    }
}
