import FHIRTables
import IndivoXML
import OrderedJSON

/// Reads a resource's XML into the JSON that it stands for (FHIR R4, “XML representation of resources”).
///
/// The JSON is written as a text and parsed, since everything else is fast on the parsed, compact form.
struct FHIRXMLReader {
    /// An element of FHIR with its index among all elements of the document.
    private struct Element {
        let node: XMLNode
        let index: Int
    }

    private let source: [UInt8]
    private let spans: [ElementSpans.Span]
    private var json: [UInt8] = []
    private var path: [String] = []
    /// Where elements begin, for ``FHIRXMLLocations``.
    private var marks: [FHIRXMLLocations.Mark] = []

    /// - Throws: ``FHIRXMLError``, with line and column.
    static func read(
        _ source: [UInt8],
        limits: XMLLimits
    ) throws(FHIRXMLError) -> (tree: JSONValue, locations: FHIRXMLLocations) {
        var limits = limits
        limits.depth = min(limits.depth, XMLShape.depth)
        // There are no entities without a document type, which is refused.
        limits.entityExpansionBytes = 0
        limits.entityDepth = 0
        guard SourceDeclaration.isUTF8(source) else { throw failure(.notUTF8, in: source) }
        let root: XMLNode
        do {
            root = try XMLNode(parsing: source, options: XMLParseOptions(limits: limits, encoding: "UTF-8"))
        } catch let error as XMLError {
            throw FHIRXMLError(reason: .notXML(error), path: "", line: error.line, column: error.column)
        } catch {
            throw failure(.notUTF8, in: source)
        }
        guard !root.document.contents().contains(where: { $0.kind == .documentType }) else {
            throw failure(.documentType, in: source)
        }
        var reader = FHIRXMLReader(source)
        try reader.readResource(Element(node: root, index: 0), isRoot: true)
        var jsonLimits = JSONLimits()
        jsonLimits.numberLength = .max
        do {
            let tree = try JSONValue(parsing: reader.json, limits: jsonLimits)
            return (tree, FHIRXMLLocations(source: source, marks: reader.marks))
        } catch {
            throw failure(.tooLarge, in: source)
        }
    }

    private init(_ source: [UInt8]) {
        self.source = source
        spans = ElementSpans(source).spans
        json.reserveCapacity(source.count)
    }

    // MARK: Elements of several parts

    private mutating func readResource(_ element: Element, isRoot: Bool = false) throws(FHIRXMLError) {
        let name = element.node.name
        guard element.node.isInNamespace(XMLShape.namespace) else { throw failure(.wrongNamespace, element) }
        guard let type = XMLShape.resource(named: name) else { throw failure(.notAResource, element) }
        if path.isEmpty { path.append(type.name) }
        mark(element)
        write("{\"resourceType\":\"\(type.name)\"")
        try readContent(of: element, type, isRoot: isRoot)
        write("}")
    }

    /// Writes the members for an element's attributes and child elements.
    private mutating func readContent(
        of element: Element,
        _ type: DefinedType,
        isRoot: Bool = false
    ) throws(FHIRXMLError) {
        for attribute in try attributes(of: element, type, isRoot: isRoot) {
            writeMember(type.elements[attribute.element].name, attribute.value)
        }
        try readElements(try children(of: element), of: type)
    }

    private mutating func readElements(_ children: [Element], of type: DefinedType) throws(FHIRXMLError) {
        var next = 0
        // The order is not checked: JSON has none, and people who write XML by hand get it wrong. A choice
        // may have several types here, which validation reports.
        var seen: [DefinedMember] = []
        while next < children.count {
            let member = try member(children[next], type)
            guard !seen.contains(member) else {
                throw failure(type.elements[member.element].isList ? .divided : .repeated, children[next])
            }
            seen.append(member)
            var end = next + 1
            while end < children.count, try self.member(children[end], type) == member { end += 1 }
            try read(children[next..<end], type.elements[member.element], member)
            next = end
        }
    }

    private func member(_ element: Element, _ type: DefinedType) throws(FHIRXMLError) -> DefinedMember {
        guard let member = element.node.view.flatMap({ type.member($0.localName) }),
            !type.elements[member.element].isXMLAttribute
        else { throw failure(.unknownElement, element) }
        let isNarrative = type.elements[member.element].type(member).name == "xhtml"
        guard element.node.isInNamespace(isNarrative ? XMLShape.xhtml : XMLShape.namespace) else {
            throw failure(.wrongNamespace, element)
        }
        return member
    }

    /// Writes the member for several elements of one name.
    private mutating func read(
        _ elements: ArraySlice<Element>,
        _ definition: DefinedElement,
        _ member: DefinedMember
    ) throws(FHIRXMLError) {
        let type = definition.type(member)
        path.append(definition.name)
        if !definition.isList, elements.count > 1 {
            throw failure(.repeated, elements[elements.startIndex + 1])
        }
        let name = definition.name(member)
        if type.kind == .primitive, type.name != "xhtml" {
            try readPrimitives(elements, name, type, isList: definition.isList)
        } else {
            mark(elements.first)
            writeName(name)
            if definition.isList { write("[") }
            for element in elements {
                separate()
                mark(element)
                try readValue(element, type)
            }
            if definition.isList { write("]") }
        }
        path.removeLast()
    }

    private mutating func readValue(_ element: Element, _ type: DefinedType) throws(FHIRXMLError) {
        switch type.kind {
        case .primitive:
            StringEscapes.appendQuoted(narrative(element), to: &json)
        case .resource:
            try forbidAttributes(element)
            let children = try children(of: element)
            guard let resource = children.first else { throw failure(.notAResource, element) }
            guard children.count == 1 else { throw failure(.repeated, children[1]) }
            try readResource(resource)
        case .datatype, .profile, .nested:
            write("{")
            try readContent(of: element, type)
            write("}")
        }
    }

    /// The text of a `div` as it was written, if it declares its namespaces itself.
    private func narrative(_ element: Element) -> [UInt8] {
        let span = spans[element.index]
        let text = Array(source[span.start..<span.end])
        if let root = try? XMLNode(parsing: text, options: XMLParseOptions(encoding: "UTF-8")),
            root.isInNamespace(XMLShape.xhtml)
        {
            return text
        }
        return (try? element.node.data()).map(Array.init) ?? text
    }

    // MARK: Primitives

    /// Writes values, and then their ids and extensions; in arrays, `null` stands for a missing one.
    private mutating func readPrimitives(
        _ elements: ArraySlice<Element>,
        _ name: String,
        _ type: DefinedType,
        isList: Bool
    ) throws(FHIRXMLError) {
        var values: [[UInt8]?] = []
        var siblings: [[UInt8]?] = []
        for element in elements {
            let parts = try readPrimitive(element)
            values.append(parts.value)
            siblings.append(parts.sibling)
        }
        if values.contains(where: { $0 != nil }) {
            mark(elements.first)
            writeName(name)
            if isList { write("[") }
            for (element, value) in zip(elements, values) {
                separate()
                mark(element)
                if let value { write(value, of: type) } else { write("null") }
            }
            if isList { write("]") }
        }
        if siblings.contains(where: { $0 != nil }) {
            mark(elements.first)
            writeName("_" + name)
            if isList { write("[") }
            for (element, sibling) in zip(elements, siblings) {
                separate()
                mark(element)
                if let sibling { json.append(contentsOf: sibling) } else { write("null") }
            }
            if isList { write("]") }
        }
    }

    /// The value, and an object of the `id` and the extensions.
    private mutating func readPrimitive(
        _ element: Element
    ) throws(FHIRXMLError) -> (value: [UInt8]?, sibling: [UInt8]?) {
        var value: [UInt8]?
        var identifier: [UInt8]?
        var isKnown = true
        element.node.forEachUTF8Attribute { name, namespace, text in
            if namespace.isEmpty, name.elementsEqual("value".utf8) {
                value = Array(text)
            } else if namespace.isEmpty, name.elementsEqual("id".utf8) {
                identifier = Array(text)
            } else {
                isKnown = false
            }
            return isKnown
        }
        guard isKnown else { throw failure(.unknownAttribute, element) }
        let children = try children(of: element)
        if identifier == nil, children.isEmpty, value != nil { return (value, nil) }
        // It is written to a separate buffer, since it comes after all values.
        let rest = (json: json, marks: marks.count)
        json = [UInt8(ascii: "{")]
        if let identifier { writeMember("id", identifier) }
        if let type = XMLShape.element { try readElements(children, of: type) }
        write("}")
        let sibling = json
        json = rest.json
        marks.removeLast(marks.count - rest.marks)
        return (value, sibling)
    }

    private mutating func write(_ value: [UInt8], of type: DefinedType) {
        switch value.withUnsafeBufferPointer({ XMLShape.kind(of: $0, type) }) {
        case .string: StringEscapes.appendQuoted(value, to: &json)
        default: json.append(contentsOf: value)
        }
    }

    // MARK: Parts of elements

    /// The attributes that are members, in the order of the definition.
    private func attributes(
        of element: Element,
        _ type: DefinedType,
        isRoot: Bool
    ) throws(FHIRXMLError) -> [(element: Int, value: [UInt8])] {
        var result: [(element: Int, value: [UInt8])] = []
        var isKnown = true
        element.node.forEachUTF8Attribute { name, namespace, value in
            if namespace.isEmpty, let member = type.member(name), type.elements[member.element].isXMLAttribute
            {
                result.append((member.element, Array(value)))
            } else {
                isKnown =
                    isRoot && namespace.elementsEqual("http://www.w3.org/2001/XMLSchema-instance".utf8)
                    && name.reversed().starts(with: "schemaLocation".utf8.reversed())
            }
            return isKnown
        }
        guard isKnown else { throw failure(.unknownAttribute, element) }
        return result.sorted { $0.element < $1.element }
    }

    private func forbidAttributes(_ element: Element) throws(FHIRXMLError) {
        var hasAttributes = false
        element.node.forEachUTF8Attribute { _, _, _ in
            hasAttributes = true
            return false
        }
        if hasAttributes { throw failure(.unknownAttribute, element) }
    }

    private func children(of element: Element) throws(FHIRXMLError) -> [Element] {
        var result: [Element] = []
        var index = element.index + 1
        for node in element.node.contents() {
            switch node.kind {
            case .element:
                guard spans.indices.contains(index) else { throw failure(.unexpectedText, element) }
                result.append(Element(node: node, index: index))
                index += spans[index].count
            case .text, .cdata:
                guard node.text().utf8.allSatisfy(\.isXMLSpace) else {
                    throw failure(.unexpectedText, element)
                }
            default: break
            }
        }
        return result
    }

    // MARK: JSON

    /// What comes next is the element's.
    private mutating func mark(_ element: Element?) {
        guard let element, spans.indices.contains(element.index) else { return }
        marks.append(FHIRXMLLocations.Mark(json: json.count, xml: spans[element.index].start))
    }

    private mutating func writeMember(_ name: String, _ value: [UInt8]) {
        writeName(name)
        StringEscapes.appendQuoted(value, to: &json)
    }

    private mutating func writeName(_ name: String) {
        if json.last != UInt8(ascii: "{") { write(",") }
        write("\"\(name)\":")
    }

    /// A comma between the elements of an array.
    private mutating func separate() {
        if json.last != UInt8(ascii: "["), json.last != UInt8(ascii: ":") { write(",") }
    }

    private mutating func write(_ text: String) { json.append(contentsOf: text.utf8) }

    // MARK: Errors

    private func failure(_ reason: FHIRXMLError.Reason, _ element: Element) -> FHIRXMLError {
        let start = spans.indices.contains(element.index) ? spans[element.index].start : 0
        return Self.failure(reason, at: start, in: source, path: path.joined(separator: "."))
    }

    private static func failure(
        _ reason: FHIRXMLError.Reason,
        at offset: Int = 0,
        in source: [UInt8],
        path: String = ""
    ) -> FHIRXMLError {
        let position = FHIRXMLLocations.position(of: offset, in: source)
        return FHIRXMLError(reason: reason, path: path, line: position.line, column: position.column)
    }
}
