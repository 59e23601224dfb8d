#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// A document as a tree of libxml2's own, for what libxml2 does better: XPath and schemas.
///
/// Each of its nodes knows the record it stands for.
final class LibXMLMirror {
    let document: xmlDocPtr
    /// libxml2's nodes by record.
    private var nodes: [xmlNodePtr?]
    private let tree: Unmanaged<XMLTree>

    /// libxml2 walks trees by recursion in places; deeper documents would exhaust a task's stack.
    private static let depthLimit = 10_000

    /// - Parameter hints: Whether `xsi:schemaLocation` and its like are kept, which make libxml2 load what they name.
    init(_ tree: XMLTree, top: UInt32 = 0, hints: Bool) throws {
        XMLLibrary.initialize()
        guard let document = xmlNewDoc("1.0") else { throw XMLError(.unwritable, message: "out of memory") }
        self.document = document
        self.tree = Unmanaged.passUnretained(tree)
        nodes = Array(repeating: nil, count: tree.state.pointee.arena.nodes.count)
        document.withMemoryRebound(to: xmlNode.self, capacity: 1) { nodes[0] = $0 }
        var current = top == 0 ? tree.following(0, within: 0) : top
        var depth = 0
        while current != noNode {
            let parent = current == top ? 0 : tree.parent(current)
            if let node = make(current, tree) {
                node.pointee._private = UnsafeMutableRawPointer(bitPattern: Int(current) + 1)
                link(node, into: nodes[Int(parent)])
                nodes[Int(current)] = node
                if tree.isElement(current) { dress(node, current, tree, hints: hints) }
                if current == top, tree.isElement(top) {
                    // What `xsi:type="p:t"` means.
                    for declaration in tree.declarationsInScope(above: top) {
                        xmlNewNs(node, declaration.uri, declaration.prefix.isEmpty ? nil : declaration.prefix)
                    }
                }
            }
            if tree.firstChild(current) != noNode {
                depth += 1
                if depth > LibXMLMirror.depthLimit {
                    throw XMLError(
                        .limit(.depth), line: tree.handle(current).line,
                        message: "elements lie more than \(LibXMLMirror.depthLimit) deep, too deep for XPath and schemas")
                }
                current = tree.firstChild(current)
                continue
            }
            while current != noNode, current != top, tree.next(current) == noNode {
                current = tree.parent(current)
                depth -= 1
            }
            current = current == top || current == noNode ? noNode : tree.next(current)
        }
    }

    deinit { xmlFreeDoc(document) }

    func node(_ index: UInt32) -> xmlNodePtr? { nodes[Int(index)] }

    /// The record that one of libxml2's nodes stands for.
    static func index(of node: xmlNodePtr) -> UInt32? {
        if node.pointee.type == XML_DOCUMENT_NODE { return 0 }
        let mark = Int(bitPattern: node.pointee._private)
        return mark > 0 ? UInt32(mark - 1) : nil
    }

    // MARK: Making nodes

    private func make(_ index: UInt32, _ tree: XMLTree) -> xmlNodePtr? {
        let record = tree.nodes[Int(index)]
        switch record.kind {
        case .element: return xmlNewDocRawNode(document, nil, tree.localName(index).string, nil)
        case .text:
            let text = tree.content(index)
            return xmlNewDocTextLen(document, text.baseAddress, Int32(text.count))
        case .cdata:
            let text = tree.content(index)
            return xmlNewCDataBlock(document, text.baseAddress, Int32(text.count))
        case .comment: return xmlNewDocComment(document, tree.content(index).string)
        case .processingInstruction: return xmlNewDocPI(document, tree.localName(index).string, tree.content(index).string)
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
        let names = tree.state.pointee.arena.names
        let attributes = tree.attributes(index)
        for attribute in attributes where attribute.isDeclaration {
            let prefix = names.prefix(attribute.name).isEmpty ? nil : names.local(attribute.name).string
            xmlNewNs(node, tree.attributeValue(attribute).string, prefix)
        }
        let name = tree.nodes[Int(index)].name
        xmlSetNs(node, namespace(of: name, at: node, names, isAttribute: false))
        for attribute in attributes where !attribute.isDeclaration {
            let uri = names.namespace(names.namespaceID(ofName: attribute.name))
            if !hints, uri.elementsEqual("http://www.w3.org/2001/XMLSchema-instance".utf8),
                ["schemaLocation", "noNamespaceSchemaLocation"].contains(names.local(attribute.name).string) {
                continue
            }
            let namespace = namespace(of: attribute.name, at: node, names, isAttribute: true)
            let local = names.local(attribute.name).string
            xmlNewNsProp(node, namespace, local, tree.attributeValue(attribute).string)
        }
    }

    /// The declaration that a name needs at a node, made if there is none.
    private func namespace(of name: UInt32, at node: xmlNodePtr, _ names: NameTable, isAttribute: Bool) -> xmlNsPtr? {
        let uri = names.namespace(names.namespaceID(ofName: name))
        if uri.isEmpty { return nil }
        let prefix = names.prefix(name).string
        if prefix == "xml" { return xmlSearchNs(document, node, "xml") }
        if !prefix.isEmpty || !isAttribute, let known = xmlSearchNs(document, node, prefix.isEmpty ? nil : prefix),
            String(cString: known.pointee.href).utf8.elementsEqual(uri) {
            return known
        }
        if !prefix.isEmpty || !isAttribute, let new = xmlNewNs(node, uri.string, prefix.isEmpty ? nil : prefix) {
            return new
        }
        var number = 1
        while true {
            if let new = xmlNewNs(node, uri.string, "ns\(number)") { return new }
            number += 1
        }
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
