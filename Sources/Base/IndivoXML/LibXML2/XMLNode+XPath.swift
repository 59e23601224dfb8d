import libxml2

/// The result of an XPath expression.
public enum XMLXPathResult {
    /// Elements, texts, comments, processing instructions or the document, in document order.
    case nodes(XMLSelection)
    /// Attributes, in document order.
    case attributes([XMLAttributes.Attribute])
    /// A text.
    case string(String)
    /// A number; not a number where the expression gives none.
    case number(Double)
    /// True or false.
    case boolean(Bool)

    /// The nodes; an empty selection for other results.
    public var nodes: XMLSelection {
        if case .nodes(let nodes) = self { nodes } else { XMLSelection() }
    }

    /// The result as a string, as XPath's `string()` converts it: of nodes, the text of the first.
    public var string: String {
        switch self {
        case .nodes(let nodes): nodes.first?.text() ?? ""
        case .attributes(let attributes): attributes.first?.value ?? ""
        case .string(let string): string
        case .number(let number):
            number.isNaN
                ? "NaN"
                : number.isInfinite
                    ? (number < 0 ? "-Infinity" : "Infinity")
                    : number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .boolean(let boolean): boolean ? "true" : "false"
        }
    }

    /// The result as a truth, as XPath's `boolean()` converts it.
    public var boolean: Bool {
        switch self {
        case .nodes(let nodes): !nodes.isEmpty
        case .attributes(let attributes): !attributes.isEmpty
        case .string(let string): !string.isEmpty
        case .number(let number): number != 0 && !number.isNaN
        case .boolean(let boolean): boolean
        }
    }
}

extension XMLNode {
    /// Evaluates an XPath 1.0 expression with this node as its context.
    ///
    /// ```swift
    /// try root.xpath("//d:Field[@name='dose']", namespaces: ["d": uri]).nodes
    /// ```
    ///
    /// For many expressions on a document: the first after an edit makes a copy of the document for libxml2.
    ///
    /// - Parameter namespaces: URIs by the prefixes that the expression uses. XPath has no default namespace.
    /// - Throws: `XMLError` of kind `xpath`.
    public func xpath(_ expression: String, namespaces: [String: String] = [:]) throws -> XMLXPathResult {
        guard let node = resolved else {
            throw XMLError(.xpath, message: "the node was removed; there is nothing to search")
        }
        // A node that was taken out is in no document, so that it gets one of its own.
        let top = node.tree.top(of: node.index)
        let mirror = try top == 0 ? node.tree.mirror() : LibXMLMirror(node.tree, top: top, hints: true)
        guard let context = xmlXPathNewContext(mirror.document) else {
            throw XMLError(.xpath, message: "out of memory")
        }
        defer { xmlXPathFreeContext(context) }
        // An expression can be made to run for ever; this many steps take some seconds.
        context.pointee.opLimit = 500_000_000
        for (prefix, uri) in namespaces { xmlXPathRegisterNs(context, prefix, uri) }
        let (object, messages) = LibXMLMessage.collected { () -> xmlXPathObjectPtr? in
            guard let place = mirror.nodes[Int(node.index)], xmlXPathSetContextNode(place, context) == 0
            else { return nil }
            return xmlXPathEvalExpression(expression, context)
        }
        if let object {
            defer { xmlXPathFreeObject(object) }
            return try node.result(object)
        }
        let undeclared = XMLNode.prefixes(in: expression).filter { namespaces[$0] == nil }
        if let first = undeclared.first {
            let names = undeclared.map { "“\($0)”" }.joined(separator: ", ")
            let message =
                "XPath: no namespace is given for the prefix\(undeclared.count == 1 ? "" : "es") \(names)"
            throw XMLError(.xpath, message: message + "; write xpath(…, namespaces: [\"\(first)\": \"URI\"])")
        }
        let reason = messages.first.map {
            "XPath, column \($0.number + 1): " + $0.text.prefix(while: { !$0.isNewline })
        }
        throw XMLError(.xpath, message: reason ?? "the expression cannot be evaluated")
    }

    /// The prefixes of names in an expression, sorted; `xml` is always declared.
    private static func prefixes(in expression: String) -> [String] {
        let plain = expression.replacing(#/"[^"]*"|'[^']*'/#, with: "")
        let found = plain.matches(of: #/([\p{L}_][\p{L}\p{N}._\-]*):(?=[\p{L}_*])/#).map { String($0.1) }
        return Set(found).subtracting(["xml"]).sorted()
    }

    private func result(_ object: xmlXPathObjectPtr) throws -> XMLXPathResult {
        switch object.pointee.type {
        case XPATH_STRING: return .string(object.pointee.stringval.map { String(cString: $0) } ?? "")
        case XPATH_NUMBER: return .number(object.pointee.floatval)
        case XPATH_BOOLEAN: return .boolean(object.pointee.boolval != 0)
        case XPATH_NODESET: break
        default:
            throw XMLError(.xpath, message: "the expression's value is of no type of XPath 1.0")
        }
        guard let set = object.pointee.nodesetval, set.pointee.nodeNr > 0 else {
            return .nodes(XMLSelection())
        }
        xmlXPathNodeSetSort(set)
        let items = (0..<Int(set.pointee.nodeNr)).compactMap { set.pointee.nodeTab[$0] }
        if items.allSatisfy({ $0.pointee.type == XML_ATTRIBUTE_NODE }) {
            return .attributes(items.map(XMLNode.attribute))
        }
        let indices = items.compactMap { item in
            [XML_ATTRIBUTE_NODE, XML_NAMESPACE_DECL].contains(item.pointee.type)
                ? nil : LibXMLMirror.index(of: item)
        }
        guard indices.count == items.count else {
            throw XMLError(
                .xpath,
                message: "the expression finds nodes and attributes together; ask for one kind"
            )
        }
        return .nodes(XMLSelection(tree: tree, indices: indices))
    }

    private static func attribute(_ node: xmlNodePtr) -> XMLAttributes.Attribute {
        let content = xmlBufferCreate()
        defer { xmlBufferFree(content) }
        xmlNodeBufGetContent(content, node)
        let local = String(cString: node.pointee.name)
        let prefix = node.pointee.ns?.pointee.prefix.map { String(cString: $0) }
        return XMLAttributes.Attribute(
            name: local,
            qualifiedName: prefix.map { $0 + ":" + local } ?? local,
            namespace: node.pointee.ns?.pointee.href.map { String(cString: $0) },
            value: xmlBufferContent(content).map { String(cString: $0) } ?? ""
        )
    }
}
