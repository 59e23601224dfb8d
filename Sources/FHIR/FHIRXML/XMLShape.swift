import FHIRTables
import OrderedJSON

/// What the reader and the writer of XML both know of the tables.
enum XMLShape {
    static let namespace: StaticString = "http://hl7.org/fhir"
    static let xhtml: StaticString = "http://www.w3.org/1999/xhtml"
    /// Elements inside each other, contained resources included.
    static let depth = 256

    /// The resource with a name; nil for an abstract one.
    static func resource(named name: String) -> DefinedType? {
        guard let type = Definitions.r4.type(named: name), type.kind == .resource, !type.isAbstract else {
            return nil
        }
        return type
    }

    /// What a primitive has besides its value: `id` and extensions.
    static let element: DefinedType? = Definitions.r4.type(named: "Element")

    /// How JSON writes the value of a primitive that XML has as a text.
    ///
    /// A text that is not a value of the type is a string, so that nothing is lost; validation reports it.
    static func kind(of text: UnsafeBufferPointer<UInt8>, _ type: DefinedType) -> JSONValue.Kind {
        switch type.name {
        case "boolean":
            return text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) ? .boolean : .string
        case "decimal", "integer", "positiveInt", "unsignedInt":
            return JSONValue(number: String(decoding: text, as: UTF8.self)) != nil ? .number : .string
        default: return .string
        }
    }
}

extension DefinedElement {
    /// The type of a member, of the types that a choice has.
    func type(_ member: DefinedMember) -> DefinedType { Definitions.r4.types[types[member.type].id] }

    /// The name in JSON and XML: a choice's with its type.
    func name(_ member: DefinedMember) -> String { isChoice ? name + types[member.type].suffix : name }
}
