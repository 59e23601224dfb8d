import FHIRTables
import FHIRValidation
import OrderedJSON

/// How the values of a slice are recognised: by a pattern, which is what the discriminators compare.
struct SlicePattern {
    let definitions: FHIRDefinitions

    /// The pattern of a slice; nil where none can tell its values apart.
    func pattern(of slice: ProfileShape, _ type: DefinedType) -> JSONValue? {
        let discriminators = slice.slicing?.discriminators ?? []
        guard !discriminators.isEmpty else {
            return slice.fixed ?? slice.pattern ?? ProfileContent.value(of: slice, type).json
        }
        var pattern: JSONValue?
        for discriminator in discriminators {
            let part: JSONValue? =
                switch discriminator.kind {
                case .value, .pattern: value(discriminator.path[...], slice, type)
                case .type, .profile: resource(discriminator.path[...], slice, type)
                case .exists, .position: nil
                }
            guard let part else { return nil }
            pattern = pattern.map { Self.merged($0, part) } ?? part
        }
        return pattern
    }

    /// An object with nothing but what is said at the end of a path.
    private func value(
        _ steps: ArraySlice<DiscriminatorStep>,
        _ shape: ProfileShape,
        _ type: DefinedType
    ) -> JSONValue? {
        guard let step = steps.first else {
            return shape.fixed ?? shape.pattern ?? ProfileContent.value(of: shape, type).json
        }
        guard case .element(let name) = step else { return nil }
        if let known = shape.fixed ?? shape.pattern, let part = Self.part(steps, of: known) { return part }
        guard let element = type.element(named: name), let child = shape.child(name) else { return nil }
        if element.isChoice {
            guard let one = child.onlyType(of: element) ?? child.requiredType(of: element) else { return nil }
            let inner = value(steps.dropFirst(), one.shape, Definitions.r4.types[one.type.id])
            return inner.map { JSONValue(members: [JSONMember(name: name + one.type.suffix, value: $0)]) }
        }
        guard let childType = child.type(element) else { return nil }
        let places = [child] + child.slices.filter { $0.minimum ?? 0 > 0 }
        for place in places {
            if let inner = value(steps.dropFirst(), place, childType) {
                let value = element.isList && inner.kind != .array ? [inner] : inner
                return JSONValue(members: [JSONMember(name: name, value: value)])
            }
        }
        return nil
    }

    /// The part of a value that a path leads to, with what is around it.
    private static func part(_ steps: ArraySlice<DiscriminatorStep>, of value: JSONValue) -> JSONValue? {
        guard let step = steps.first else { return value }
        guard case .element(let name) = step else { return nil }
        if let elements = value.elements {
            let parts = elements.compactMap { part(steps, of: $0) }
            return parts.isEmpty ? nil : JSONValue(parts)
        }
        return value[name].flatMap { part(steps.dropFirst(), of: $0) }
            .map { JSONValue(members: [JSONMember(name: name, value: $0)]) }
    }

    /// The type of the resource at the end of a path: of `entry.resource`.
    private func resource(
        _ steps: ArraySlice<DiscriminatorStep>,
        _ shape: ProfileShape,
        _ type: DefinedType
    ) -> JSONValue? {
        guard let step = steps.first else {
            let names = Set(shape.types.map { resourceType(of: $0) })
            guard names.count == 1, let name = names.first ?? nil else { return nil }
            return ["resourceType": JSONValue(name)]
        }
        guard case .element(let name) = step, let element = type.element(named: name), !element.isChoice,
            let child = shape.child(name), let childType = child.type(element),
            let inner = resource(steps.dropFirst(), child, childType)
        else { return nil }
        return JSONValue(members: [JSONMember(name: name, value: element.isList ? [inner] : inner)])
    }

    private func resourceType(of type: ProfileType) -> String? {
        let names = Set(type.profiles.map { definitions.profile($0)?.type })
        let name = names.isEmpty ? type.code : names.count == 1 ? names.first ?? nil : nil
        return name.flatMap { Definitions.r4.resourceNames.contains($0) ? $0 : nil }
    }

    /// Both patterns in one: `system` and `code` of the same coding.
    static func merged(_ a: JSONValue, _ b: JSONValue) -> JSONValue {
        if a.kind == .object, let members = b.members {
            var merged = a
            for member in members {
                merged[member.name] =
                    merged[member.name].map { Self.merged($0, member.value) } ?? member.value
            }
            return merged
        }
        if let left = a.elements.map(Array.init), let right = b.elements.map(Array.init),
            left.count == right.count
        {
            return JSONValue(zip(left, right).map { merged($0, $1) })
        }
        return a
    }
}
