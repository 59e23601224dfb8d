extension XMLNode {
    func setText(_ new: String) {
        guard let node = resolved else { return }
        let tree = node.tree
        switch node.record.kind {
        case .element:
            tree.makeEditable()
            tree.dropChildren(node.index)
            if !new.isEmpty { tree.link(tree.makeText(new), into: node.index, before: noNode) }
        case .text, .cdata, .comment, .processingInstruction:
            tree.makeWritable()
            tree.waste(tree.nodes[Int(node.index)].payload)
            tree.nodes[Int(node.index)].payload = tree.store(new)
        case .document, .documentType, .removed: break
        }
    }

    func setAttribute(_ name: String, _ value: String?) {
        editAttributes { node, tree, attributes in
            let (prefix, local) = name.parts
            let isDeclaration = name == "xmlns" || prefix == "xmlns"
            let uri = isDeclaration ? nil : prefix.flatMap { node.namespace(forPrefix: $0) }
            let place =
                attributes.firstIndex { tree.names.qualified($0.name).elementsEqual(name.utf8) }
                ?? uri.flatMap { tree.place(ofAttribute: local, namespace: $0, in: attributes) }
            tree.put(value, at: place, in: &attributes) {
                tree.nameID(name, namespace: uri) | (isDeclaration ? AttributeRecord.declarationFlag : 0)
            }
            guard isDeclaration, let value else { return }
            if prefix != nil { tree.settle(prefix: local, namespace: value, in: &attributes) }
            if name.hasSameBytes(as: node.prefix.map { "xmlns:" + $0 } ?? "xmlns") {
                tree.rename(node.index, to: node.qualifiedName, namespace: value)
            }
        }
    }

    /// Sets an attribute of a namespace, or removes it with nil. When it is written it gets a prefix that is
    /// declared for the namespace, the one given here if there is no other.
    @discardableResult
    public func attr(_ name: String, namespace: String, _ value: String?) -> XMLNode {
        editAttributes { _, tree, attributes in
            let place = tree.place(ofAttribute: name.parts.local, namespace: namespace, in: attributes)
            tree.put(value, at: place, in: &attributes) { tree.nameID(name, namespace: namespace) }
        }
        return self
    }

    private func editAttributes(_ edit: (XMLNode, XMLTree, inout [AttributeRecord]) -> Void) {
        guard let node = resolved, node.record.isElement else { return }
        node.tree.makeWritable()
        var attributes = Array(node.tree.attributes(node.index))
        edit(node, node.tree, &attributes)
        node.tree.setAttributes(node.index, to: attributes)
    }

    /// The namespace that a prefix stands for at this node; the empty prefix is the default namespace.
    public func namespace(forPrefix prefix: String) -> String? {
        if prefix == "xml" { return NamespaceScope.xml }
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix
        var current = resolved
        while let node = current {
            if let uri = node.attr(declaration) { return uri.isEmpty ? nil : uri }
            if node.record.isElement, (node.prefix ?? "").hasSameBytes(as: prefix), let uri = node.namespace {
                return uri
            }
            current = node.parent()
        }
        return nil
    }
}

extension XMLTree {
    /// Gives attributes that were set before their prefix was declared their namespace.
    fileprivate func settle(prefix: String, namespace: String, in attributes: inout [AttributeRecord]) {
        for index in attributes.indices where !attributes[index].isDeclaration {
            let name = attributes[index].name
            guard names.namespaceID(ofName: name) == 0, names.prefix(name).elementsEqual(prefix.utf8) else {
                continue
            }
            attributes[index].header = nameID(names.qualified(name).string, namespace: namespace)
        }
    }

    /// Replaces, adds or takes out one of an element's attributes.
    fileprivate func put(
        _ value: String?,
        at place: Int?,
        in attributes: inout [AttributeRecord],
        header: () -> UInt32
    ) {
        if let place {
            waste(attributes[place].value)
            if let value { attributes[place].value = store(value) } else { attributes.remove(at: place) }
        } else if let value {
            attributes.append(AttributeRecord(header: header(), value: store(value)))
        }
    }
}

extension String {
    /// The prefix and the local name that the text is as a qualified name.
    fileprivate var parts: (prefix: String?, local: String) {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return (nil, self) }
        return (String(self[..<colon]), String(self[utf8.index(after: colon)...]))
    }
}
