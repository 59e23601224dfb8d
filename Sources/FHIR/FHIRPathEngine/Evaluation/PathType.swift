import FHIR
import FHIRTables

/// A type of FHIR, as evaluation asks for it.
struct PathType: Sendable, Hashable {
    // Neither retained nor released, which took a third of the evaluation's time: types are those of
    // `Definitions.r4`, which is never released.
    private let definition: Unmanaged<DefinedType>

    /// - Parameter definition: One of `Definitions.r4`.
    init(_ definition: DefinedType) { self.definition = .passUnretained(definition) }

    init?(named name: UnsafeBufferPointer<UInt8>) {
        guard let definition = Definitions.r4.type(named: name) else { return nil }
        self.init(definition)
    }

    init?(named name: String) {
        guard let definition = Definitions.r4.type(named: name) else { return nil }
        self.init(definition)
    }

    fileprivate init(id: Int) { self.init(Definitions.r4.type(id: id)) }

    @inline(__always)
    private func read<Result>(_ body: (DefinedType) -> Result) -> Result {
        definition._withUnsafeGuaranteedRef(body)
    }

    static func == (left: PathType, right: PathType) -> Bool {
        left.definition.toOpaque() == right.definition.toOpaque()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(definition.toOpaque()) }

    var name: String { read { $0.name } }
    /// What it specializes.
    var base: PathType? { read { $0.lineage.dropFirst().first }.map { PathType(id: $0) } }
    /// Whether it is another type or specializes it.
    func isA(_ other: PathType) -> Bool { read { own in other.read { own.isA($0) } } }
    var isPrimitive: Bool { read { $0.kind == .primitive } }
    var isResource: Bool { read { $0.kind == .resource } }
    /// Defined inside another type.
    var isBackbone: Bool { read { $0.kind == .nested } }
    var isQuantity: Bool { read { $0.name == "Quantity" || $0.base == "Quantity" } }

    /// The element with a name, of a choice without the type.
    func element(named name: String) -> PathElement? {
        read { $0.index(ofElementNamed: name) }.map { PathElement(definition, $0, choice: nil) }
    }

    /// The choice whose JSON name this is, with that one type.
    func choice(writtenAs name: String) -> PathElement? {
        guard let member = read({ $0.member(named: name) }), read({ $0.isChoice(member.element) }) else {
            return nil
        }
        return PathElement(definition, member.element, choice: member.type)
    }

    /// What `id` and `extension` of a primitive are.
    static func primitivePart(_ name: String) -> PathElement? { element?.element(named: name) }

    private static let element = PathType(named: "Element")
}

/// An element of a type, or a choice with one of its types.
struct PathElement: Sendable {
    // Not retained, as in `PathType`.
    private let owner: Unmanaged<DefinedType>
    private let index: Int
    private let chosen: Int?

    fileprivate init(_ owner: Unmanaged<DefinedType>, _ index: Int, choice: Int?) {
        self.owner = owner
        self.index = index
        chosen = choice
    }

    @inline(__always)
    private func read<Result>(_ body: (DefinedType) -> Result) -> Result {
        owner._withUnsafeGuaranteedRef(body)
    }

    var name: String { read { $0.elements[index].name } }
    var isChoice: Bool { chosen == nil && read { $0.isChoice(index) } }

    /// The first type; that of an element that is not a choice.
    var type: PathType? { read { $0.typeID(ofElement: index, type: chosen ?? 0) }.map { PathType(id: $0) } }

    /// The type that a name in JSON has at its end; nil for a name of another element.
    func type(writtenAs jsonName: UnsafeBufferPointer<UInt8>) -> PathType? {
        read { owner -> Int? in
            guard let member = owner.member(jsonName), member.element == index else { return nil }
            return owner.typeID(ofElement: index, type: member.type)
        }.map { PathType(id: $0) }
    }
}
