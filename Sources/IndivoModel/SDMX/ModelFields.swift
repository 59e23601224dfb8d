import IndivoXML

/// The `Field` elements of one `Model` element, found by the leaf or relation they hold.
final class ModelFields {
    /// A leaf's elements: several where it stands under several names, or twice under one.
    struct Holder {
        /// The one that counts: of one name the last, as a server has it; of several that with text, today's first.
        let best: XMLNode
        let others: [XMLNode]
        /// Whether some element has an older name, or stands beside another.
        let needsRenaming: Bool

        var elements: [XMLNode] { [best] + others }
    }

    /// The element of a leaf or relation that counts so far.
    private struct Slot {
        var element: XMLView?
        var rank = 0
    }

    /// Keeps the elements there.
    private var model: XMLNode?

    // Unchecked, since checking would take a sixth of the time that reading takes: no access can overlap another, as
    // nothing here calls anybody who could come back.

    @exclusivity(unchecked) private var slots: [Slot]
    /// The elements of leaves that do not count.
    private var others: [(leaf: Int, element: XMLView)] = []
    /// In the order of the layout's relations.
    private var relationSlots: [Slot]
    /// The elements of relations that do not count.
    private var otherRelations: [(relation: Int, element: XMLView)] = []
    /// Whether some field stands under an older name, or twice.
    private(set) var hasOlderNames = false

    /// What a name stands for, and where it lies: in a tree the same name mostly lies at the same place.
    private struct Known {
        var start: UnsafePointer<UInt8>?
        var count = 0
        var found: FlatLayout.Found?
    }

    /// What was looked up last; empty until there is a second model.
    @exclusivity(unchecked) private var known: [Known] = []
    private var modelNumber: UInt32?
    /// The number of the name `Field` in a model whose own name has the number above.
    @exclusivity(unchecked) private var fieldNumber: UInt32?

    init(_ model: XMLNode?, _ layout: FlatLayout) {
        slots = Array(repeating: Slot(), count: layout.leaves.count)
        relationSlots = Array(repeating: Slot(), count: layout.relations.count)
        find(in: model, layout)
    }

    /// Goes on to another model of the same layout.
    func look(into model: XMLNode?, _ layout: FlatLayout) {
        for index in slots.indices { slots[index].element = nil }
        for index in relationSlots.indices { relationSlots[index].element = nil }
        others.removeAll()
        otherRelations.removeAll()
        hasOlderNames = false
        if known.isEmpty { known = Array(repeating: Known(), count: 64) }
        find(in: model, layout)
    }

    private func find(in model: XMLNode?, _ layout: FlatLayout) {
        self.model = model
        guard let view = model?.view else { return }
        if view.nameNumber != modelNumber { (modelNumber, fieldNumber) = (view.nameNumber, nil) }
        var next = view.firstElement
        while let element = next {
            if isField(element, in: view), let name = element.attribute("name"), let found = meaning(of: name, layout) {
                add(element, found)
            }
            next = element.nextElement
        }
    }

    private func isField(_ element: XMLView, in model: XMLView) -> Bool {
        if element.nameNumber == fieldNumber { return true }
        guard element.isNamed("Field"), !element.isForeign(in: model) else { return false }
        fieldNumber = element.nameNumber
        return true
    }

    private func meaning(of name: UnsafeBufferPointer<UInt8>, _ layout: FlatLayout) -> FlatLayout.Found? {
        guard !known.isEmpty else { return layout.fieldByName[name] }
        // Names lie one behind the other, most of them some bytes long.
        let slot = Int(bitPattern: name.baseAddress) >> 2 & (known.count - 1)
        if known[slot].start == name.baseAddress, known[slot].count == name.count { return known[slot].found }
        known[slot] = Known(start: name.baseAddress, count: name.count, found: layout.fieldByName[name])
        return known[slot].found
    }

    private func add(_ element: XMLView, _ found: FlatLayout.Found) {
        switch found {
        case .leaf(let leaf, let rank):
            if let other = put(element, rank, into: &slots[leaf], { $0.hasText }) { others.append((leaf, other)) }
        case .relation(let index, let rank):
            if let other = put(element, rank, into: &relationSlots[index], { $0.holdsModels }) {
                otherRelations.append((index, other))
            }
        }
    }

    /// Puts an element into its slot, if it counts more than the one that is there.
    /// - Returns: The one of both that does not count.
    @inline(__always)
    private func put(_ element: XMLView, _ rank: Int, into slot: inout Slot, _ says: (XMLView) -> Bool) -> XMLView? {
        if rank > 0 { hasOlderNames = true }
        guard let best = slot.element else {
            slot = Slot(element: element, rank: rank)
            return nil
        }
        hasOlderNames = true
        guard rank == slot.rank || (says(element) && (rank < slot.rank || !says(best))) else { return element }
        slot = Slot(element: element, rank: rank)
        return best
    }

    // MARK: Leaves

    /// The element that counts for a leaf.
    subscript(leaf: Int) -> XMLView? { slots[leaf].element }

    /// A leaf's text that counts; `nil` for none, which an empty one is.
    func text(of leaf: Int) -> FieldText? {
        guard let element = slots[leaf].element else { return nil }
        guard let bytes = element.onlyText else { return element.hasText ? .element(element) : nil }
        return bytes.isEmpty ? nil : .bytes(bytes)
    }

    func line(of leaf: Int) -> Int? { slots[leaf].element?.node.line }

    func holder(of leaf: Int) -> Holder? {
        guard let best = slots[leaf].element else { return nil }
        let others = others.lazy.filter { $0.leaf == leaf }.map(\.element.node)
        return Holder(best: best.node, others: Array(others), needsRenaming: slots[leaf].rank > 0 || !others.isEmpty)
    }

    // MARK: Relations

    var hasRelations: Bool { relationSlots.contains { $0.element != nil } }

    /// The element that counts for a relation: as with leaves, today's name before older ones, and models before none.
    func relation(_ index: Int) -> XMLNode? { relationSlots[index].element?.node }

    /// The elements of a relation that do not count.
    func others(ofRelation index: Int) -> [XMLNode] {
        otherRelations.filter { $0.relation == index }.map(\.element.node)
    }

    /// The `Model` elements of a relation.
    func models(of relation: Int) -> [XMLNode] { self.relation(relation)?.relatedModels ?? [] }
}

extension XMLView {
    fileprivate var holdsModels: Bool { !node.relatedModels.isEmpty }
}

extension XMLNode {
    /// The `Model` elements of a `Field` that holds one (one-to-one) or a `Models` of them (one-to-many).
    var relatedModels: [XMLNode] {
        if let list = ownChild(named: "Models") { return list.ownChildren(named: "Model") }
        return ownChildren(named: "Model")
    }
}
