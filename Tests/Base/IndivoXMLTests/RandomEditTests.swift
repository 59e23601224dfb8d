import IndivoBase
import IndivoXML
import Testing

/// A tree as plain as can be, to compare with.
private final class Model {
    enum Content: Equatable {
        case element(String)
        case text(String)
        case comment(String)
    }

    var content: Content
    var attributes: [(String, String)] = []
    var children: [Model] = []
    weak var parent: Model?
    /// Whether its parent was emptied, so that it is gone for ever.
    var isGone = false

    init(_ content: Content) { self.content = content }

    var isElement: Bool { if case .element = content { true } else { false } }

    var xml: String {
        switch content {
        case .text(let text): return text
        case .comment(let text): return "<!--\(text)-->"
        case .element(let name):
            let head = name + attributes.map { " \($0)=\"\($1)\"" }.joined()
            return children.isEmpty ? "<\(head)/>" : "<\(head)>" + children.map(\.xml).joined() + "</\(name)>"
        }
    }

    func detach() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    func insert(_ child: Model, at place: Int) {
        children.insert(child, at: place)
        child.parent = self
    }

    func isInside(_ other: Model) -> Bool {
        var current: Model? = self
        while let model = current {
            if model === other { return true }
            current = model.parent
        }
        return false
    }

    func vanish() {
        isGone = true
        parent = nil
        for child in children { child.vanish() }
    }

    func clear() {
        for child in children { child.vanish() }
        children = []
    }
}

@Suite("Random edits")
struct RandomEditTests {
    /// Nodes and the models they must agree with, for ever.
    private struct World {
        var pairs: [(node: XMLNode, model: Model)] = []
        /// The tops of two documents: nodes move between them. They stay where they are.
        var roots: [(node: XMLNode, model: Model)] = []
        var counter = 0

        mutating func make(_ random: inout SeededGenerator) -> (node: XMLNode, model: Model) {
            counter += 1
            let pair: (node: XMLNode, model: Model)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: pair = (.text("t\(counter)"), Model(.text("t\(counter)")))
            case 1: pair = (.comment("c\(counter)"), Model(.comment("c\(counter)")))
            default: pair = (XMLNode("e\(counter % 7)"), Model(.element("e\(counter % 7)")))
            }
            pairs.append(pair)
            return pair
        }
    }

    @Test("ten thousand random sequences of edits agree with a plain model", arguments: 0..<10)
    func agreement(block: Int) throws {
        for sequence in 0..<1_000 {
            var random = SeededGenerator(seed: UInt64(block * 1_000 + sequence))
            var world = World()
            for name in ["r", "s"] {
                world.roots.append(
                    (
                        try XMLNode(parsing: "<\(name)><a x=\"1\"><b/></a><c/></\(name)>"),
                        Model(.element(name))
                    )
                )
                adopt(world.roots[world.roots.count - 1], into: &world)
            }
            for _ in 0..<Int.random(in: 1...25, using: &random) { edit(&world, &random) }
            for (node, model) in world.roots {
                #expect(try node.xml() == model.xml, "sequence \(block * 1_000 + sequence)")
            }
            try verify(world, "sequence \(block * 1_000 + sequence)")
        }
    }

    /// Makes models of the parsed nodes.
    private func adopt(_ pair: (node: XMLNode, model: Model), into world: inout World) {
        world.pairs.append(pair)
        for attribute in pair.node.attributes {
            pair.model.attributes.append((attribute.name, attribute.value))
        }
        for (place, child) in pair.node.children().enumerated() where pair.model.children.count <= place {
            let model = Model(.element(child.name))
            pair.model.insert(model, at: place)
            adopt((child, model), into: &world)
        }
    }

    private func edit(_ world: inout World, _ random: inout SeededGenerator) {
        let living = world.pairs.filter { !$0.model.isGone }
        guard let target = living.randomElement(using: &random) else { return }
        let isRoot = world.roots.contains { $0.model === target.model }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...5:
            // Moves an old node or a new one to one of four places.
            let moved =
                Bool.random(using: &random) ? world.make(&random) : living.randomElement(using: &random)
            guard let moved, !world.roots.contains(where: { $0.model === moved.model }) else { return }
            move(moved, to: target, Int.random(in: 0..<4, using: &random))
        case 6:
            target.node.attr("k", "\(world.counter)")
            guard target.model.isElement else { return }
            target.model.attributes.removeAll { $0.0 == "k" && false }
            if let place = target.model.attributes.firstIndex(where: { $0.0 == "k" }) {
                target.model.attributes[place].1 = "\(world.counter)"
            } else {
                target.model.attributes.append(("k", "\(world.counter)"))
            }
        case 7:
            target.node.removeAttr("k")
            target.model.attributes.removeAll { $0.0 == "k" }
        case 8:
            guard target.model.isElement else { return }
            target.node.empty()
            target.model.clear()
        case 9:
            world.counter += 1
            let text = "n\(world.counter)"
            target.node.text(text)
            switch target.model.content {
            case .text: target.model.content = .text(text)
            case .comment: target.model.content = .comment(text)
            case .element:
                target.model.clear()
                target.model.insert(Model(.text(text)), at: 0)
                if let node = target.node.contents().first {
                    world.pairs.append((node, target.model.children[0]))
                }
            }
        case 10:
            guard !isRoot else { return }
            target.node.remove()
            target.model.detach()
        default:
            let copy = target.node.clone()
            #expect((try? copy.xml()) == target.model.xml)
        }
    }

    private func move(
        _ moved: (node: XMLNode, model: Model),
        to target: (node: XMLNode, model: Model),
        _ way: Int
    ) {
        let (parent, place): (Model?, () -> Int)
        switch way {
        case 0:
            target.node.append(moved.node)
            parent = target.model.isElement ? target.model : nil
            place = { target.model.children.count }
        case 1:
            target.node.prepend(moved.node)
            parent = target.model.isElement ? target.model : nil
            place = { 0 }
        case 2:
            guard target.model.parent != nil else { return }
            target.node.before(moved.node)
            parent = target.model.parent
            place = { target.model.parent?.children.firstIndex { $0 === target.model } ?? 0 }
        default:
            guard target.model.parent != nil else { return }
            target.node.after(moved.node)
            parent = target.model.parent
            place = { (target.model.parent?.children.firstIndex { $0 === target.model } ?? -1) + 1 }
        }
        guard let parent, !parent.isInside(moved.model), moved.model !== target.model else { return }
        moved.model.detach()
        parent.insert(moved.model, at: place())
    }

    /// Every handle that was ever had speaks for its own node, or says that it is gone.
    private func verify(_ world: World, _ comment: Comment) throws {
        for (node, model) in world.pairs {
            if model.isGone {
                #expect(node.kind == .removed && node.isRemoved && node.parent() == nil, comment)
                continue
            }
            #expect(try node.xml() == model.xml, comment)
            let siblings = model.parent?.children.filter(\.isElement) ?? []
            let position = siblings.firstIndex { $0 === model }
            if model.isElement, model.parent != nil { #expect(node.index() == position, comment) }
            if model.parent != nil {
                let parent = world.pairs.first { $0.model === model.parent }?.node
                #expect(node.parent() == parent, comment)
            }
        }
    }
}
