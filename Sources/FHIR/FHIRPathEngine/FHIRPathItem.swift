import FHIR
import FHIRTables
import Foundation
import OrderedJSON

/// A result of an expression: an element of a resource, or a value of FHIRPath's own types.
public struct FHIRPathItem: Sendable {
    enum Storage: Sendable {
        case node(PathNode)
        case value(SystemValue)
        /// What `type()` gives.
        case type(namespace: String, name: String)
    }

    let storage: Storage

    init(_ storage: Storage) { self.storage = storage }
    init(_ node: PathNode) { storage = .node(node) }
    init(_ value: SystemValue) { storage = .value(value) }

    /// An element as JSON. Without a `type`, a resource has the type that its `resourceType` names.
    public init(_ json: JSONValue, type: String? = nil) { storage = .node(PathNode(json, typeNamed: type)) }
    /// An element as JSON of a type of R4.
    package init(_ json: JSONValue, of type: DefinedType) {
        storage = .node(PathNode(json: json, sibling: nil, type: PathType(type)))
    }
    public init(_ string: String) { storage = .value(.string(string)) }
    public init(_ boolean: Bool) { storage = .value(.boolean(boolean)) }
    /// An integer; one of more than 32 bits is a `Long`.
    public init(_ integer: Int) {
        storage = .value(Int32(exactly: integer).map { .integer($0) } ?? .long(Int64(integer)))
    }
    /// A decimal number.
    public init(_ decimal: Decimal) { storage = .value(.decimal(PathDecimal(decimal))) }

    /// The name of the type: `Quantity`, `string`, `System.Boolean`.
    public var typeName: String {
        switch storage {
        case .node(let node): node.typeName ?? "unknown"
        case .value(let value): "System.\(value.typeName)"
        case .type: "System.TypeInfo"
        }
    }

    /// The boolean, of an element as well; nil for other types.
    public var boolean: Bool? {
        switch storage {
        case .node(let node): return node.json?.boolean
        case .value(.boolean(let value)): return value
        case .value, .type: return nil
        }
    }

    /// The string of an element or value of a string's type; nil for other types.
    public var string: String? {
        if case .string(let value) = systemValue { return value }
        return nil
    }

    /// The number of an integer or decimal; nil for other types.
    public var decimal: Decimal? { systemValue?.number?.value }

    /// The integer; nil for other types, and for decimals.
    public var integer: Int? {
        switch systemValue {
        case .integer(let value): Int(value)
        case .long(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The quantity of an element or of a value of FHIRPath's own type, the latter with a unit in UCUM; nil
    /// for other types.
    public var quantity: Quantity? {
        switch storage {
        case .node(let node):
            return node.type?.isQuantity == true ? node.json.flatMap(Quantity.init(tree:)) : nil
        case .value(.quantity(let value)):
            let code: String
            switch value.unit {
            case .ucum(let unit): code = unit
            case .calendar(let unit): code = unit.ucumCode
            }
            guard let digits = FHIRDecimal(value.value.description) else { return nil }
            return Quantity(value: digits, unit: code, system: .ucum, code: code)
        default: return nil
        }
    }

    /// The item as text: a string itself, a date in ISO 8601, a quantity as a literal, an element of several
    /// parts as JSON.
    public var text: String {
        if let systemValue { return systemValue.asString }
        switch storage {
        case .node(let node): return node.json?.text() ?? ""
        case .type(let namespace, let name): return "\(namespace).\(name)"
        case .value(let value): return value.asString
        }
    }

    /// The item as JSON: an element as it is in its resource, dates and quantities of FHIRPath as strings.
    public var json: JSONValue {
        switch storage {
        case .node(let node): return node.json ?? node.sibling ?? .null
        case .type(let namespace, let name):
            return ["namespace": JSONValue(namespace), "name": JSONValue(name)]
        case .value(let value):
            switch value {
            case .boolean(let boolean): return JSONValue(boolean)
            case .integer(let integer): return JSONValue(integer)
            case .long(let integer): return JSONValue(integer)
            case .decimal(let decimal):
                return JSONValue(number: decimal.description) ?? JSONValue(decimal.description)
            case .string, .temporal, .quantity: return JSONValue(value.asString)
            }
        }
    }

    /// The value of FHIRPath's own type that an element stands for (FHIR, “Using FHIR types in expressions”).
    var systemValue: SystemValue? {
        switch storage {
        case .value(let value): value
        case .node(let node): node.systemValue
        case .type: nil
        }
    }
}
