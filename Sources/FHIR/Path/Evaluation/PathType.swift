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

    private init(_ type: ElementType) { definition = Definitions.r4.types[type.id] }

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
        definition.element(named: name).map { element in
            PathElement(
                name: element.name, isChoice: element.isChoice,
                alternatives: element.types.map { (Array($0.suffix.utf8), PathType($0)) })
        }
    }

    /// The choice whose JSON name this is, with that one type.
    func choice(writtenAs name: String) -> PathElement? {
        guard let member = definition.member(named: name) else { return nil }
        let element = definition.elements[member.element]
        guard element.isChoice else { return nil }
        return PathElement(name: name, isChoice: false, alternatives: [([], PathType(element.types[member.type]))])
    }

    /// What `id` and `extension` of a primitive are.
    static func primitivePart(_ name: String) -> PathElement? {
        Self.element?.element(named: name)
    }

    private static let element = PathType(named: "Element")
}

/// An element of a type.
final class PathElement: Sendable {
    let name: String
    /// The name in UTF-8.
    let nameBytes: [UInt8]
    let isChoice: Bool
    /// The types, with the ends of the names that JSON has for them.
    fileprivate let alternatives: [(suffix: [UInt8], type: PathType)]

    fileprivate init(name: String, isChoice: Bool, alternatives: [([UInt8], PathType)]) {
        self.name = name
        nameBytes = Array(name.utf8)
        self.isChoice = isChoice
        self.alternatives = alternatives
    }

    var types: [PathType] { alternatives.map(\.type) }

    /// The first type; that of an element that is no choice.
    var type: PathType? { alternatives.first?.type }

    /// The type that a name in JSON has at its end; nil for a name that does not begin with the element's.
    func type(writtenAs jsonName: UnsafeBufferPointer<UInt8>) -> PathType? {
        guard jsonName.starts(with: nameBytes) else { return nil }
        let suffix = jsonName[nameBytes.count...]
        return alternatives.first { $0.suffix.elementsEqual(suffix) }?.type
    }
}
