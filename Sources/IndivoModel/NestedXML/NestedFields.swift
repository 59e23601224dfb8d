import IndivoXML

/// The child elements of one element of nested XML, found by the field they hold.
struct NestedFields {
    /// The first element that holds a field, by today's name or, where there is none, an older one.
    private struct Slot {
        var element: XMLView?
        var rank = 0
    }

    private var slots: [Slot] = []

    /// Those of an element into which nobody looks.
    init() {}

    /// - Parameter element: Somebody must keep its tree.
    init(_ element: XMLView, _ layout: Layout) {
        slots = Array(repeating: Slot(), count: layout.fields.count)
        var next = element.firstElement
        while let child = next {
            if let (field, rank) = layout.elements[child.localName],
                slots[field].element == nil || rank < slots[field].rank {
                slots[field] = Slot(element: child, rank: rank)
            }
            next = child.nextElement
        }
    }

    /// The first element that holds a field.
    subscript(field: FieldLayout) -> XMLView? { slots[field.index].element }

    /// Calls `body` with each element that holds a field, all under one name.
    func forEach(of field: FieldLayout, _ body: (XMLView) throws -> Void) rethrows {
        guard let first = slots[field.index].element else { return }
        let name = first.localName
        var next: XMLView? = first
        while let element = next {
            if element.isNamed(name) { try body(element) }
            next = element.nextElement
        }
    }
}

extension XMLView {
    /// The value of the attribute that holds a field, under its name or, where there is none, an older one.
    func attribute(of field: FieldLayout) -> UnsafeBufferPointer<UInt8>? {
        for name in field.nameBytes {
            if let value = name.withUnsafeBufferPointer({ attribute($0) }) { return value }
        }
        return nil
    }
}
