/// The tree behind the nodes of a document: an arena, alone or shared, and after the first edit the links
/// that edits need. A tree belongs to one task at a time, like a Swift array held by a class; what tasks
/// share is `XMLSnapshot`. State lies in a struct behind a pointer, because class properties cost an
/// exclusivity check at every access.
final class XMLTree {
    struct State {
        var arena: Arena
        /// The owner of the arena's memory when it is shared; nil when this tree alone owns it.
        var frozen: FrozenArena?
        /// One a record once the tree was edited; empty before, when the order of the records is enough.
        var links = Column<Link>()
        /// Freed slots, used again.
        var vacant: [UInt32] = []
        /// The trees that nodes moved to, to which slots marked as moved refer.
        var destinations: [Destination] = []
        /// Hash values of nodes that came from other trees, so that a node's hash survives its move.
        var identities: [UInt32: Int] = [:]
        /// The tops of subtrees that were taken out of the document.
        var removedTops: Set<UInt32> = []
        var nameIDs: [NameKey: UInt32]?
        var namespaceIDs: [UTF8Key: UInt32]?
        /// Each record's position in document order, made when needed and dropped by the next edit.
        var order: [UInt32]?
        /// The document as libxml2 sees it, dropped by the next edit.
        var mirror: LibXMLMirror?
        /// Bytes that no record refers to any more.
        var wastedBytes = 0
        var wastedAttributes = 0
        /// Whether code set attributes, so that the parser's checks of attributes no longer apply.
        var hasSetAttributes = false
    }

    struct NameKey: Hashable {
        var name: UTF8Key
        var namespace: UInt32
    }

    /// A tree that nodes moved to. The reference is strong, so that a node that moved stays reachable through
    /// its old handle, unless that would tie two trees into a cycle.
    struct Destination {
        var strong: XMLTree?
        weak var tree: XMLTree?
    }

    let state: UnsafeMutablePointer<State>

    init(_ arena: Arena = Arena(), frozen: FrozenArena? = nil) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(arena: arena, frozen: frozen))
    }

    deinit {
        if state.pointee.frozen == nil { state.pointee.arena.apply(.deallocate) }
        state.pointee.links.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @inline(__always)
    var nodes: UnsafeMutablePointer<NodeRecord> { state.pointee.arena.nodes.base }

    @inline(__always)
    var names: XMLNameTable { state.pointee.arena.names }

    /// Whether the tree is as it was parsed: record order is document order, and no slot was ever freed.
    @inline(__always)
    var isPristine: Bool { state.pointee.links.count == 0 }

    @inline(__always)
    func id(_ index: UInt32) -> NodeID {
        NodeID(index: index, generation: isPristine ? 0 : state.pointee.links.base[Int(index)].generation)
    }

    func handle(_ index: UInt32) -> XMLNode {
        XMLNode(tree: self, index: index, generation: id(index).generation)
    }

    func handle(orNil index: UInt32) -> XMLNode? { index == noNode ? nil : handle(index) }

    // MARK: Ways through the tree

    @inline(__always)
    func firstChild(_ index: UInt32) -> UInt32 {
        if isPristine { return nodes[Int(index)].hasChildren ? index + 1 : noNode }
        return state.pointee.links.base[Int(index)].firstChild
    }

    @inline(__always)
    func next(_ index: UInt32) -> UInt32 { nodes[Int(index)].next }

    @inline(__always)
    func parent(_ index: UInt32) -> UInt32 { nodes[Int(index)].parent }

    func previous(_ index: UInt32) -> UInt32 {
        if !isPristine { return state.pointee.links.base[Int(index)].previous }
        let parent = nodes[Int(index)].parent
        // The record before this one is the parent, or the last one deep inside the preceding sibling.
        guard parent != noNode, index - 1 != parent else { return noNode }
        var candidate = index - 1
        while nodes[Int(candidate)].parent != parent { candidate = nodes[Int(candidate)].parent }
        return candidate
    }

    func lastChild(_ index: UInt32) -> UInt32 {
        if !isPristine { return state.pointee.links.base[Int(index)].lastChild }
        guard nodes[Int(index)].hasChildren else { return noNode }
        var candidate = endOfSubtree(index) - 1
        while nodes[Int(candidate)].parent != index { candidate = nodes[Int(candidate)].parent }
        return candidate
    }

    /// In a pristine tree: the record behind the last of the subtree.
    func endOfSubtree(_ index: UInt32) -> UInt32 {
        let following = followingSkippingChildren(index, within: noNode)
        return following == noNode ? UInt32(state.pointee.arena.nodes.count) : following
    }

    /// The next node in document order inside the subtree of `top`, which may be any node below it or itself.
    @inline(__always)
    func following(_ index: UInt32, within top: UInt32) -> UInt32 {
        let child = firstChild(index)
        return child != noNode ? child : followingSkippingChildren(index, within: top)
    }

    @inline(__always)
    func followingSkippingChildren(_ index: UInt32, within top: UInt32) -> UInt32 {
        var current = index
        while current != top && current != noNode {
            let record = nodes[Int(current)]
            if record.next != noNode { return record.next }
            current = record.parent
        }
        return noNode
    }

    @inline(__always)
    func isElement(_ index: UInt32) -> Bool { nodes[Int(index)].isElement }

    func nextElement(_ index: UInt32) -> UInt32 {
        var current = next(index)
        while current != noNode && !isElement(current) { current = next(current) }
        return current
    }

    func previousElement(_ index: UInt32) -> UInt32 {
        var current = previous(index)
        while current != noNode && !isElement(current) { current = previous(current) }
        return current
    }

    func firstElement(in parent: UInt32) -> UInt32 {
        let first = firstChild(parent)
        return first == noNode || isElement(first) ? first : nextElement(first)
    }

    func top(of index: UInt32) -> UInt32 {
        var current = index
        while parent(current) != noNode { current = parent(current) }
        return current
    }

    // MARK: Names, content, attributes

    @inline(__always)
    func content(_ index: UInt32) -> UTF8Bytes { state.pointee.arena.value(at: nodes[Int(index)].payload) }

    func localName(_ index: UInt32) -> UTF8Bytes { names.local(nodes[Int(index)].name) }

    @inline(__always)
    func isText(_ index: UInt32) -> Bool {
        let kind = nodes[Int(index)].kind
        return kind == .text || kind == .cdata
    }

    /// The attribute records of an element, namespace declarations among them.
    @inline(__always)
    func attributes(_ index: UInt32) -> UnsafeBufferPointer<AttributeRecord> {
        let record = nodes[Int(index)]
        guard record.isElement, record.hasAttributes else { return UnsafeBufferPointer(start: nil, count: 0) }
        let first = state.pointee.arena.attributes.base + Int(record.payload)
        var count = 1
        while !first[count - 1].isLast { count += 1 }
        return UnsafeBufferPointer(start: first, count: count)
    }

    func attributeValue(_ attribute: AttributeRecord) -> UTF8Bytes {
        state.pointee.arena.value(at: attribute.value)
    }

    /// Calls `body` with each piece of text of the subtree, in order.
    func forEachText(in index: UInt32, _ body: (UTF8Bytes) -> Void) {
        switch nodes[Int(index)].kind {
        case .text, .cdata, .comment, .processingInstruction: body(content(index))
        case .element, .document: for node in subtree(of: index) where isText(node) { body(content(node)) }
        case .documentType, .removed: break
        }
    }

    /// The text below an element, if it is in one piece, as mostly.
    func onlyText(_ index: UInt32) -> UTF8Bytes? {
        let child = firstChild(index)
        if child == noNode { return UTF8Bytes.none }
        return isText(child) && next(child) == noNode ? content(child) : nil
    }

    func text(_ index: UInt32) -> String {
        if isElement(index), let only = onlyText(index) { return only.string }
        var text = ""
        forEachText(in: index) { text += $0.string }
        return text
    }

    /// Each record's position in document order: ascending along the document, then along the subtrees that
    /// stand alone. In a pristine tree a record's index is its position.
    @inline(__always)
    func place(of index: UInt32) -> UInt32 { isPristine ? index : order[Int(index)] }

    private var order: [UInt32] {
        if let order = state.pointee.order { return order }
        var order = [UInt32](repeating: 0, count: state.pointee.arena.nodes.count)
        var place: UInt32 = 0
        for top in order.indices.map({ UInt32($0) })
        where parent(top) == noNode && nodes[Int(top)].kind != .removed {
            for node in subtree(of: top) {
                order[Int(node)] = place
                place += 1
            }
        }
        state.pointee.order = order
        return order
    }
}
