import OrderedJSON

extension FHIRElement {
    /// The extensions of a primitive element, which JSON keeps beside the value: those of `birthDate` are in
    /// `_birthDate`.
    ///
    /// - Parameters:
    ///   - element: The name of the member; of a choice with its type, as in `valueString`.
    ///   - index: Which of several values.
    public func extensions(of element: String, at index: Int? = nil) -> [Extension] {
        let sibling = tree["_" + element]
        return (index.map { sibling?[$0] } ?? sibling)?.getList("extension") ?? []
    }

    /// Sets the extensions of a primitive element; the value can be absent.
    public mutating func setExtensions(_ extensions: [Extension], of element: String, at index: Int? = nil) {
        let name = "_" + element
        var sibling = tree[name]
        if let index {
            var siblings = sibling.flatMap { $0.elements.map(Array.init) } ?? []
            while siblings.count <= index { siblings.append(.null) }
            siblings[index] = Self.sibling(siblings[index], extensions) ?? .null
            sibling = siblings.allSatisfy(\.isNull) ? nil : JSONValue(siblings)
        } else {
            sibling = Self.sibling(sibling, extensions)
        }
        tree[name] = sibling
    }

    private static func sibling(_ old: JSONValue?, _ extensions: [Extension]) -> JSONValue? {
        var new = old?.kind == .object ? old : [:]
        new?.setList("extension", extensions)
        return new?.members?.isEmpty == true ? nil : new
    }
}
