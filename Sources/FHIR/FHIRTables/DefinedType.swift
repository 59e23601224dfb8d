/// A type of FHIR: a primitive, a datatype, a resource, or the nested type of a backbone element.
public final class DefinedType: Sendable {
    /// What a type is.
    public enum Kind: String, Sendable {
        /// A value with `id` and extensions: `string`, `decimal`, `dateTime`…
        case primitive
        /// A datatype with elements: `Quantity`, `HumanName`…
        case datatype
        /// A resource: `Observation`…
        case resource
        /// A datatype with more rules: `SimpleQuantity`.
        case profile
        /// What is defined inside another type: `Observation.component`.
        case nested
    }

    /// The index in ``Definitions/types``.
    public let id: Int
    /// The name; of a nested type the path.
    public let name: String
    public let kind: Kind
    /// The name of the type that it specializes; of a nested one `BackboneElement` or `Element`.
    public let base: String?
    /// The ids of the type itself and of those that it specializes, from the most special to the most
    /// general.
    public let lineage: [Int]
    /// Whether only types derived from it have values.
    public let isAbstract: Bool
    /// The elements in the order of the specification, with those of the base.
    public let elements: [DefinedElement]
    /// The keys of its rules, with those of the base.
    public let rules: [String]

    /// JSON's names of the elements; a choice has one for each type.
    private let members: MemberTable
    /// The names of the elements, of choices without the type.
    private let elementNames: NameTable
    /// Of each element: whether it is a choice, where in `typeIDs` its types begin, and how many there must
    /// be. Plain numbers, which are read without copying an element.
    private let shapes: [(isChoice: Bool, firstType: Int, minimum: Int)]
    /// The ids of the elements' types, one element after the other.
    private let typeIDs: [Int]

    init(
        id: Int,
        name: String,
        kind: Kind,
        base: String?,
        lineage: [Int],
        isAbstract: Bool,
        elements: [DefinedElement],
        rules: [String]
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.base = base
        self.lineage = lineage
        self.isAbstract = isAbstract
        self.elements = elements
        self.rules = rules
        members = MemberTable(elements)
        elementNames = NameTable(elements.map(\.name))
        var shapes: [(isChoice: Bool, firstType: Int, minimum: Int)] = []
        var typeIDs: [Int] = []
        for element in elements {
            shapes.append((element.isChoice, typeIDs.count, element.minimum))
            typeIDs += element.types.map(\.id)
        }
        // The end of the last element's.
        shapes.append((false, typeIDs.count, 0))
        self.shapes = shapes
        self.typeIDs = typeIDs
    }

    /// Whether it is another type or specializes it.
    public func isA(_ other: DefinedType) -> Bool { lineage.contains(other.id) }

    /// The element with a name; a choice's is without `[x]`.
    public func element(named name: String) -> DefinedElement? {
        index(ofElementNamed: name).map { elements[$0] }
    }

    /// The index in ``elements`` of the element with a name; a choice's is without `[x]`.
    package func index(ofElementNamed name: String) -> Int? {
        var name = name
        return name.withUTF8 { elementNames[$0] }
    }

    /// Whether the element at an index in ``elements`` may have one of several types.
    package func isChoice(_ element: Int) -> Bool { shapes[element].isChoice }

    /// The end of the name in JSON of a choice with a type.
    package func suffix(ofElement element: Int, type: Int) -> String { elements[element].types[type].suffix }

    /// How many values the element at an index in ``elements`` must have.
    package func minimum(ofElement element: Int) -> Int { shapes[element].minimum }

    /// The index in ``Definitions/types`` of an element's type; nil where the element has no such type.
    package func typeID(ofElement element: Int, type: Int = 0) -> Int? {
        let index = shapes[element].firstType + type
        return index < shapes[element + 1].firstType ? typeIDs[index] : nil
    }

    /// What the member of a JSON object with this name is: the element, and of its types which.
    ///
    /// A member that holds a primitive's `id` and extensions, as `_status` does, is asked for without its
    /// `_`.
    public func member(_ name: UnsafeBufferPointer<UInt8>) -> DefinedMember? { members[name] }

    /// What the member of a JSON object with this name is.
    public func member(named name: String) -> DefinedMember? {
        var name = name
        return name.withUTF8 { members[$0] }
    }
}

/// What a member of a JSON object is.
public struct DefinedMember: Sendable, Equatable {
    /// The index in the type's ``DefinedType/elements``.
    public let element: Int
    /// The index in the element's ``DefinedElement/types``.
    public let type: Int
}
