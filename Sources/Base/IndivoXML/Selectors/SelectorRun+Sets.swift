extension SelectorRun {
    /// The elements the selector finds from a node, in document order.
    func find(from anchor: UInt32) -> [UInt32] {
        if selector.alternatives.count == 1 { return find(selector.alternatives[0], from: anchor) }
        var found: Set<UInt32> = []
        for alternative in selector.alternatives { found.formUnion(find(alternative, from: anchor)) }
        return sorted(found)
    }

    /// Whether the selector finds anything from a node, as `:has()` asks.
    func finds(_ complex: ComplexSelector, from anchor: UInt32) -> Bool {
        var isFound = false
        visit(complex, from: anchor) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    private func find(_ complex: ComplexSelector, from anchor: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        visit(complex, from: anchor) { index in
            found.append(index)
            return true
        }
        return found
    }

    /// Calls `body` with what the selector finds, until it returns false.
    @inline(__always)
    private func visit(_ complex: ComplexSelector, from anchor: UInt32, _ body: (UInt32) -> Bool) {
        if complex.isPositional {
            for index in findByPosition(complex, from: anchor) where !body(index) { return }
            return
        }
        switch complex.leading {
        case .child where complex.compounds.count == 1:
            for child in tree.elements(in: anchor) where matches(complex.compounds[0], child) && !body(child)
            { return }
        case nil, .descendant, .child: visitSubtree(complex, anchor, below: anchor, body)
        case .nextSibling, .subsequentSibling:
            for sibling in tree.walk(.nextElement, from: anchor) {
                if matches(complex, sibling, anchor: anchor), !body(sibling) { return }
                if complex.compounds.count > 1 { visitSubtree(complex, anchor, below: sibling, body) }
            }
        }
    }

    @inline(__always)
    private func visitSubtree(
        _ complex: ComplexSelector,
        _ anchor: UInt32,
        below top: UInt32,
        _ body: (UInt32) -> Bool
    ) {
        let last = complex.compounds.count - 1
        // Children of one parent share what stands left of the last compound, unless it speaks of siblings.
        let sharesRest = last > 0 && [.child, .descendant].contains(complex.combinators[last - 1])
        var parent = noNode
        var parentMatches = false
        if tree.isPristine {
            // The subtree is a range of records.
            let end = max(top + 1, tree.endOfSubtree(top))
            let nodes = tree.nodes
            let name = complex.compounds[last].name
            for index in (top + 1)..<end {
                // Most nodes fall out here, by their kind and name.
                let record = nodes[Int(index)]
                guard record.isElement else { continue }
                if let name, !passes(name, record.name) { continue }
                if sharesRest, record.parent == parent {
                    guard parentMatches, matches(complex.compounds[last], index) else { continue }
                } else if sharesRest {
                    guard matches(complex.compounds[last], index) else { continue }
                    parent = record.parent
                    parentMatches = matchRest(complex, last, index, anchor) == .matched
                    if !parentMatches { continue }
                } else if !matches(complex, index, anchor: anchor) {
                    continue
                }
                if !body(index) { return }
            }
            return
        }
        for index in tree.walk(.following(within: top), from: top) where tree.isElement(index) {
            if matches(complex, index, anchor: anchor), !body(index) { return }
        }
    }

    func sorted(_ indices: some Collection<UInt32>) -> [UInt32] {
        indices.sorted { tree.place(of: $0) < tree.place(of: $1) }
    }

    // MARK: Positions in the set matched so far

    /// From left to right: each compound makes the set of elements that stand right to one of the set before,
    /// and a position then picks from that set.
    private func findByPosition(_ complex: ComplexSelector, from anchor: UInt32) -> [UInt32] {
        var set: [UInt32] = []
        for (place, compound) in complex.compounds.enumerated() {
            let combinator = place == 0 ? complex.leading ?? .descendant : complex.combinators[place - 1]
            let step = ComplexSelector(
                leading: combinator,
                compounds: [CompoundSelector(name: compound.name)]
            )
            var reached: Set<UInt32> = []
            for start in place == 0 ? [anchor] : set { reached.formUnion(find(step, from: start)) }
            set = pick(sorted(reached), compound.conditions)
        }
        return set
    }

    /// Keeps what meets the conditions, one after the other.
    private func pick(_ set: [UInt32], _ conditions: [SelectorCondition]) -> [UInt32] {
        var set = set
        for condition in conditions {
            switch condition {
            case .position(let position): set = position.pick(from: set)
            case .any(let list, let isNegated) where condition.isPositional:
                let taken = filter(set, by: list)
                set.removeAll { taken.contains($0) == isNegated }
            default:
                let single = CompoundSelector(conditions: [condition])
                set = set.filter { matches(single, $0) }
            }
        }
        return set
    }

    /// The members of a set that one of the selectors matches. A position in its last compound is one in this
    /// set.
    func filter(_ set: [UInt32], by list: [ComplexSelector]) -> Set<UInt32> {
        Set(list.flatMap { filter(set, by: $0) })
    }

    private func filter(_ set: [UInt32], by complex: ComplexSelector) -> [UInt32] {
        guard complex.isPositional else { return set.filter { matches(complex, $0, anchor: noNode) } }
        let last = complex.compounds.count - 1
        var before = complex
        if last > 0, complex.compounds[..<last].contains(where: \.isPositional) {
            // Positions further left are about the whole document.
            let found = Set(findByPosition(complex, from: 0))
            return set.filter(found.contains)
        }
        before.compounds[last] = CompoundSelector(name: complex.compounds[last].name)
        return pick(set.filter { matches(before, $0, anchor: noNode) }, complex.compounds[last].conditions)
    }
}

extension Position {
    func pick(from set: [UInt32]) -> [UInt32] {
        func fromStart(_ number: Int) -> Int { number < 0 ? set.count + number : number }
        return set.indices.filter { place in
            switch self {
            case .even: place % 2 == 0
            case .odd: place % 2 == 1
            case .equal(let number): place == fromStart(number)
            case .greater(let number): place > fromStart(number)
            case .less(let number): place < fromStart(number)
            }
        }.map { set[$0] }
    }
}
