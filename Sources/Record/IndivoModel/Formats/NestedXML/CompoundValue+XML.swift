import IndivoXML

extension CompoundValue {
    /// Reads the value from an element of nested XML, such as a server's response.
    /// - Parameters:
    ///   - node: The element, or its document.
    ///   - root: The name the element must have; `nil` for any.
    /// - Throws: ``DocumentError``, naming the property, the line and the reason.
    public static func read(from node: XMLNode, root: String? = nil) throws -> Self {
        try read(from: node, root: root, collecting: nil)
    }

    /// Reads as much of the value as can be read; see ``IndivoDocument/read(from:problems:)``.
    public static func read(from node: XMLNode, root: String? = nil, problems: inout [DocumentError]) throws
        -> Self
    {
        try ReadingProblems.collect(into: &problems) { try read(from: node, root: root, collecting: $0) }
    }

    private static func read(from node: XMLNode, root: String?, collecting problems: ReadingProblems?) throws
        -> Self
    {
        let element = node.kind == .document ? node.root ?? node : node
        guard root == nil || (element.kind == .element && element.name == root) else {
            throw DocumentError(element, isNot: "<\(root ?? "")>", document: "\(Self.self)")
        }
        let reader = FieldSchema.Reader(ModelSchema.of(Self.self), .nested, problems: problems)
        reader.decode(element)
        return try reader.value()
    }

    /// The value as nested XML: elements and attributes in the order of their declaration.
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - namespace: The namespace of the element and of those below it.
    /// - Throws: ``DocumentError`` when a field cannot stand in XML.
    public func xml(_ name: String, namespace: String? = nil) throws -> XMLNode {
        let element = XMLNode(name, namespace: namespace)
        try NestedWriter.write(self, into: element, isNew: true)
        return element
    }

    /// The value as nested XML in a copy of the element it was read from: content that the type does not know
    /// is kept where it was, and only fields that changed are written.
    /// - Parameter source: The element, or its document; it stays as it is.
    /// - Returns: The element's copy; for a root element what stood around it is copied too.
    /// - Throws: ``DocumentError`` when a field cannot stand in XML.
    public func xml(updating source: XMLNode) throws -> XMLNode {
        let original = source.kind == .document ? source.root ?? source : source
        let element = original.cloneInDocument()
        try NestedWriter.write(self, into: element, isNew: false)
        return element
    }
}
