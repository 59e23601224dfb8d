import libxml2

/// A document as a tree of libxml2's own, for what libxml2 does better: XPath and schemas. Each of its nodes
/// knows the record it stands for.
final class LibXMLMirror {
    let document: xmlDocPtr
    /// libxml2's nodes by record.
    private(set) var nodes: [xmlNodePtr?]

    /// libxml2 walks trees by recursion in places; deeper documents would exhaust a task's stack.
    private static let depthLimit = 10_000

    /// - Parameter hints: Whether `xsi:schemaLocation` and its like are kept, which make libxml2 load what
    ///   they name.
    init(_ tree: XMLTree, top: UInt32 = 0, hints: Bool) throws {
        XMLLibrary.initialized
        guard let document = xmlNewDoc("1.0") else { throw XMLError(.unwritable, message: "out of memory") }
        self.document = document
        nodes = Array(repeating: nil, count: tree.state.pointee.arena.nodes.count)
        document.withMemoryRebound(to: xmlNode.self, capacity: 1) { nodes[0] = $0 }
        // The document around the elements is not a level.
        var depth = top == 0 ? -1 : 0
        try tree.visit(top) { index, isEnd in
            if isEnd { return depth -= 1 }
            if tree.firstChild(index) != noNode { depth += 1 }
            if depth > LibXMLMirror.depthLimit {
                throw XMLError(
                    .limit(.depth),
                    line: tree.handle(index).line,
                    message:
                        """
                        elements lie more than \(LibXMLMirror.depthLimit) deep, too deep for XPath and schemas
                        """
                )
            }
            guard let node = make(index, tree) else { return }
            node.pointee._private = UnsafeMutableRawPointer(bitPattern: Int(index) + 1)
            link(node, into: nodes[index == top ? 0 : Int(tree.parent(index))])
            nodes[Int(index)] = node
            guard tree.isElement(index) else { return }
            dress(node, index, tree, hints: hints)
            // What `xsi:type="p:t"` means.
            for declaration in index == top ? tree.declarationsInScope(above: top) : [] {
                xmlNewNs(node, declaration.uri, declaration.prefix.isEmpty ? nil : declaration.prefix)
            }
        }
    }

    deinit { xmlFreeDoc(document) }

    /// The record that one of libxml2's nodes stands for.
    static func index(of node: xmlNodePtr) -> UInt32? {
        if node.pointee.type == XML_DOCUMENT_NODE { return 0 }
        let mark = Int(bitPattern: node.pointee._private)
        return mark > 0 ? UInt32(mark - 1) : nil
    }

    // MARK: Making nodes

    private func make(_ index: UInt32, _ tree: XMLTree) -> xmlNodePtr? {
        let kind = tree.nodes[Int(index)].kind
        let content = kind == .element || kind == .document ? UTF8Bytes.none : tree.content(index)
        switch kind {
        case .element: return xmlNewDocRawNode(document, nil, tree.localName(index).string, nil)
        case .text: return xmlNewDocTextLen(document, content.baseAddress, Int32(content.count))
        case .cdata: return xmlNewCDataBlock(document, content.baseAddress, Int32(content.count))
        case .comment: return xmlNewDocComment(document, content.string)
        case .processingInstruction:
            return xmlNewDocPI(document, tree.localName(index).string, content.string)
        case .document, .documentType, .removed: return nil
        }
    }

    /// Puts a node at the end of its parent. `xmlAddChild` would join texts, and each is to stay itself.
    private func link(_ node: xmlNodePtr, into parent: xmlNodePtr?) {
        guard let parent else { return }
        node.pointee.parent = parent
        node.pointee.prev = parent.pointee.last
        if let last = parent.pointee.last { last.pointee.next = node } else { parent.pointee.children = node }
        parent.pointee.last = node
    }

    /// Gives an element its namespaces and attributes.
    private func dress(_ node: xmlNodePtr, _ index: UInt32, _ tree: XMLTree, hints: Bool) {
        node.pointee.line = UInt16(clamping: tree.handle(index).line ?? 0)
        let names = tree.names
        let attributes = tree.attributes(index)
        for attribute in attributes where attribute.isDeclaration {
            let prefix = names.declaredPrefix(attribute.name)
            xmlNewNs(node, tree.attributeValue(attribute).string, prefix.isEmpty ? nil : prefix)
        }
        xmlSetNs(node, namespace(of: tree.nodes[Int(index)].name, at: node, names, isAttribute: false))
        for attribute in attributes where !attribute.isDeclaration {
            let local = names.local(attribute.name).string
            let isHint =
                ["schemaLocation", "noNamespaceSchemaLocation"].contains(local)
                && names.namespace(ofName: attribute.name).equals("http://www.w3.org/2001/XMLSchema-instance")
            if isHint, !hints { continue }
            let namespace = namespace(of: attribute.name, at: node, names, isAttribute: true)
            xmlNewNsProp(node, namespace, local, tree.attributeValue(attribute).string)
        }
    }

    /// The declaration that a name needs at a node, made if there is none.
    private func namespace(of name: UInt32, at node: xmlNodePtr, _ names: XMLNameTable, isAttribute: Bool)
        -> xmlNsPtr?
    {
        let uri = names.namespace(ofName: name)
        let prefix = names.prefix(name).stringOrNil
        if uri.isEmpty { return nil }
        if prefix == "xml" { return xmlSearchNs(document, node, "xml") }
        if prefix != nil || !isAttribute {
            let known = xmlSearchNs(document, node, prefix)
            if let known, String(cString: known.pointee.href).utf8.elementsEqual(uri) { return known }
            if let new = xmlNewNs(node, uri.string, prefix) { return new }
        }
        return (1...).lazy.compactMap { xmlNewNs(node, uri.string, "ns\($0)") }.first { _ in true }
    }
}

extension XMLTree {
    /// The document as libxml2 sees it, kept until the next edit.
    func mirror() throws -> LibXMLMirror {
        if let known = state.pointee.mirror { return known }
        let mirror = try LibXMLMirror(self, hints: true)
        state.pointee.mirror = mirror
        return mirror
    }
}
