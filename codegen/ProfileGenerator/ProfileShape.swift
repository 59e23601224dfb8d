import FHIRValidation
import OrderedJSON

/// What a profile says of an element or of a slice, together with what those say that it is derived from: a
/// slice has what is said of all the values that are sliced, an element of a type with a profile what that
/// profile says.
final class ProfileShape {
    /// The name; of a choice without `[x]`. Of the element itself the type.
    let name: String
    /// The path with the names of slices.
    let id: String
    let sliceName: String?
    let minimum: Int?
    /// `Int.max` for any number.
    let maximum: Int?
    let types: [ProfileType]
    /// The types of R4 that it can be of, by their indices.
    let definedTypes: [Int]
    let fixed: JSONValue?
    let pattern: JSONValue?
    let isMustSupport: Bool
    let slicing: ProfileSlicing?
    fileprivate(set) var children: [ProfileShape] = []
    /// Slices of slices, too.
    fileprivate(set) var slices: [ProfileShape] = []

    fileprivate init(
        _ node: ProfileNode,
        minimum: Int?,
        maximum: Int?,
        over owners: [ProfileShape]
    ) {
        name = node.name
        id = node.id
        sliceName = node.sliceName
        self.minimum = minimum
        self.maximum = maximum
        types = node.types.isEmpty ? owners.lazy.map(\.types).first { !$0.isEmpty } ?? [] : node.types
        definedTypes =
            node.definedTypes.isEmpty
            ? owners.lazy.map(\.definedTypes).first { !$0.isEmpty } ?? [] : node.definedTypes
        fixed = node.fixed ?? owners.lazy.compactMap(\.fixed).first
        pattern = node.pattern ?? owners.lazy.compactMap(\.pattern).first
        isMustSupport =
            node.isMustSupport || (node.sliceName == nil && owners.contains(where: \.isMustSupport))
        slicing = node.slicing ?? owners.lazy.compactMap(\.slicing).first
    }

    /// What is said of an element in it.
    func child(_ name: String) -> ProfileShape? { children.first { $0.name == name } }

    /// Whether the profile allows none.
    var isProhibited: Bool { maximum == 0 }
}

/// Makes shapes of profiles.
struct ProfileShapeReader {
    /// More elements than this are not taken from one profile.
    static let maximumCount = 20_000
    private static let maximumDepth = 16

    let definitions: FHIRDefinitions
    private var count = 0

    init(definitions: FHIRDefinitions) { self.definitions = definitions }

    /// The shape of a whole profile; nil where it would have too many elements.
    mutating func shape(of profile: Profile) -> ProfileShape? {
        let shape = shape(profile, 0, over: [], depth: 0)
        return count <= Self.maximumCount ? shape : nil
    }

    /// - Parameter owners: What is said of the same element elsewhere: of all values of a list that is
    ///   sliced, or by the profile of its type.
    private mutating func shape(
        _ profile: Profile,
        _ index: Profile.Index,
        over owners: [ProfileShape],
        depth: Int
    ) -> ProfileShape {
        count += 1
        let node = profile.nodes[index]
        let isSlice = node.sliceName != nil
        var owners = owners
        if let typed = typed(node, depth) { owners.append(typed) }
        let shape = ProfileShape(
            node,
            minimum: node.minimum ?? (isSlice ? nil : owners.lazy.compactMap(\.minimum).first),
            maximum: node.maximum ?? (isSlice ? nil : owners.lazy.compactMap(\.maximum).first),
            over: owners
        )
        guard count <= Self.maximumCount, depth < Self.maximumDepth else { return shape }
        for child in node.children {
            let name = profile.nodes[child].name
            let others = owners.compactMap { $0.child(name) }
            shape.children.append(self.shape(profile, child, over: others, depth: depth + 1))
        }
        for child in owners.flatMap(\.children) where shape.child(child.name) == nil {
            shape.children.append(child)
        }
        // The slices of a slice are added with those of the list.
        if isSlice { return shape }
        for slice in node.slices { add(slice, to: shape, over: [shape] + owners, profile, depth) }
        for slice in owners.flatMap(\.slices)
        where !shape.slices.contains(where: { $0.sliceName == slice.sliceName }) {
            shape.slices.append(slice)
        }
        return shape
    }

    private mutating func add(
        _ slice: Profile.Index,
        to shape: ProfileShape,
        over owners: [ProfileShape],
        _ profile: Profile,
        _ depth: Int
    ) {
        let own = self.shape(profile, slice, over: owners, depth: depth + 1)
        shape.slices.append(own)
        // Slices of a slice are slices of the same list.
        let prefix = (profile.nodes[slice].sliceName ?? "") + "/"
        for inner in profile.nodes[slice].slices
        where profile.nodes[inner].sliceName?.hasPrefix(prefix) == true && count <= Self.maximumCount {
            add(inner, to: shape, over: [own] + owners, profile, depth + 1)
        }
    }

    /// The shape of the profile that an element's only type has. Extensions, references and resources are
    /// things of their own.
    private mutating func typed(_ node: ProfileNode, _ depth: Int) -> ProfileShape? {
        guard node.types.count == 1, node.types[0].profiles.count == 1, depth < Self.maximumDepth,
            node.types[0].code != "Extension",
            let profile = definitions.profile(node.types[0].profiles[0]),
            profile.type == node.types[0].code, profile.nodes.count > 1
        else { return nil }
        return shape(profile, 0, over: [], depth: depth + 1)
    }
}
