/// What an element that is written alone takes over from the elements around it.
struct Inherited {
    var declarations: [NamespaceDeclaration] = []
    /// Attributes of the namespace `xml`.
    var attributes: [AttributeRecord] = []

    var isEmpty: Bool { declarations.isEmpty }
}

extension XMLTree {
    /// The attributes of the namespace `xml` that an element's ancestors have and itself has not, of each the nearest.
    func xmlAttributes(above index: UInt32) -> [AttributeRecord] {
        let names = state.pointee.arena.names
        var seen: Set<UTF8Key> = []
        var found: [AttributeRecord] = []
        var current = index
        while current != noNode {
            for attribute in attributes(current) where !attribute.isDeclaration {
                let uri = names.namespace(names.namespaceID(ofName: attribute.name))
                guard uri.elementsEqual(NamespaceScope.xml.utf8), seen.insert(UTF8Key(names.local(attribute.name))).inserted
                else { continue }
                if current != index { found.append(attribute) }
            }
            current = parent(current)
        }
        return found
    }

    /// Whether `xml:space="preserve"` is in force around a node.
    func preservesSpace(around index: UInt32) -> Bool {
        var current = parent(index)
        while current != noNode {
            if let space = spaceAttribute(current) { return space.elementsEqual("preserve".utf8) }
            current = parent(current)
        }
        return false
    }

    func spaceAttribute(_ index: UInt32) -> UnsafeBufferPointer<UInt8>? {
        let name: StaticString = "xml:space"
        return attribute(index, named: name.utf8Buffer).map { attributeValue($0) }
    }
}
