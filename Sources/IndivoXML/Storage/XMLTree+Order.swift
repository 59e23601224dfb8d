extension XMLTree {
    /// Each record's position in document order: ascending along the document, then along the subtrees that stand alone.
    /// In a pristine tree a record's index is its position.
    func place(of index: UInt32) -> UInt32 {
        if isPristine { return index }
        if let order = state.pointee.order { return order[Int(index)] }
        let order = makeOrder()
        state.pointee.order = order
        return order[Int(index)]
    }

    private func makeOrder() -> [UInt32] {
        let count = state.pointee.arena.nodes.count
        var order = [UInt32](repeating: 0, count: count)
        var place: UInt32 = 0
        for top in 0..<UInt32(count) where parent(top) == noNode && nodes[Int(top)].kind != .vacant {
            var current = top
            while current != noNode {
                order[Int(current)] = place
                place += 1
                current = following(current, within: top)
            }
        }
        return order
    }
}
