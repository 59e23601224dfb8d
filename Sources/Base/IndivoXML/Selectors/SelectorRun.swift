/// One use of a selector on one tree. The names of the selector are matched first, once for each name of the
/// document; then matching an element takes one access to a table. Positions among siblings are counted once
/// for each parent.
final class SelectorRun {
    let tree: XMLTree
    let selector: XMLSelector
    /// The node that `find` starts from, for `:scope` and a leading combinator; `noNode` without one.
    let scope: UInt32
    /// Whether the name with id `i` passes test `t`, at `t * nameCount + i`.
    private let nameMasks: UnsafeMutablePointer<Bool>
    private let nameCount: Int
    /// Positions among siblings by condition and record, 0 for not counted yet.
    private var positions: [[UInt32]]

    init(_ selector: XMLSelector, tree: XMLTree, scope: UInt32 = noNode) {
        self.tree = tree
        self.selector = selector
        self.scope = scope
        nameCount = tree.names.count
        nameMasks = .allocate(capacity: max(1, nameCount * selector.nameTests.count))
        positions = Array(repeating: [], count: selector.cacheCount)
        for (number, test) in selector.nameTests.enumerated() {
            for id in 0..<nameCount {
                (nameMasks + number * nameCount + id).initialize(
                    to: id > 0 && test.admits(UInt32(id), of: tree.names)
                )
            }
        }
    }

    deinit { nameMasks.deallocate() }

    @inline(__always)
    func passes(_ test: Int, _ name: UInt32) -> Bool { nameMasks[test * nameCount + Int(name)] }

    // MARK: Matching

    /// Whether the selector matches the element. Not for positions, which need a set.
    func matches(_ index: UInt32) -> Bool { matchesAny(selector.alternatives, index) }

    func matchesAny(_ list: [ComplexSelector], _ index: UInt32) -> Bool {
        list.contains { matches($0, index, anchor: noNode) }
    }

    /// - Parameter anchor: The node that a selector with a leading combinator starts from, and that bounds
    ///   the ancestors of one inside `find`; `noNode` for a selector about the whole document.
    @inline(__always)
    func matches(_ complex: ComplexSelector, _ index: UInt32, anchor: UInt32) -> Bool {
        let last = complex.compounds.count - 1
        guard matches(complex.compounds[last], index) else { return false }
        if last == 0, anchor == noNode || complex.leading ?? .descendant == .descendant { return true }
        return matchRest(complex, last, index, anchor) == .matched
    }

    /// What a failure shows, so that no path is tried twice.
    enum Outcome {
        case matched
        /// Another sibling to the left may match.
        case restartFromLaterSibling
        /// Only another ancestor may match.
        case restartFromDescendant
        case failed
    }

    /// Whether the compounds before the one at `place`, which matches the element, match the nodes around it.
    func matchRest(_ complex: ComplexSelector, _ place: Int, _ index: UInt32, _ anchor: UInt32) -> Outcome {
        if place == 0 {
            if complex.startsAtScope, index == anchor { return .matched }
            return isReachable(index, from: anchor, by: complex.leading) ? .matched : .restartFromLaterSibling
        }
        let combinator = complex.combinators[place - 1]
        var candidate = index
        while true {
            switch combinator {
            case .descendant, .child:
                candidate = tree.parent(candidate)
                // Nodes around the anchor do not count.
                if candidate == noNode || !tree.isElement(candidate) { return .failed }
                if candidate == anchor, !complex.startsAtScope || place != 1 { return .failed }
            case .nextSibling, .subsequentSibling:
                candidate = tree.previousElement(candidate)
                if candidate == noNode { return .restartFromDescendant }
            }
            let fits = matches(complex.compounds[place - 1], candidate)
            let outcome = fits ? matchRest(complex, place - 1, candidate, anchor) : .restartFromLaterSibling
            switch (outcome, combinator) {
            case (.matched, _), (.failed, _), (_, .nextSibling): return outcome
            case (_, .child): return .restartFromDescendant
            case (.restartFromDescendant, .subsequentSibling): return outcome
            default: continue
            }
        }
    }

    private func isReachable(_ index: UInt32, from anchor: UInt32, by combinator: Combinator?) -> Bool {
        guard anchor != noNode else { return true }
        switch combinator {
        case nil, .descendant: return true
        case .child: return tree.parent(index) == anchor
        case .nextSibling: return tree.previousElement(index) == anchor
        case .subsequentSibling: return tree.walk(.previousElement, from: index).contains(anchor)
        }
    }

    @inline(__always)
    func matches(_ compound: CompoundSelector, _ index: UInt32) -> Bool {
        if let name = compound.name, !passes(name, tree.nodes[Int(index)].name) { return false }
        for condition in compound.conditions where !matches(condition, index) { return false }
        return true
    }

    // MARK: Conditions

    private func matches(_ condition: SelectorCondition, _ index: UInt32) -> Bool {
        switch condition {
        case .attribute(let name, let relation, let wanted, let ignoringCase):
            return wanted.withUnsafeBufferPointer { wanted in
                tree.attributes(index).contains { attribute in
                    !attribute.isDeclaration && passes(name, attribute.name)
                        && tree.attributeValue(attribute).stands(
                            in: relation,
                            to: wanted,
                            ignoringCase: ignoringCase
                        )
                }
            }
        case .root: return isRoot(index)
        case .scope:
            return scope == noNode || tree.nodes[Int(scope)].kind == .document
                ? isRoot(index) : index == scope
        case .empty:
            return tree.children(of: index).allSatisfy { child in
                tree.isText(child)
                    ? tree.content(child).allSatisfy(\.isSelectorSpace) : !tree.isElement(child)
            }
        case .nth(let formula, let cache, let fromEnd, let siblings):
            if case .matching(let list) = siblings, !matchesAny(list, index) { return false }
            return formula.matches(position(index, cache, fromEnd: fromEnd, among: siblings))
        case .any(let list, let isNegated): return matchesAny(list, index) != isNegated
        case .has(let list): return list.contains { finds($0, from: index) }
        case .contains(let texts):
            var text: [UInt8] = []
            tree.forEachText(in: index) { text.append(contentsOf: $0) }
            return text.withUnsafeBufferPointer { text in
                texts.contains { wanted in
                    wanted.text.isEmpty
                        || wanted.text.withBytes { text.stands(in: .substring, to: $0, ignoringCase: false) }
                }
            }
        // Decided later, when the set is known.
        case .position: return true
        }
    }

    private func isRoot(_ index: UInt32) -> Bool {
        let parent = tree.parent(index)
        return parent == noNode || tree.nodes[Int(parent)].kind == .document
    }

    // MARK: Positions

    private func position(
        _ index: UInt32,
        _ cache: Int,
        fromEnd: Bool,
        among siblings: SelectorCondition.Siblings
    )
        -> Int
    {
        if positions[cache].isEmpty {
            positions[cache] = Array(repeating: 0, count: tree.state.pointee.arena.nodes.count)
        }
        let known = positions[cache][Int(index)]
        if known > 0 { return Int(known) }
        var count: UInt32 = 0
        var counts: [UInt32: UInt32] = [:]
        let step: NodeWalk.Step = fromEnd ? .previousElement : .nextElement
        for sibling in NodeWalk(tree: tree, step: step, upcoming: edge(index, fromEnd: fromEnd)) {
            switch siblings {
            case .all: count += 1
            case .ofType:
                let type = types[Int(tree.nodes[Int(sibling)].name)]
                count = counts[type, default: 0] + 1
                counts[type] = count
            case .matching(let list):
                // What is not counted is never asked for.
                guard matchesAny(list, sibling) else { continue }
                count += 1
            }
            positions[cache][Int(sibling)] = count
        }
        return Int(positions[cache][Int(index)])
    }

    /// The first element among the siblings, or the last.
    private func edge(_ index: UInt32, fromEnd: Bool) -> UInt32 {
        let parent = tree.parent(index)
        guard parent != noNode else { return index }
        if !fromEnd { return tree.firstElement(in: parent) }
        let last = tree.lastChild(parent)
        return tree.isElement(last) ? last : tree.previousElement(last)
    }

    /// For each name the first that differs from it at most in its prefix.
    private lazy var types: [UInt32] = {
        let names = tree.names
        let keys = (0..<UInt32(nameCount)).map { id in
            XMLTree.NameKey(name: UTF8Key(names.local(id)), namespace: names.namespaceID(ofName: id))
        }
        let first = Dictionary(firstOf: zip(keys, UInt32(0)...))
        return keys.map { first[$0] ?? 0 }
    }()
}

extension UTF8Bytes {
    fileprivate func stands(in relation: SelectorCondition.Relation, to wanted: UTF8Bytes, ignoringCase: Bool)
        -> Bool
    {
        func isWanted(_ part: SubSequence) -> Bool {
            let part = UTF8Bytes(rebasing: part)
            if !ignoringCase { return part.equals(wanted) }
            return part.count == wanted.count
                && part.indices.allSatisfy { part[$0].lowercasedASCII == wanted[$0].lowercasedASCII }
        }
        switch relation {
        case .present: return true
        case .equal: return isWanted(self[...])
        case .word: return split(whereSeparator: \.isSelectorSpace).contains(where: isWanted)
        case .dash:
            let isLonger = count > wanted.count && self[wanted.count] == UInt8(ascii: "-")
            return isWanted(isLonger ? prefix(wanted.count) : self[...])
        case .prefix: return !wanted.isEmpty && isWanted(prefix(wanted.count))
        case .suffix: return !wanted.isEmpty && isWanted(suffix(wanted.count))
        case .substring:
            return !wanted.isEmpty
                && indices.dropLast(wanted.count - 1).contains { start in
                    (ignoringCase || self[start] == wanted[0])
                        && isWanted(self[start..<(start + wanted.count)])
                }
        }
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    fileprivate var isSelectorSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
