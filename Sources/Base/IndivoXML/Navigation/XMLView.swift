/// A node that is only read: a handle without a reference to its tree, for walking many nodes fast.
///
/// It is good as long as somebody holds a node of the same tree and does not take this one away.
package struct XMLView: BitwiseCopyable, Equatable {
    fileprivate let tree: Unmanaged<XMLTree>
    fileprivate let index: UInt32

    @inline(__always)
    private func look<R>(_ body: (XMLTree) throws -> R) rethrows -> R {
        try tree._withUnsafeGuaranteedRef(body)
    }

    @inline(__always)
    private func at(_ index: UInt32) -> XMLView? { index == noNode ? nil : XMLView(tree: tree, index: index) }

    /// The node itself.
    package var node: XMLNode { tree.takeUnretainedValue().handle(index) }

    /// The first child that is an element.
    package var firstElement: XMLView? { at(look { $0.firstElement(in: index) }) }

    /// The next sibling that is an element.
    package var nextElement: XMLView? { at(look { $0.nextElement(index) }) }

    package var localName: UTF8Bytes { look { $0.localName(index) } }

    /// The name's number in its tree: the same for the same prefix, local name and namespace.
    package var nameNumber: UInt32 { look { $0.nodes[Int(index)].name } }

    /// Whether the name belongs to another vocabulary than the name of the element around it: it is in
    /// another namespace.
    ///
    /// No namespace is foreign to none: servers leave it out. Where the outer name is in none, a name without
    /// a prefix is not foreign either.
    package func isForeign(in parent: XMLView) -> Bool {
        look { tree in
            let names = tree.names
            let own = tree.nodes[Int(index)].name
            let outer = tree.nodes[Int(parent.index)].name
            let namespace = names.namespaceID(ofName: own)
            if namespace == 0 || own == outer || namespace == names.namespaceID(ofName: outer) {
                return false
            }
            return names.namespaceID(ofName: outer) != 0 || !names.prefix(own).isEmpty
        }
    }

    package func isNamed(_ name: StaticString) -> Bool { isNamed(name.utf8Buffer) }

    package func isNamed(_ name: UTF8Bytes) -> Bool { look { $0.localName(index).equals(name) } }

    /// The bytes of an attribute's value, by the attribute's qualified name; `nil` when there is none.
    package func attribute(_ name: UTF8Bytes) -> UTF8Bytes? {
        look { tree in tree.attribute(index, named: name).map { tree.attributeValue($0) } }
    }

    package func attribute(_ name: StaticString) -> UTF8Bytes? { attribute(name.utf8Buffer) }

    /// Whether the element has text below it that is not empty.
    package var hasText: Bool { onlyText.map { !$0.isEmpty } ?? !text().isEmpty }

    /// The bytes of `text()` where they lie in one piece; `nil` where they do not.
    package var onlyText: UTF8Bytes? { look { $0.onlyText(index) } }

    /// The element's own text and CDATA, without that of the elements in it.
    package func ownText() -> String {
        look { tree in tree.children(of: index).filter(tree.isText).map { tree.content($0).string }.joined() }
    }

    /// All text and CDATA below the element, in one string.
    package func text() -> String { look { $0.text(index) } }

    /// Whether both are the same node of the same tree.
    package static func == (a: XMLView, b: XMLView) -> Bool {
        a.index == b.index && a.tree.toOpaque() == b.tree.toOpaque()
    }
}

extension XMLNode {
    /// The node as a view; `nil` when it is gone.
    package var view: XMLView? {
        resolved.map { XMLView(tree: Unmanaged.passUnretained($0.tree), index: $0.index) }
    }
}
