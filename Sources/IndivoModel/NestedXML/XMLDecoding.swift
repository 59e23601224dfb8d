import IndivoXML

extension CompoundValue {
    /// Reads the value from an element of nested XML, such as one of a server's answers.
    ///
    /// - Parameters:
    ///   - node: The element, or its document.
    ///   - root: The name the element must have; `nil` for any.
    /// - Throws: ``DocumentError``, naming the property, the line and the reason.
    public static func read(from node: XMLNode, root: String? = nil) throws -> Self {
        let element = node.kind == .document ? node.root ?? node : node
        guard root == nil || (element.kind == .element && element.name == root) else {
            throw DocumentError(
                .notADocument(found: SDMX.describe(element), expected: "<\(root ?? "")>"), document: "\(Self.self)",
                line: element.line)
        }
        var value = Self()
        let reader = NestedReader(element, documentName: "\(Self.self)")
        try withUnsafeMutablePointer(to: &value) {
            try Layout.of(Self.self).read(into: UnsafeMutableRawPointer($0), reader)
        }
        return value
    }
}
