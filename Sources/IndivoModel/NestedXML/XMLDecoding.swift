import IndivoXML

extension CompoundValue {
    /// Reads the value from an element of nested XML, such as one of a server's answers.
    ///
    /// - Parameters:
    ///   - node: The element, or its document.
    ///   - root: The name the element must have; `nil` for any.
    /// - Throws: ``DocumentError``, naming the property, the line and the reason.
    public static func read(from node: XMLNode, root: String? = nil) throws -> Self {
        try read(from: node, root: root, collecting: nil)
    }

    /// Reads as much of the value as can be read; see ``IndivoDocument/read(from:problems:)``.
    public static func read(
        from node: XMLNode, root: String? = nil, problems: inout [DocumentError]
    ) throws -> Self {
        try ReadingProblems.collect(into: &problems) { try read(from: node, root: root, collecting: $0) }
    }

    private static func read(from node: XMLNode, root: String?, collecting problems: ReadingProblems?) throws -> Self {
        let element = node.kind == .document ? node.root ?? node : node
        guard root == nil || (element.kind == .element && element.name == root) else {
            throw DocumentError(
                .notADocument(found: SDMX.describe(element), expected: "<\(root ?? "")>"), document: "\(Self.self)",
                line: element.line)
        }
        var value = Self()
        let reader = NestedReader(element, documentName: "\(Self.self)", problems: problems)
        try withUnsafeMutablePointer(to: &value) {
            try Layout.of(Self.self).read(into: UnsafeMutableRawPointer($0), reader)
        }
        return value
    }
}
