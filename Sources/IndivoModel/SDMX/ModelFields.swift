import IndivoXML

/// The `Field` elements of one `Model` element, found by the leaf or relation they hold.
struct ModelFields {
    /// A leaf's elements: several where it stands under several names, or twice under one.
    struct Holder {
        var elements: [(element: XMLNode, rank: Int)] = []

        /// The text that counts: today's name before older ones, the last of equals; a name with text before one without.
        var text: String? {
            var best: (text: String, rank: Int)?
            for (element, rank) in elements {
                let text = element.text()
                if text.isEmpty { continue }
                if let best, best.rank < rank { continue }
                best = (text, rank)
            }
            return best?.text
        }

        var line: Int? { elements.first?.element.line }
    }

    private(set) var leaves: [Holder?]
    private(set) var relations: [String: XMLNode] = [:]

    init(_ model: XMLNode?, _ layout: FlatLayout) {
        leaves = Array(repeating: nil, count: layout.leaves.count)
        guard let model else { return }
        for element in model.children(named: "Field") {
            guard let name = element.attr("name") else { continue }
            if let (leaf, rank) = layout.leafByName[name] {
                leaves[leaf, default: Holder()].elements.append((element, rank))
            } else if let relation = layout.relationByName[name] {
                relations[relation.name] = element
            }
        }
    }
}

extension Array {
    /// The optional element's value, made when there is none.
    fileprivate subscript<Wrapped>(index: Int, default value: Wrapped) -> Wrapped where Element == Wrapped? {
        get { self[index] ?? value }
        set { self[index] = newValue }
    }
}

extension XMLNode {
    /// The `Model` elements of a `Field` that holds one (one-to-one) or a `Models` of them (one-to-many).
    var relatedModels: [XMLNode] {
        if let list = child(named: "Models") { return Array(list.children(named: "Model")) }
        return Array(children(named: "Model"))
    }
}
