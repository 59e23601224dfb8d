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

extension UnsafeBufferPointer<UInt8> {
    /// The parts between white space.
    var words: [SubSequence] { split { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    func stands(
        in relation: AttributeCondition.Relation, to wanted: UnsafeBufferPointer<UInt8>, ignoringCase: Bool
    ) -> Bool {
        switch relation {
        case .equal: return same(wanted, ignoringCase)
        case .unequal: return !same(wanted, ignoringCase)
        case .word:
            return words.contains { UnsafeBufferPointer(rebasing: $0).same(wanted, ignoringCase) }
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

    private func starts(_ wanted: UnsafeBufferPointer<UInt8>, _ ignoringCase: Bool) -> Bool {
        count >= wanted.count && UnsafeBufferPointer(rebasing: self[..<wanted.count]).same(wanted, ignoringCase)
    }

    private func same(_ other: UnsafeBufferPointer<UInt8>, _ ignoringCase: Bool) -> Bool {
        guard ignoringCase else { return equals(other) }
        guard count == other.count else { return false }
        return indices.allSatisfy { self[$0].lowercasedASCII == other[$0].lowercasedASCII }
    }

    /// Whether `wanted` stands somewhere in the bytes.
    func holds(_ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
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
