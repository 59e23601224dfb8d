extension XMLNode {
    /// All text and CDATA below the node, in one string; the content of a text, comment or processing instruction.
    public func text() -> String {
        guard let node = resolved else { return "" }
        return node.tree.text(node.index)
    }

    /// Calls `body` with the UTF-8 bytes of `text()`. No string is made, and no byte is copied when the element holds
    /// one piece of text. The bytes are valid during the call.
    package func withUTF8Text<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        guard let node = resolved else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        let tree = node.tree
        if node.record.isElement {
            let child = tree.firstChild(node.index)
            if child == noNode { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
            let kind = tree.nodes[Int(child)].kind
            if kind == .text || kind == .cdata, tree.next(child) == noNode { return try body(tree.content(child)) }
        }
        var text = tree.text(node.index)
        return try text.withUTF8(body)
    }

    /// Calls `body` with the UTF-8 bytes of an attribute's value, or nil when the element has no such attribute. The
    /// name is the qualified one as it is written. No string is made. The bytes are valid during the call.
    package func withUTF8Attribute<R>(
        _ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R
    ) rethrows -> R {
        guard let node = resolved, let attribute = node.tree.attribute(node.index, named: name.utf8Buffer) else {
            return try body(nil)
        }
        return try body(node.tree.attributeValue(attribute))
    }
}
