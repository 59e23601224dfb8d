import IndivoModel
import SDML
import SwiftGenerator

/// Models that a user describes in SDML, made known while the tool runs.
enum SDMLModels {
    /// Reads every SDML file in and below a folder, with the notes beside it, and registers the models.
    static func load(_ folder: String) throws {
        let found = ModelFiles([folder])
        let result = SDMLParser.parse(found.inputs, externalModels: Set(DataModel.core.map(\.name)))
        let problems = found.errors + result.diagnostics.filter { $0.severity == .error }.map(\.description)
        guard problems.isEmpty else {
            throw CommandFailure(
                "the models in \(folder) cannot be used:\n" + problems.joined(separator: "\n")
            )
        }
        for warning in found.warnings + result.diagnostics.map(\.description) {
            StandardStreams.printError(warning)
        }
        for model in result.schema.models {
            RuntimeModel(name: model.name, fields: model.fields.map(RuntimeModel.Field.init)).register()
        }
    }
}

extension RuntimeModel.Field {
    fileprivate init(_ field: SDMLField) {
        let former = field.notes.formerly
        let rules = field.rules.map(FieldRule.init)
        switch field.type {
        case .value(let type):
            let type = type == .date && field.notes.isDay ? XMLDate.self : type.elementType
            self = .value(field.name, type, formerly: former, rules: rules)
        case .one(let model), .many(let model):
            self = .relation(
                field.name,
                to: model,
                isList: field.type == .many(model),
                formerly: former,
                rules: rules
            )
        }
    }
}

extension SDMLType {
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
    fileprivate init(_ rule: SDMLRule) {
        self =
            switch rule {
            case .required: .required
            case .maximumLength(let length): .maximumLength(length)
            case .unlimitedLength: .unlimitedLength
            case .coded(let system): .coded(in: CodeSystem(system.uri))
            case .identifiers(let identifiers): .identifiers(identifiers)
            case .unit(let unit): .unit(unit)
            case .part(let part, let type, let rules):
                .part(SwiftValueTypes.property(ofPart: part, in: type), rules.map(FieldRule.init))
            }
    }
}
