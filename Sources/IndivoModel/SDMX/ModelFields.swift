import IndivoXML

/// The `Field` elements of one `Model` element, found by the leaf or relation they hold.
struct ModelFields {
    /// A leaf's elements: several where it stands under several names, or twice under one.
    struct Holder {
        /// The one that counts: of one name the last, as a server has it; of several that with text, today's first.
        private(set) var best: XMLNode
        private var rank: Int
        private var others: [(element: XMLNode, rank: Int)] = []

        fileprivate init(_ element: XMLNode, rank: Int) {
            best = element
            self.rank = rank
        }

        fileprivate mutating func add(_ element: XMLNode, rank: Int) {
            let isBetter = rank == self.rank || (element.hasText && (rank < self.rank || !best.hasText))
            if isBetter {
                others.append((best, self.rank))
                (best, self.rank) = (element, rank)
            } else {
                others.append((element, rank))
            }
        }

        var elements: [XMLNode] { [best] + others.map(\.element) }

        /// Whether some element has an older name, or stands beside another.
        var needsRenaming: Bool { rank > 0 || !others.isEmpty }

        /// The text that counts; `nil` for none.
        var text: String? { best.hasText ? best.text() : nil }

        var hasText: Bool { best.hasText }

        var line: Int? { best.line }
    }

    private(set) var leaves: [Holder?]
    private(set) var relations: [String: XMLNode] = [:]

    init(_ model: XMLNode?, _ layout: FlatLayout) {
        leaves = Array(repeating: nil, count: layout.leaves.count)
        var next = model?.firstElement
        while let element = next {
            if element.isNamed("Field") { add(element, layout) }
            next = element.next()
        }
    }

    private mutating func add(_ element: XMLNode, _ layout: FlatLayout) {
        guard let found = element.withUTF8Attribute("name", { name in name.flatMap { layout.fieldByName[$0] } }) else {
            return
        }
        switch found {
        case .leaf(let index, let rank):
            if leaves[index] == nil {
                leaves[index] = Holder(element, rank: rank)
            } else {
                leaves[index]?.add(element, rank: rank)
            }
        case .relation(let name):
            relations[name] = element
        }
    }
}

extension XMLNode {
    fileprivate var hasText: Bool { withUTF8Text { !$0.isEmpty } }

    /// The `Model` elements of a `Field` that holds one (one-to-one) or a `Models` of them (one-to-many).
    var relatedModels: [XMLNode] {
        if let list = child(named: "Models") { return Array(list.children(named: "Model")) }
        return Array(children(named: "Model"))
    }
}
