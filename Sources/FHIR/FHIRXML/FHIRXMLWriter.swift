import FHIRTables
import IndivoXML
import OrderedJSON

/// Writes a resource's JSON as XML (FHIR R4, “XML representation of resources”).
///
/// Elements are written in the order of the definitions, which XML demands. What XML cannot carry is an
/// error.
struct FHIRXMLWriter {
    private(set) var output: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    private var path: [String] = []

    init(style: XMLStyle) { isPretty = style == .pretty }

    mutating func writeDocument(_ resource: JSONValue) throws(FHIRXMLError) {
        write(#"<?xml version="1.0" encoding="UTF-8"?>"#)
        if !isPretty { write("\n") }
        try writeResource(resource, isRoot: true)
        write("\n")
    }

    private mutating func writeResource(_ json: JSONValue, isRoot: Bool = false) throws(FHIRXMLError) {
        guard let type = json.resourceType.flatMap(XMLShape.resource(named:)) else {
            throw failure(.notAResource, json)
        }
        if path.isEmpty { path.append(type.name) }
        begin(type.name)
        if isRoot { write(" xmlns=\"\(XMLShape.namespace)\"") }
        try writeContent(of: json, type, named: type.name)
    }

    // MARK: Elements of several parts

    /// What a member of an object becomes, with its `_` sibling.
    private struct Part {
        let member: DefinedMember
        var value: JSONValue?
        var sibling: JSONValue?
    }

    /// Writes what follows the name in the start tag, to the end tag.
    private mutating func writeContent(
        of json: JSONValue,
        _ type: DefinedType,
        named name: String
    ) throws(FHIRXMLError) {
        let parts = try parts(of: json, type)
        try writeAttributes(parts, of: type, in: json)
        try writeElements(parts, of: type, in: json, named: name)
    }

    private mutating func writeAttributes(_ parts: [Part], of type: DefinedType, in json: JSONValue)
        throws(FHIRXMLError)
    {
        for part in parts {
            let element = type.elements[part.member.element]
            guard element.isXMLAttribute else { continue }
            guard let value = part.value, part.sibling == nil, value.kind == .string else {
                throw failure(.wrongKind, part.sibling ?? part.value ?? json)
            }
            try writeAttribute(element.name, value)
        }
    }

    private mutating func writeElements(
        _ parts: [Part],
        of type: DefinedType,
        in json: JSONValue,
        named name: String
    ) throws(FHIRXMLError) {
        let parts = parts.filter { !type.elements[$0.member.element].isXMLAttribute }
        guard !parts.isEmpty else { return write("/>") }
        try enter(json)
        for part in parts { try write(part, of: type.elements[part.member.element], in: json) }
        leave(name)
    }

    /// The members in the order of the definition.
    private func parts(of json: JSONValue, _ type: DefinedType) throws(FHIRXMLError) -> [Part] {
        guard let members = json.members else { throw failure(.wrongKind, json) }
        var parts: [Part] = []
        var hasType = false
        for member in members {
            if type.kind == .resource, member.isNamed("resourceType") {
                guard !hasType else { throw failure(.repeated, member.nameValue) }
                hasType = true
                continue
            }
            let name = member.nameValue
            let found = name.withUTF8 { bytes -> (isSibling: Bool, member: DefinedMember?) in
                let isSibling = bytes.first == UInt8(ascii: "_")
                return (isSibling, type.member(UnsafeBufferPointer(rebasing: bytes[(isSibling ? 1 : 0)...])))
            }
            guard let found, let defined = found.member,
                !found.isSibling || type.elements[defined.element].type(defined).kind == .primitive
            else { throw failure(.unknownElement, name) }
            let index: Int
            if let known = parts.lastIndex(where: { $0.member == defined }) {
                index = known
            } else {
                // Behind those that precede it: members mostly are in order.
                index = (parts.lastIndex { $0.member.element <= defined.element } ?? -1) + 1
                parts.insert(Part(member: defined), at: index)
            }
            guard (found.isSibling ? parts[index].sibling : parts[index].value) == nil else {
                throw failure(.repeated, name)
            }
            if found.isSibling {
                parts[index].sibling = member.value
            } else {
                parts[index].value = member.value
            }
        }
        return parts
    }

    private mutating func write(_ part: Part, of element: DefinedElement, in json: JSONValue)
        throws(FHIRXMLError)
    {
        let type = element.type(part.member)
        let name = element.name(part.member)
        path.append(element.name)
        if element.isList {
            try writeList(name, part, type)
        } else {
            try write(name, part.value, part.sibling, type, in: json)
        }
        path.removeLast()
    }

    private mutating func writeList(_ name: String, _ part: Part, _ type: DefinedType) throws(FHIRXMLError) {
        for list in [part.value, part.sibling] {
            guard let list else { continue }
            guard let elements = list.elements else { throw failure(.wrongKind, list) }
            guard !elements.isEmpty else { throw failure(.empty, list) }
        }
        guard let list = part.value ?? part.sibling else { return }
        // The arrays run side by side, with null where one has nothing.
        let values = part.value?.elements.map(Array.init) ?? []
        let siblings = part.sibling?.elements.map(Array.init) ?? []
        for index in 0..<max(values.count, siblings.count) {
            let value = index < values.count && !values[index].isNull ? values[index] : nil
            let sibling = index < siblings.count && !siblings[index].isNull ? siblings[index] : nil
            try write(name, value, sibling, type, in: index < values.count ? values[index] : list)
        }
    }

    private mutating func write(
        _ name: String,
        _ value: JSONValue?,
        _ sibling: JSONValue?,
        _ type: DefinedType,
        in json: JSONValue
    ) throws(FHIRXMLError) {
        switch type.kind {
        case .primitive:
            try writePrimitive(name, value, sibling, type, in: json)
        case .resource:
            guard let value else { throw failure(.empty, json) }
            begin(name)
            try enter(json)
            try writeResource(value)
            leave(name)
        case .datatype, .profile, .nested:
            guard let value else { throw failure(.empty, json) }
            begin(name)
            try writeContent(of: value, type, named: name)
        }
    }

    // MARK: Primitives

    private mutating func writePrimitive(
        _ name: String,
        _ value: JSONValue?,
        _ sibling: JSONValue?,
        _ type: DefinedType,
        in json: JSONValue
    ) throws(FHIRXMLError) {
        if type.name == "xhtml" {
            guard let value, sibling == nil else { throw failure(.wrongKind, sibling ?? json) }
            return try writeNarrative(value)
        }
        if let value {
            guard !value.isNull, sibling?.members?.isEmpty != true else {
                throw failure(.empty, sibling ?? value)
            }
        } else if sibling?.isNull ?? true {
            throw failure(.empty, sibling ?? json)
        }
        begin(name)
        guard let sibling, let element = XMLShape.element else {
            if let value { try writeValue(value, type) }
            return write("/>")
        }
        let parts = try parts(of: sibling, element)
        try writeAttributes(parts, of: element, in: sibling)
        if let value { try writeValue(value, type) }
        try writeElements(parts, of: element, in: sibling, named: name)
    }

    private mutating func writeValue(_ value: JSONValue, _ type: DefinedType) throws(FHIRXMLError) {
        if let boolean = value.boolean {
            guard type.name == "boolean" else { throw failure(.wrongKind, value) }
            return write(boolean ? " value=\"true\"" : " value=\"false\"")
        }
        // What would not be read again as it is.
        guard value.withUTF8({ XMLShape.kind(of: $0, type) }) == value.kind else {
            throw failure(.wrongKind, value)
        }
        try writeAttribute("value", value)
    }

    private mutating func writeAttribute(_ name: String, _ value: JSONValue) throws(FHIRXMLError) {
        write(" ")
        write(name)
        write("=\"")
        let unwritable = value.withUTF8 { XMLText.appendAttributeValue($0, to: &output) }
        if unwritable != .some(nil) { throw failure(.unwritableCharacter, value) }
        write("\"")
    }

    /// The narrative as it is, without white space around it.
    private mutating func writeNarrative(_ value: JSONValue) throws(FHIRXMLError) {
        guard let text = value.string else { throw failure(.wrongKind, value) }
        let bytes = Array(text.utf8)
        // The document has nothing but the root: no comment beside it, no document type, and no XML
        // declaration either.
        guard let start = bytes.firstIndex(where: { !$0.isXMLSpace }), bytes[start] == UInt8(ascii: "<"),
            let end = bytes.lastIndex(where: { !$0.isXMLSpace }), !bytes[start...].starts(with: "<?".utf8),
            let root = try? XMLNode(parsing: text), root.name == "div", root.isInNamespace(XMLShape.xhtml),
            root.document.contents().count == 1
        else { throw failure(.notXHTML, value) }
        newLine()
        output.append(contentsOf: bytes[start...end])
    }

    // MARK: Tags

    private mutating func begin(_ name: String) {
        newLine()
        write("<")
        write(name)
    }

    /// Ends a start tag that elements follow.
    private mutating func enter(_ json: JSONValue) throws(FHIRXMLError) {
        guard depth < XMLShape.depth else { throw failure(.tooDeep(limit: XMLShape.depth), json) }
        write(">")
        depth += 1
    }

    private mutating func leave(_ name: String) {
        depth -= 1
        newLine()
        write("</")
        write(name)
        write(">")
    }

    private mutating func newLine() {
        guard isPretty else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func write(_ text: String) { output.append(contentsOf: text.utf8) }

    private func failure(_ reason: FHIRXMLError.Reason, _ json: JSONValue) -> FHIRXMLError {
        let location = json.location
        return FHIRXMLError(
            reason: reason,
            path: path.joined(separator: "."),
            line: location?.line,
            column: location?.column
        )
    }
}

extension UInt8 {
    /// White space in XML (section 2.3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
