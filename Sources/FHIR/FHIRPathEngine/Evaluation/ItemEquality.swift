import OrderedJSON

/// Equality and equivalence of items and collections (FHIRPath section 6.1).
extension FHIRPathEvaluation {
    /// Whether two items are equal; `nil` if that is unknown.
    mutating func equal(
        _ left: FHIRPathItem,
        _ right: FHIRPathItem,
        at position: Node
    ) throws(FHIRPathError) -> Bool? {
        try spend(at: position)
        if let a = left.systemValue, let b = right.systemValue {
            try spend(min(a.textSteps, b.textSteps), at: position)
            return SystemValue.equal(a, b)
        }
        switch (left.storage, right.storage) {
        case (.node(let a), .node(let b)): return try deeplyEqual(a, b, isEquivalence: false, at: position)
        case (.type(let namespace, let name), .type(let otherNamespace, let otherName)):
            return namespace == otherNamespace && name == otherName
        default: return false
        }
    }

    mutating func equivalent(
        _ left: FHIRPathItem,
        _ right: FHIRPathItem,
        at position: Node
    ) throws(FHIRPathError) -> Bool {
        try spend(at: position)
        if let a = left.systemValue, let b = right.systemValue {
            // Both are case-folded first, which takes much longer than comparing them.
            try spend(16 * (a.textSteps + b.textSteps), at: position)
            return SystemValue.equivalent(a, b)
        }
        guard case (.node(let a), .node(let b)) = (left.storage, right.storage) else {
            return try equal(left, right, at: position) ?? false
        }
        return try deeplyEqual(a, b, isEquivalence: true, at: position)
    }

    /// Compares the parts. The order of an object's members is ignored; for equivalence, so is the order of a
    /// list.
    private mutating func deeplyEqual(
        _ left: PathNode,
        _ right: PathNode,
        isEquivalence: Bool,
        at position: Node
    ) throws(FHIRPathError) -> Bool {
        if !isEquivalence {
            var bytes = 0
            let isOther = left.hasOtherText(than: right, comparing: &bytes)
            try spend(bytes / 16 + (isOther ? 4 : 0), at: position)
            if isOther { return false }
        }
        let a = left.parts
        let b = right.parts
        // Making the parts takes longer than comparing two values.
        try spend(8 + 8 * (a.count + b.count), at: position)
        guard a.count == b.count, !(a.isEmpty && left.json?.kind != right.json?.kind) else { return false }
        for (name, items) in a {
            // Ids of elements are ignored for equivalence.
            guard let others = b[name] else { return false }
            let isSame =
                isEquivalence
                ? try equivalent(items, others, at: position) : try equal(items, others, at: position)
            if isSame != true { return false }
        }
        return true
    }

    /// Whether two collections have equal items in the same order; nil where that is not known, or one is
    /// empty.
    mutating func equal(_ left: Items, _ right: Items, at position: Node) throws(FHIRPathError)
        -> Bool?
    {
        guard !left.isEmpty, !right.isEmpty else { return nil }
        guard left.count == right.count else { return false }
        var isKnown = true
        for (a, b) in zip(left, right) {
            switch try equal(a, b, at: position) {
            case true: continue
            case false: return false
            case nil: isKnown = false
            }
        }
        return isKnown ? true : nil
    }

    mutating func equivalent(_ left: Items, _ right: Items, at position: Node)
        throws(FHIRPathError) -> Bool
    {
        guard left.count == right.count else { return false }
        var rest = right
        for item in left {
            var found: Int?
            for (index, other) in rest.enumerated() where try equivalent(item, other, at: position) {
                found = index
                break
            }
            guard let found else { return false }
            rest.remove(at: found)
        }
        return true
    }

    /// Whether a collection has an item that is equal to another.
    mutating func contains(
        _ items: Items,
        _ item: FHIRPathItem,
        at position: Node
    ) throws(FHIRPathError) -> Bool {
        for other in items where try equal(other, item, at: position) == true { return true }
        return false
    }

    /// The items without those that are equal to an earlier one.
    mutating func distinct(_ items: Items, at position: Node) throws(FHIRPathError) -> Items {
        var result = DistinctItems()
        for item in items { try insert(item, into: &result, at: position) }
        return result.items
    }

    /// Adds an item unless one that is equal is there, and returns whether it was added.
    @discardableResult
    mutating func insert(
        _ item: FHIRPathItem,
        into set: inout DistinctItems,
        at position: Node
    ) throws(FHIRPathError) -> Bool {
        try spend(1 + item.systemValue.textSteps, at: position)
        if let key = EqualityKey(item) {
            guard !set.keys.contains(key), try !contains(set.others, item, at: position) else { return false }
            set.keys.insert(key)
        } else if item.systemValue == nil, case .node(let node) = item.storage {
            // An element is equal to one of the same fingerprint, or to a quantity.
            var size = 0
            let fingerprint = node.fingerprint(counting: &size)
            try spend(size / 4, at: position)
            guard try !contains(set.nodes[fingerprint] ?? [], item, at: position),
                try !contains(set.others, item, at: position)
            else { return false }
            set.nodes[fingerprint, default: []].append(item)
        } else {
            guard try !contains(set.items, item, at: position) else { return false }
            set.others.append(item)
        }
        set.items.append(item)
        return true
    }

    /// Distinct items. Simple ones are found by hashing, elements by fingerprints.
    struct DistinctItems {
        fileprivate(set) var items: Items = []
        fileprivate var keys: Set<EqualityKey> = []
        fileprivate var nodes: [Int: Items] = [:]
        fileprivate var others: Items = []
    }
}

/// A key that alone decides whether simple items are equal, so that the distinct ones among many are found by
/// hashing.
fileprivate enum EqualityKey: Hashable {
    case boolean(Bool)
    case string([UInt8])
    case integer(Int64)

    init?(_ item: FHIRPathItem) {
        switch item.systemValue {
        case .boolean(let value): self = .boolean(value)
        case .string(let value): self = .string(Array(value.utf8))
        case .integer(let value): self = .integer(Int64(value))
        case .long(let value): self = .integer(value)
        // A decimal may be equal to an integer, and to a quantity: these are compared.
        default: return nil
        }
    }
}

extension PathNode {
    /// How deeply objects are examined for a fingerprint: as deep as questions with their answers in a row of
    /// a group.
    private static let fingerprintDepth = 4

    /// A number that is the same for equal elements, so that one of many has to be compared with few.
    ///
    /// Values that can be equal in different spellings have no part in it: numbers, times, and quantities.
    /// - Parameter size: Is increased by how much was examined.
    fileprivate func fingerprint(counting size: inout Int) -> Int {
        [json, sibling].compactMap(\.self).reduce(0) { sum, tree in
            sum &+ Self.fingerprint(of: tree, depth: Self.fingerprintDepth, &size)
        }
    }

    private static func fingerprint(of tree: JSONValue, depth: Int, _ size: inout Int) -> Int {
        size += 1
        switch tree.kind {
        case .string:
            let text = tree.string ?? ""
            size += text.utf8.count / 16
            return text.utf8.allSatisfy(isInTime) ? 1 : text.hashValue
        case .boolean: return tree.boolean == true ? 2 : 3
        case .number, .null, .array: return 4
        case .object:
            guard depth > 0, !Self.values(tree["value"]).contains(where: { !$0.isNull }) else { return 5 }
            var sum = 6
            for member in tree.members ?? [] {
                var name = Hasher()
                name.combine(member.name)
                // A fingerprint ignores the order of members, and of lists, too.
                for value in values(member.value) where !value.isNull {
                    var part = name
                    part.combine(fingerprint(of: value, depth: depth - 1, &size))
                    sum &+= part.finalize()
                }
            }
            return sum
        }
    }

    /// The values of a member: those of a list, or the one.
    private static func values(_ member: JSONValue?) -> [JSONValue] {
        guard let member else { return [] }
        return member.elements.map(Array.init) ?? [member]
    }

    /// Whether a member has a different text, so that the elements cannot be equal. This is found without
    /// making the parts, which most compared items then do not need.
    ///
    /// - Parameter bytes: Is increased by how much text was compared.
    fileprivate func hasOtherText(than other: PathNode, comparing bytes: inout Int) -> Bool {
        guard sibling == nil, other.sibling == nil, let members = json?.members else { return false }
        for member in members.prefix(4) {
            // A name may be repeated: `json[name]` takes the same one of its values on both sides.
            guard let text = json?[member.name]?.string else { continue }
            guard let otherText = other.json?[member.name]?.string else { return false }
            bytes += text.utf8.count + otherText.utf8.count
            // Times that are written differently may be equal.
            guard text != otherText else { continue }
            if !text.utf8.allSatisfy(Self.isInTime) || !otherText.utf8.allSatisfy(Self.isInTime) {
                return true
            }
        }
        return false
    }

    private static func isInTime(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"),
            UInt8(ascii: "."), UInt8(ascii: "T"), UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// The parts by name, those of a choice by the name of the choice's JSON.
    fileprivate var parts: [String: [FHIRPathItem]] {
        var parts: [String: [FHIRPathItem]] = [:]
        for object in [json, sibling] {
            for member in object?.members ?? [] {
                let name = member.name
                for value in Self.values(member.value) where !value.isNull {
                    let type =
                        self.type?.element(named: name)?.type ?? self.type?.choice(writtenAs: name)?.type
                    parts[name, default: []].append(
                        FHIRPathItem(PathNode(json: value, sibling: nil, type: type))
                    )
                }
            }
        }
        return parts
    }
}
