/// Makes a new document from its start to its end, in the order in which it is read: the fastest way to make
/// a large one.
///
/// ```swift
/// let xml = XMLAssembler()
/// guard let name = xml.name("Models") else { … }
/// xml.start(name)
/// xml.text("…")
/// xml.end()
/// let root = xml.root
/// ```
package final class XMLAssembler {
    /// A name that the document knows.
    package struct Name: BitwiseCopyable { fileprivate let id: UInt32 }

    /// An attribute's value that the document holds.
    package struct Value: BitwiseCopyable { fileprivate let offset: UInt32 }

    private let tree = XMLTree()
    private var parent: UInt32 = 0
    private var lastSibling = noNode
    /// Whether the open element has nothing yet but attributes.
    private var isInTag = false

    package init() {}

    /// A name to give to elements and attributes.
    /// - Parameters:
    ///   - local: The name without a prefix.
    ///   - namespace: The namespace's URI; `nil` without one.
    /// - Returns: `nil` for what XML does not allow as a name.
    package func name(_ local: String, namespace: String? = nil) -> Name? {
        NameRules.isLocalName(local) ? Name(id: tree.nameID(local, namespace: namespace)) : nil
    }

    /// Begins an element.
    package func start(_ name: Name) {
        parent = append(NodeRecord(kind: .element, name: name.id, parent: parent))
        lastSibling = noNode
        isInTag = true
    }

    /// Gives the open element an attribute, unless it has content already.
    package func attribute(_ name: Name, _ value: String) { attribute(name, self.value(value)) }

    /// A value to give to many attributes: then it is stored once.
    package func value(_ text: String) -> Value { Value(offset: tree.store(text)) }

    /// The same from bytes in UTF-8.
    package func value(_ text: UTF8Bytes) -> Value { Value(offset: tree.store(text)) }

    /// Gives the open element an attribute, unless it has content already.
    package func attribute(_ name: Name, _ value: Value) {
        guard isInTag else { return }
        let last = tree.state.pointee.arena.attributes.count - 1
        if tree.nodes[Int(parent)].hasAttributes {
            tree.state.pointee.arena.attributes.base[last].isLast = false
        } else {
            tree.nodes[Int(parent)].header |= NodeRecord.attributesFlag
            tree.nodes[Int(parent)].payload = UInt32(last + 1)
        }
        tree.state.pointee.arena.attributes.append(
            AttributeRecord(header: name.id | AttributeRecord.lastFlag, value: value.offset)
        )
    }

    /// Adds text to the open element.
    package func text(_ text: String) { text.withBytes { self.text($0) } }

    /// Adds text in UTF-8 to the open element.
    package func text(_ text: UTF8Bytes) {
        guard !text.isEmpty else { return }
        lastSibling = append(NodeRecord(kind: .text, parent: parent, payload: tree.store(text)))
        isInTag = false
    }

    /// Ends the open element.
    package func end() {
        lastSibling = parent
        parent = tree.nodes[Int(parent)].parent
        isInTag = false
    }

    /// The open element. What is to come is not in it yet.
    package var current: XMLNode { tree.handle(parent) }

    /// The document's root element, once it was ended.
    package var root: XMLNode? { tree.handle(orNil: tree.firstElement(in: 0)) }

    private func append(_ record: NodeRecord) -> UInt32 {
        precondition(
            tree.state.pointee.arena.nodes.count < noNode,
            "an XML document can have no more than \(noNode) nodes"
        )
        return tree.state.pointee.arena.append(record, behind: lastSibling)
    }
}
