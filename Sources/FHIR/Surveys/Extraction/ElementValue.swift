import FHIR
import FHIRPathEngine
import FHIRTables
import FHIRValidation
import Foundation
import OrderedJSON

/// A value on its way into an element of a resource: JSON, with the name of its type in FHIR.
struct ElementValue {
    let json: JSONValue
    /// The type, such as `Coding` or `dateTime`; empty where it is not known.
    let type: String
    /// The unit that a number was asked for in.
    var unit: Coding?

    init(_ json: JSONValue, type: String, unit: Coding? = nil) {
        self.json = json
        self.type = type
        self.unit = unit
    }

    /// A value by the suffix of `value[x]`.
    init(_ json: JSONValue, suffix: String, unit: Coding? = nil) {
        let first = suffix.prefix(1)
        let primitive = first.lowercased() + suffix.dropFirst()
        let isPrimitive = Definitions.r4.type(named: primitive)?.kind == .primitive
        self.init(json, type: isPrimitive ? primitive : suffix, unit: unit)
    }

    /// A result of an expression.
    init(_ item: FHIRPathItem) {
        if let quantity = item.quantity, item.typeName == "System.Quantity" {
            self.init(quantity.tree, type: "Quantity")
        } else {
            let names = [
                "System.Boolean": "boolean", "System.Integer": "integer", "System.Long": "integer",
                "System.Decimal": "decimal",
                "System.String": "string", "System.Date": "date", "System.DateTime": "dateTime",
                "System.Time": "time",
            ]
            // A time of FHIRPath has no T in JSON.
            let json =
                item.typeName == "System.Time" && item.text.hasPrefix("T")
                ? JSONValue(String(item.text.dropFirst())) : item.json
            self.init(json, type: names[item.typeName] ?? item.typeName)
        }
    }

    /// Of the types of an element the one that the value becomes without losing anything; nil where there is
    /// none.
    func choice(of element: DefinedElement) -> ElementType? {
        let preferred: [String]
        switch type {
        case "integer", "positiveInt", "unsignedInt":
            preferred =
                unit == nil
                ? ["integer", "positiveInt", "unsignedInt", "decimal", "Quantity"] : ["Quantity", "integer"]
        case "decimal": preferred = unit == nil ? ["decimal", "Quantity"] : ["Quantity", "decimal"]
        case "date": preferred = ["date", "dateTime"]
        case "dateTime": preferred = ["dateTime", "instant"]
        case "Coding": preferred = ["Coding", "CodeableConcept"]
        case "uri", "url", "canonical": preferred = [type, "uri", "url", "string"]
        case "string", "markdown", "code", "id": preferred = [type, "string", "markdown"]
        default: preferred = [type]
        }
        for name in preferred {
            if let found = element.types.first(where: { $0.code == name }) { return found }
        }
        return nil
    }

    /// The JSON of the value as one of another type: the whole of it, or nil.
    func converted(to type: DefinedType, binding: Binding?) -> JSONValue? {
        let result = type.kind == .primitive ? primitive(type.name) : complex(type)
        guard let result, let binding, binding.strength == .required, let code = result.string else {
            return result
        }
        guard let codes = ValueSetTable.r4[binding.valueSet] else { return result }
        return codes.contains(code: code) ? result : nil
    }

    // MARK: Primitives

    /// The value as text: of a coding the code.
    private var text: String? {
        switch json.kind {
        case .string: json.string
        case .number: json.number
        case .boolean: json.boolean.map { $0 ? "true" : "false" }
        default: nil
        }
    }

    private func primitive(_ name: String) -> JSONValue? {
        if type == "Coding" {
            switch name {
            case "code": return json.member("code").flatMap { $0.kind == .string ? $0 : nil }
            case "string", "markdown": return json.member("display") ?? json.member("code")
            default: return nil
            }
        }
        guard let text, !text.isEmpty else { return nil }
        switch name {
        case "boolean": return ["true": true, "false": false][text].map { JSONValue($0) }
        case "integer", "positiveInt", "unsignedInt":
            return integer(text, atLeast: ["positiveInt": 1, "unsignedInt": 0][name])
        case "decimal":
            return json.kind == .boolean
                ? nil : FHIRDecimal(text).flatMap { $0.decimal == nil ? nil : $0.tree }
        case "date": return (FHIRDate(text: text) ?? FHIRDateTime(text: text)?.date)?.tree
        case "dateTime": return FHIRDateTime(text: text)?.tree
        case "instant": return FHIRInstant(text: text).map { JSONValue($0.dateTime.description) }
        case "time": return (FHIRTime(text: text) ?? FHIRTime(text: text + ":00"))?.tree
        case "code":
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            return words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 } }
                ? JSONValue(text) : nil
        case "id": return LogicalID.isValid(text) ? JSONValue(text) : nil
        case "uri", "url", "canonical", "oid", "uuid", "base64Binary":
            return text.utf8.allSatisfy { $0 > 0x20 } ? JSONValue(text) : nil
        default: return JSONValue(text)
        }
    }

    private func integer(_ text: String, atLeast minimum: Int?) -> JSONValue? {
        guard json.kind != .boolean, FHIRDecimal(text) != nil, let number = Decimal(string: text),
            abs(number) <= 2_147_483_648
        else { return nil }
        let integer = NSDecimalNumber(decimal: number).intValue
        guard Decimal(integer) == number, Int32(exactly: integer) != nil, integer >= minimum ?? .min else {
            return nil
        }
        return JSONValue(integer)
    }

    // MARK: Datatypes

    /// A quantity; a code without a system, which FHIR does not permit (R4, qty-3), is the text of the unit.
    private static func quantity(_ json: JSONValue) -> JSONValue {
        guard json.member("system") == nil, let code = json.member("code") else { return json }
        var json = json
        json["code"] = nil
        if json.member("unit") == nil { json["unit"] = code }
        return json
    }

    private func complex(_ target: DefinedType) -> JSONValue? {
        if let own = Definitions.r4.type(named: type), own.kind != .primitive {
            if own.isA(target) || target.name == own.name
                || (target.base == own.name && target.kind != .nested)
            {
                return type == "Quantity" ? Self.quantity(json) : json
            }
            if type == "Coding", target.name == "CodeableConcept" { return ["coding": [json]] }
            return nil
        }
        switch target.name {
        case "Quantity", "SimpleQuantity", "MoneyQuantity", "Age", "Distance", "Duration", "Count":
            guard json.kind == .number || json.kind == .string, let text, let value = FHIRDecimal(text) else {
                return nil
            }
            return Self.quantity(Quantity(value, in: unit).tree)
        case "CodeableConcept", "HumanName", "Address", "Annotation":
            return type == "string" || type == "markdown" ? text.map { ["text": JSONValue($0)] } : nil
        case "Reference": return json.string.map { ["reference": JSONValue($0)] }
        case "Identifier":
            return type == "string" || type == "uri" ? json.string.map { ["value": JSONValue($0)] } : nil
        default: return nil
        }
    }
}
