/// One use of a selector on one tree.
///
/// The names of the selector are matched first, once for each name of the document; then matching an element takes one access
/// to a table. Positions among siblings are counted once for each parent.
final class SelectorRun {
    let tree: XMLTree
    let selector: XMLSelector
    /// The node `find` starts from, which `:scope` and a leading combinator speak of; `noNode` for none.
    let scope: UInt32
    /// Whether the name with id `i` passes test `t`, at `t * nameCount + i`.
    private let nameMasks: UnsafeMutablePointer<Bool>
    private let nameCount: Int
    /// Positions among siblings by condition and record, 0 for not counted yet.
    private var positions: [[UInt32]]
    private var textBuffer: [UInt8] = []

    init(_ selector: XMLSelector, tree: XMLTree, scope: UInt32 = noNode) {
        self.tree = tree
        self.selector = selector
        self.scope = scope
        let names = tree.state.pointee.arena.names
        nameCount = names.count
        nameMasks = .allocate(capacity: max(1, nameCount * selector.nameTests.count))
        positions = Array(repeating: [], count: selector.cacheCount)
        for (number, test) in selector.nameTests.enumerated() { fillMask(number, test, names) }
    }

    deinit { nameMasks.deallocate() }

    private func fillMask(_ number: Int, _ test: NameTest, _ names: NameTable) {
        let mask = nameMasks + number * nameCount
        var local = test.local?.text ?? ""
        local.withUTF8 { wanted in
            for id in 0..<UInt32(nameCount) {
                // A name with a colon is a qualified name, as it is written.
                let isNamed =
                    test.local == nil || names.local(id).equals(wanted)
                    || test.namespace == .none && names.qualified(id).equals(wanted) && wanted.contains(UInt8(ascii: ":"))
                let isInNamespace =
                    switch test.namespace {
                    case .any: true
                    case .none: names.namespaceID(ofName: id) == 0 || wanted.contains(UInt8(ascii: ":"))
                    case .uri(let uri): names.namespace(names.namespaceID(ofName: id)).elementsEqual(uri.text.utf8)
                    }
                (mask + Int(id)).initialize(to: isNamed && isInNamespace && id > 0)
            }
        }
    }

    @inline(__always)
    func passes(_ test: Int, _ name: UInt32) -> Bool { nameMasks[test * nameCount + Int(name)] }

    // MARK: Matching

    /// Whether the element is one the selector means. Not for positions, which need a set.
    func matches(_ index: UInt32) -> Bool { matchesAny(selector.alternatives, index) }

    func matchesAny(_ list: [ComplexSelector], _ index: UInt32) -> Bool {
        list.contains { matches($0, index, anchor: noNode) }
    }

    /// - Parameter anchor: The node that a selector with a leading combinator starts from, and that bounds the
    ///   ancestors of one inside `find`; `noNode` for a selector about the whole document.
    @inline(__always)
    func matches(_ complex: ComplexSelector, _ index: UInt32, anchor: UInt32) -> Bool {
        let last = complex.compounds.count - 1
        guard matches(complex.compounds[last], index) else { return false }
        if last == 0, anchor == noNode || complex.leading ?? .descendant == .descendant { return true }
        return matchRest(complex, last, index, anchor) == .matched
    }

    /// Whether the compounds before the last match what stands around an element that the last one means.
    func matchesRest(_ complex: ComplexSelector, _ index: UInt32, anchor: UInt32) -> Bool {
        matchRest(complex, complex.compounds.count - 1, index, anchor) == .matched
    }

    /// What is known after a failure, so that no way is tried twice.
    private enum Outcome {
        case matched
        /// Another sibling to the left may do.
        case restartFromLaterSibling
        /// Only another ancestor may do.
        case restartFromDescendant
        case failed
    }

    private func match(_ complex: ComplexSelector, _ place: Int, _ index: UInt32, _ anchor: UInt32) -> Outcome {
        guard matches(complex.compounds[place], index) else { return .restartFromLaterSibling }
        return matchRest(complex, place, index, anchor)
    }

    /// Whether the compounds before the one at `place`, which matches the element, match the nodes around it.
    private func matchRest(_ complex: ComplexSelector, _ place: Int, _ index: UInt32, _ anchor: UInt32) -> Outcome {
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
                // Around the anchor nothing counts.
                if candidate == noNode || !tree.isElement(candidate) { return .failed }
                if candidate == anchor, !complex.startsAtScope || place != 1 { return .failed }
            case .nextSibling, .subsequentSibling:
                candidate = tree.previousElement(candidate)
                if candidate == noNode { return .restartFromDescendant }
            }
            let outcome = match(complex, place - 1, candidate, anchor)
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
        case .subsequentSibling:
            var sibling = tree.previousElement(index)
            while sibling != noNode, sibling != anchor { sibling = tree.previousElement(sibling) }
            return sibling == anchor
        }
    }

    @inline(__always)
    func matches(_ compound: CompoundSelector, _ index: UInt32) -> Bool {
        if let name = compound.name, !passes(name, tree.nodes[Int(index)].name) { return false }
        for condition in compound.conditions where !matches(condition, index) { return false }
        return true
    }

    // MARK: Conditions

    private func matches(_ condition: Condition, _ index: UInt32) -> Bool {
        switch condition {
        case .id(let id): return hasID(id.text, index)
        case .className(let name): return hasClass(name.text, index)
        case .attribute(let name, let value): return hasAttribute(name, value, index)
        case .root: return isRoot(index)
        case .scope: return scope == noNode || tree.nodes[Int(scope)].kind == .document ? isRoot(index) : index == scope
        case .empty: return isEmpty(index)
        case .nth(let formula, let cache, let fromEnd, let list):
            if let list, !matchesAny(list, index) { return false }
            return formula.matches(position(index, cache, fromEnd: fromEnd, of: list))
        case .nthOfType(let formula, let cache, let fromEnd): return formula.matches(positionOfType(index, cache, fromEnd: fromEnd))
        case .onlyChild: return tree.previousElement(index) == noNode && tree.nextElement(index) == noNode
        case .onlyOfType: return !hasSiblingOfType(index, tree.nextElement) && !hasSiblingOfType(index, tree.previousElement)
        case .not(let list): return !matchesAny(list, index)
        case .any(let list): return matchesAny(list, index)
        case .has(let list): return list.contains { finds($0, from: index) }
        case .contains(let texts): return containsText(texts, index)
        // Decided where the set is known.
        case .position: return true
        }
    }

    private func isRoot(_ index: UInt32) -> Bool {
        let parent = tree.parent(index)
        return parent == noNode || tree.nodes[Int(parent)].kind == .document
    }

    private func isEmpty(_ index: UInt32) -> Bool {
        var child = tree.firstChild(index)
        while child != noNode {
            switch tree.nodes[Int(child)].kind {
            case .element: return false
            case .text, .cdata:
                if tree.content(child).contains(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) { return false }
            default: break
            }
            child = tree.next(child)
        }
        return true
    }

    // MARK: Positions

    private func position(_ index: UInt32, _ cache: Int, fromEnd: Bool, of list: [ComplexSelector]?) -> Int {
        if let known = knownPosition(index, cache) { return known }
        var count: UInt32 = 0
        var sibling = edge(index, fromEnd: fromEnd)
        while sibling != noNode {
            if list.map({ matchesAny($0, sibling) }) ?? true {
                count += 1
                positions[cache][Int(sibling)] = count
            } else {
                positions[cache][Int(sibling)] = .max
            }
            sibling = fromEnd ? tree.previousElement(sibling) : tree.nextElement(sibling)
        }
        return Int(positions[cache][Int(index)])
    }

    private func positionOfType(_ index: UInt32, _ cache: Int, fromEnd: Bool) -> Int {
        if let known = knownPosition(index, cache) { return known }
        var counts: [UInt32: UInt32] = [:]
        var sibling = edge(index, fromEnd: fromEnd)
        while sibling != noNode {
            let type = typeID(tree.nodes[Int(sibling)].name)
            let count = counts[type, default: 0] + 1
            counts[type] = count
            positions[cache][Int(sibling)] = count
            sibling = fromEnd ? tree.previousElement(sibling) : tree.nextElement(sibling)
        }
        return Int(positions[cache][Int(index)])
    }

    private func knownPosition(_ index: UInt32, _ cache: Int) -> Int? {
        if positions[cache].isEmpty {
            positions[cache] = Array(repeating: 0, count: tree.state.pointee.arena.nodes.count)
        }
        let known = positions[cache][Int(index)]
        return known == 0 ? nil : Int(known)
    }

    /// The first element among the siblings, or the last.
    private func edge(_ index: UInt32, fromEnd: Bool) -> UInt32 {
        let parent = tree.parent(index)
        guard parent != noNode else { return index }
        if !fromEnd { return tree.firstElement(in: parent) }
        let last = tree.lastChild(parent)
        return tree.isElement(last) ? last : tree.previousElement(last)
    }

    private func hasSiblingOfType(_ index: UInt32, _ step: (UInt32) -> UInt32) -> Bool {
        let type = typeID(tree.nodes[Int(index)].name)
        var sibling = step(index)
        while sibling != noNode {
            if typeID(tree.nodes[Int(sibling)].name) == type { return true }
            sibling = step(sibling)
        }
        return false
    }

    /// The first name that differs from this one at most in its prefix.
    private func typeID(_ name: UInt32) -> UInt32 { types[Int(name)] }

    private lazy var types: [UInt32] = {
        let names = tree.state.pointee.arena.names
        var first: [XMLTree.NameKey: UInt32] = [:]
        return (0..<UInt32(nameCount)).map { id in
            let key = XMLTree.NameKey(name: UTF8Key(names.local(id)), namespace: names.namespaceID(ofName: id))
            if let known = first[key] { return known }
            first[key] = id
            return id
        }
    }()

    // MARK: Text

    private func containsText(_ texts: [UTF8Key], _ index: UInt32) -> Bool {
        textBuffer.removeAll(keepingCapacity: true)
        tree.forEachText(in: index) { textBuffer.append(contentsOf: $0) }
        return textBuffer.withUnsafeBufferPointer { text in
            texts.contains { wanted in
                var wanted = wanted.text
                return wanted.withUTF8 { text.holds($0) }
            }
        }
    }
}

extension SelectorRun {
    func hasID(_ id: String, _ index: UInt32) -> Bool {
        let names = tree.state.pointee.arena.names
        let (plain, qualified): (StaticString, StaticString) = ("id", "xml:id")
        return tree.attributes(index).contains { attribute in
            let name = names.qualified(attribute.name)
            return (name.equals(plain.utf8Buffer) || name.equals(qualified.utf8Buffer))
                && tree.attributeValue(attribute).elementsEqual(id.utf8)
        }
    }

    func hasClass(_ name: String, _ index: UInt32) -> Bool {
        let attributeName: StaticString = "class"
        guard let attribute = tree.attribute(index, named: attributeName.utf8Buffer) else { return false }
        return tree.attributeValue(attribute).words.contains { $0.elementsEqual(name.utf8) }
    }

    func hasAttribute(_ name: Int, _ condition: AttributeCondition, _ index: UInt32) -> Bool {
        var isUnequal = false
        if case .value(.unequal, _, _) = condition { isUnequal = true }
        for attribute in tree.attributes(index) where !attribute.isDeclaration && passes(name, attribute.name) {
            switch condition {
            case .present: return true
            case .value(let relation, let wanted, let ignoringCase):
                let holds = wanted.withUnsafeBufferPointer {
                    tree.attributeValue(attribute).stands(in: relation, to: $0, ignoringCase: ignoringCase)
                }
                if isUnequal { return holds }
                if holds { return true }
            }
        }
        // `!=` also holds where there is no such attribute.
        return isUnequal
    }
}

extension UTF8Bytes {
    /// The parts between white space.
    var words: [SubSequence] { split { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    func stands(in relation: AttributeCondition.Relation, to wanted: UTF8Bytes, ignoringCase: Bool) -> Bool {
        switch relation {
        case .equal: return same(wanted, ignoringCase)
        case .unequal: return !same(wanted, ignoringCase)
        case .word: return words.contains { UnsafeBufferPointer(rebasing: $0).same(wanted, ignoringCase) }
        case .dash:
            return same(wanted, ignoringCase)
                || count > wanted.count && self[wanted.count] == UInt8(ascii: "-") && starts(wanted, ignoringCase)
        case .prefix: return !wanted.isEmpty && starts(wanted, ignoringCase)
        case .suffix:
            return !wanted.isEmpty && count >= wanted.count
                && UnsafeBufferPointer(rebasing: self[(count - wanted.count)...]).same(wanted, ignoringCase)
        case .substring:
            guard !wanted.isEmpty, count >= wanted.count else { return false }
            if !ignoringCase { return holds(wanted) }
            return (0...(count - wanted.count)).contains {
                UnsafeBufferPointer(rebasing: self[$0..<($0 + wanted.count)]).same(wanted, true)
            }
        }
    }

    private func starts(_ wanted: UTF8Bytes, _ ignoringCase: Bool) -> Bool {
        count >= wanted.count && UnsafeBufferPointer(rebasing: self[..<wanted.count]).same(wanted, ignoringCase)
    }

    private func same(_ other: UTF8Bytes, _ ignoringCase: Bool) -> Bool {
        guard ignoringCase else { return equals(other) }
        guard count == other.count else { return false }
        return indices.allSatisfy { self[$0].lowercasedASCII == other[$0].lowercasedASCII }
    }

    /// Whether `wanted` stands somewhere in the bytes.
    func holds(_ wanted: UTF8Bytes) -> Bool {
        guard let first = wanted.first else { return true }
        guard count >= wanted.count else { return false }
        for start in 0...(count - wanted.count) where self[start] == first {
            if UnsafeBufferPointer(rebasing: self[start..<(start + wanted.count)]).equals(wanted) { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
