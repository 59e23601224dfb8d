import FHIRTables

/// A type of FHIR, as evaluation asks for it.
struct PathType: Sendable, Hashable {
    // Not retained, which took a third of the evaluation's time: types are those of `Definitions.r4`, which is never
    // released.
    private unowned(unsafe) let definition: DefinedType

    /// - Parameter definition: One of `Definitions.r4`.
    init(_ definition: DefinedType) { self.definition = definition }

    init?(named name: UnsafeBufferPointer<UInt8>) {
        guard let definition = Definitions.r4.type(named: name) else { return nil }
        self.definition = definition
    }

    init?(named name: String) {
        guard let definition = Definitions.r4.type(named: name) else { return nil }
        self.definition = definition
    }

    fileprivate init(_ type: ElementType) { definition = Definitions.r4.types[type.id] }

    static func == (left: PathType, right: PathType) -> Bool { left.definition === right.definition }

    func hash(into hasher: inout Hasher) { hasher.combine(definition.id) }

    var name: String { definition.name }
    /// What it specializes.
    var base: PathType? { definition.lineage.dropFirst().first.map { PathType(Definitions.r4.types[$0]) } }
    /// Whether it is another type or specializes it.
    func isA(_ other: PathType) -> Bool { definition.isA(other.definition) }
    var isPrimitive: Bool { definition.kind == .primitive }
    var isResource: Bool { definition.kind == .resource }
    /// Defined inside another type.
    var isBackbone: Bool { definition.kind == .nested }
    var isQuantity: Bool { name == "Quantity" || definition.base == "Quantity" }

    /// The element with a name, of a choice without the type.
    func element(named name: String) -> PathElement? {
        definition.index(ofElementNamed: name).map { PathElement(definition, $0, choice: nil) }
    }

    /// The choice whose JSON name this is, with that one type.
    func choice(writtenAs name: String) -> PathElement? {
        guard let member = definition.member(named: name), definition.elements[member.element].isChoice else { return nil }
        return PathElement(definition, member.element, choice: member.type)
    }

    /// What `id` and `extension` of a primitive are.
    static func primitivePart(_ name: String) -> PathElement? { element?.element(named: name) }

    private static let element = PathType(named: "Element")
}

/// An element of a type, or a choice with one of its types.
struct PathElement: Sendable {
    // Not retained, as in `PathType`.
    private unowned(unsafe) let owner: DefinedType
    private let index: Int
    private let chosen: Int?

    fileprivate init(_ owner: DefinedType, _ index: Int, choice: Int?) {
        self.owner = owner
        self.index = index
        chosen = choice
    }

    var name: String { owner.elements[index].name }
    var isChoice: Bool { chosen == nil && owner.elements[index].isChoice }

    /// The first type; that of an element that is no choice.
    var type: PathType? {
        let types = owner.elements[index].types
        return types.isEmpty ? nil : PathType(types[chosen ?? 0])
    }

    /// The type that a name in JSON has at its end; nil for a name of another element.
    func type(writtenAs jsonName: UnsafeBufferPointer<UInt8>) -> PathType? {
        guard let member = owner.member(jsonName), member.element == index else { return nil }
        return PathType(owner.elements[index].types[member.type])
    }
}
