extension XMLNode {
    /// Replaces what the node holds by a text: an element's children, or the content of a text, comment or processing
    /// instruction. Handles to the old children report that they were removed.
    @discardableResult
    public func text(_ new: String) -> XMLNode {
        guard let node = resolved else { return self }
        let tree = node.tree
        switch node.record.kind {
        case .element:
            tree.makeEditable()
            tree.dropChildren(node.index)
            if !new.isEmpty { tree.link(tree.makeText(new), into: node.index, before: noNode) }
        case .text, .cdata, .comment, .processingInstruction:
            tree.makeWritable()
            tree.waste(tree.nodes[Int(node.index)].payload)
            let payload = tree.store(new)
            tree.nodes[Int(node.index)].payload = payload
        case .document, .documentType, .vacant: break
        }
        return self
    }

    /// Sets an attribute by its name as it is written, or removes it with nil.
    ///
    /// A prefix takes the namespace that is in force for it here; if none is, it must be declared on this element before
    /// it can be written. `xmlns` and `xmlns:prefix` declare one, and if the prefix is the element's own, that is the
    /// element's namespace from now on.
    @discardableResult
    public func attr(_ name: String, _ value: String?) -> XMLNode {
        guard let node = resolved, node.record.isElement else { return self }
        let tree = node.tree
        tree.makeWritable()
        let isDeclaration = name == "xmlns" || name.utf8.starts(with: "xmlns:".utf8)
        var uri: String?
        var local = name
        if !isDeclaration, let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) {
            uri = node.namespace(forPrefix: String(name[..<colon]))
            local = String(name[name.utf8.index(after: colon)...])
        }
        var attributes = Array(tree.attributes(node.index))
        let place = tree.place(ofAttribute: name, in: attributes)
            ?? uri.flatMap { tree.place(ofAttribute: local, namespace: $0, in: attributes) }
        tree.put(value, at: place, in: &attributes) {
            tree.nameID(name, namespace: uri) | (isDeclaration ? AttributeRecord.declarationFlag : 0)
        }
        if isDeclaration, let value, name != "xmlns" {
            tree.settle(prefix: name.utf8.dropFirst("xmlns:".utf8.count), namespace: value, in: &attributes)
        }
        tree.setAttributes(node.index, to: attributes)
        if isDeclaration, let value, name.hasSameBytes(as: node.prefix.map { "xmlns:" + $0 } ?? "xmlns") {
            tree.rename(node.index, to: node.qualifiedName, namespace: value)
        }
        return self
    }

    /// Sets an attribute of a namespace, or removes it with nil. When it is written it gets a prefix that is declared
    /// for the namespace, the one given here if there is no other.
    @discardableResult
    public func attr(_ name: String, namespace: String, _ value: String?) -> XMLNode {
        guard let node = resolved, node.record.isElement else { return self }
        let tree = node.tree
        tree.makeWritable()
        let colon = name.utf8.firstIndex(of: UInt8(ascii: ":"))
        let local = colon.map { String(name[name.utf8.index(after: $0)...]) } ?? name
        var attributes = Array(tree.attributes(node.index))
        let place = tree.place(ofAttribute: local, namespace: namespace, in: attributes)
        tree.put(value, at: place, in: &attributes) { tree.nameID(name, namespace: namespace) }
        tree.setAttributes(node.index, to: attributes)
        return self
    }

    /// Removes an attribute, by its name as it is written.
    @discardableResult
    public func removeAttr(_ name: String) -> XMLNode { attr(name, nil) }

    /// The namespace that a prefix stands for at this node; the empty prefix is the default namespace.
    public func namespace(forPrefix prefix: String) -> String? {
        if prefix == "xml" { return NamespaceScope.xml }
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix
        var current = resolved
        while let node = current {
            if let uri = node.attr(declaration) { return uri.isEmpty ? nil : uri }
            if node.record.isElement, (node.prefix ?? "").hasSameBytes(as: prefix), let uri = node.namespace { return uri }
            current = node.parent()
        }
        return nil
    }
}

extension XMLTree {
    /// Where an attribute stands that is written so.
    fileprivate func place(ofAttribute name: String, in attributes: [AttributeRecord]) -> Int? {
        var name = name
        return name.withUTF8 { bytes in
            attributes.firstIndex { state.pointee.arena.names.qualified($0.name).equals(bytes) }
        }
    }

    /// Where an attribute of this local name and namespace stands.
    fileprivate func place(ofAttribute local: String, namespace: String, in attributes: [AttributeRecord]) -> Int? {
        let names = state.pointee.arena.names
        return attributes.firstIndex { attribute in
            !attribute.isDeclaration && names.local(attribute.name).elementsEqual(local.utf8)
                && names.namespace(names.namespaceID(ofName: attribute.name)).elementsEqual(namespace.utf8)
        }
    }

    /// Gives attributes that were set before their prefix was declared their namespace.
    fileprivate func settle(prefix: String.UTF8View.SubSequence, namespace: String, in attributes: inout [AttributeRecord]) {
        for index in attributes.indices where !attributes[index].isDeclaration {
            let names = state.pointee.arena.names
            let name = attributes[index].name
            guard names.namespaceID(ofName: name) == 0, names.prefix(name).elementsEqual(prefix) else { continue }
            attributes[index].header = nameID(names.qualified(name).string, namespace: namespace)
        }
    }

    /// Replaces, adds or takes out one of an element's attributes.
    fileprivate func put(_ value: String?, at place: Int?, in attributes: inout [AttributeRecord], header: () -> UInt32) {
        if let place {
            waste(attributes[place].value)
            if let value { attributes[place].value = store(value) } else { attributes.remove(at: place) }
        } else if let value {
            attributes.append(AttributeRecord(header: header(), value: store(value)))
        }
    }
}
