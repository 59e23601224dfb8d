import IndivoXML

/// The child elements of one element of nested XML, found by the field they hold.
struct NestedFields {
    /// The first element that holds a field, by today's name or, where there is none, an older one.
    private struct Slot {
        var element: XMLView?
        var rank = 0
    }

    private var element: XMLView?
    private var slots: [Slot] = []
    /// Which field and rank each name of the tree stands for, by the name's number, once it was looked up.
    private var known: [Found] = []

    private enum Found { case unknown, nothing, field(Int, rank: Int) }

    /// Those of an element into which nobody looks.
    init() {}

    /// - Parameter element: Somebody must keep its tree.
    init(_ element: XMLView, _ layout: Layout) {
        self.element = element
        slots = Array(repeating: Slot(), count: layout.fields.count)
        var next = element.firstElement
        while let child = next {
            if let (field, rank) = Self.lookUp(child, in: element, layout) { add(child, field, rank) }
            next = child.nextElement
        }
    }

    /// Goes on to another element of the same tree and layout.
    mutating func look(into element: XMLView, _ layout: Layout) {
        for index in slots.indices { slots[index].element = nil }
        // What is foreign depends on the element around it.
        if element.nameNumber != self.element?.nameNumber { known.removeAll() }
        self.element = element
        var next = element.firstElement
        while let child = next {
            if case .field(let field, let rank) = meaning(of: child, in: element, layout) { add(child, field, rank) }
            next = child.nextElement
        }
    }

    @inline(__always)
    private mutating func add(_ element: XMLView, _ field: Int, _ rank: Int) {
        guard slots[field].element == nil || rank < slots[field].rank else { return }
        slots[field] = Slot(element: element, rank: rank)
    }

    private static func lookUp(_ child: XMLView, in element: XMLView, _ layout: Layout) -> (field: Int, rank: Int)? {
        layout.elements[child.localName].flatMap { child.isForeign(in: element) ? nil : $0 }
    }

    private mutating func meaning(of child: XMLView, in element: XMLView, _ layout: Layout) -> Found {
        let name = Int(child.nameNumber)
        if name < known.count {
            if case .unknown = known[name] {} else { return known[name] }
        } else {
            known.append(contentsOf: repeatElement(.unknown, count: name + 1 - known.count))
        }
        known[name] = Self.lookUp(child, in: element, layout).map { .field($0.field, rank: $0.rank) } ?? .nothing
        return known[name]
    }

    /// The first element that holds a field.
    subscript(field: FieldLayout) -> XMLView? { slots[field.index].element }

    /// Calls `body` with each element that holds a field, all under one name.
    func forEach(of field: FieldLayout, _ body: (XMLView) throws -> Void) rethrows {
        guard let element, let first = slots[field.index].element else { return }
        let name = first.localName
        var next: XMLView? = first
        while let child = next {
            if child.isNamed(name), !child.isForeign(in: element) { try body(child) }
            next = child.nextElement
        }
    }
}

extension XMLNode {
    /// The child elements of this name that belong to the same vocabulary, see `XMLView.isForeign(in:)`.
    func ownChildren(named name: String) -> [XMLNode] {
        guard let view else { return [] }
        return children(named: name).filter { $0.view.map { !$0.isForeign(in: view) } ?? false }
    }

    func ownChild(named name: String) -> XMLNode? { ownChildren(named: name).first }
}

extension XMLView {
    /// The element's own text as a field's; `nil` for none.
    var ownFieldText: FieldText? {
        guard let bytes = onlyText else {
            let text = ownText()
            return text.isEmpty ? nil : .string(text)
        }
        return bytes.isEmpty ? nil : .bytes(bytes)
    }

    /// The value of the attribute that holds a field, under its name or, where there is none, an older one.
    func attribute(of field: FieldLayout) -> UnsafeBufferPointer<UInt8>? {
        for name in field.nameBytes {
            if let value = name.withUnsafeBufferPointer({ attribute($0) }) { return value }
        }
        return nil
    }
}
