import FHIRTables
import OrderedJSON

/// What a profile determines of a value: fixed values and patterns of what is required.
enum ProfileContent {
    /// The value, as far as it is determined, and whether nothing that is required lacks.
    struct Value {
        var json: JSONValue?
        var isComplete: Bool
    }

    /// The members of an object that an element adds to it.
    struct Members {
        var members: [JSONMember] = []
        var isComplete: Bool
    }

    /// The value that a shape determines.
    static func value(of shape: ProfileShape, _ type: DefinedType) -> Value {
        if let fixed = shape.fixed { return Value(json: fixed, isComplete: true) }
        let pattern = shape.pattern
        if let pattern, pattern.kind != .object { return Value(json: pattern, isComplete: true) }
        if type.kind == .primitive || type.name == "Extension" { return Value(json: nil, isComplete: false) }
        var object = pattern ?? [:]
        var isComplete = true
        for element in type.elements {
            let child = shape.child(element.name)
            guard child?.minimum(of: element) ?? element.minimum > 0, child?.isProhibited != true else {
                continue
            }
            let found = members(of: element, child, skipsBackbone: false)
            for member in found.members where object[member.name] == nil {
                object[member.name] = member.value
            }
            if !found.isComplete, !has(element, object) { isComplete = false }
        }
        if object.members?.isEmpty != false { return Value(json: nil, isComplete: false) }
        return Value(json: object, isComplete: isComplete)
    }

    private static func has(_ element: DefinedElement, _ object: JSONValue) -> Bool {
        element.isChoice
            ? element.types.contains { object[element.name + $0.suffix] != nil } : object[element.name] != nil
    }

    /// What an element that is required adds to the object that it is in.
    ///
    /// - Parameter skipsBackbone: Whether what is more than a datatype is left to who fills it.
    static func members(
        of element: DefinedElement,
        _ shape: ProfileShape?,
        skipsBackbone: Bool
    ) -> Members {
        guard let shape else { return Members(isComplete: false) }
        if element.isChoice { return choice(element, shape) }
        guard let type = shape.type(element) else { return Members(isComplete: false) }
        var items: [JSONValue] = []
        var isComplete = true
        var rest = shape.minimum(of: element)
        for slice in shape.slices where slice.minimum ?? 0 > 0 && !slice.isProhibited {
            rest -= slice.minimum ?? 0
            if let item = item(slice, type, skipsBackbone), slice.minimum == 1 {
                items.append(item)
            } else {
                isComplete = false
            }
        }
        if rest > 0 {
            if let item = item(shape, type, skipsBackbone), rest == 1 {
                items.append(item)
            } else {
                isComplete = false
            }
        }
        guard let first = items.first else { return Members(isComplete: isComplete) }
        let value = element.isList ? JSONValue(items) : first
        return Members(members: [JSONMember(name: element.name, value: value)], isComplete: isComplete)
    }

    /// The value that a slice determines whole.
    static func item(_ shape: ProfileShape, _ type: DefinedType, _ skipsBackbone: Bool) -> JSONValue? {
        if skipsBackbone, type.kind == .nested { return nil }
        let value = value(of: shape, type)
        return value.isComplete ? value.json : nil
    }

    private static func choice(_ element: DefinedElement, _ shape: ProfileShape) -> Members {
        guard let one = shape.onlyType(of: element) ?? shape.requiredType(of: element) else {
            return Members(isComplete: false)
        }
        let value = value(of: one.shape, Definitions.r4.types[one.type.id])
        guard let json = value.json, value.isComplete else { return Members(isComplete: false) }
        return Members(
            members: [JSONMember(name: element.name + one.type.suffix, value: json)],
            isComplete: true
        )
    }
}

extension ProfileShape {
    /// The type of R4 that an element's values are of.
    func type(_ element: DefinedElement) -> DefinedType? {
        (definedTypes.count == 1 ? definedTypes[0] : element.types.first?.id).map { Definitions.r4.types[$0] }
    }

    /// How many values of an element there must be, those of slices among them.
    func minimum(of element: DefinedElement) -> Int {
        let sliced = slices.reduce(0) { $0 + ($1.isProhibited ? 0 : $1.minimum ?? 0) }
        return max(minimum ?? element.minimum, sliced)
    }

    /// The types of a choice that the profile allows.
    func allowedTypes(of element: DefinedElement) -> [ElementType] {
        let codes = Set(types.map(\.code))
        let allowed = element.types.filter { codes.isEmpty || codes.contains($0.code) }
        return allowed.filter { type in
            !slices.contains { $0.isProhibited && $0.types.map(\.code) == [type.code] }
        }
    }

    /// The one type that is left of a choice, with what is said of values of it. A profile that says
    /// something of `valueQuantity`, without slicing `value[x]`, leaves no other (FHIR R4,
    /// "ElementDefinition", paths).
    func onlyType(of element: DefinedElement) -> (type: ElementType, shape: ProfileShape)? {
        guard element.types.count > 1 else { return nil }
        let allowed = allowedTypes(of: element)
        if allowed.count == 1 { return (allowed[0], typeSlice(allowed[0]) ?? self) }
        if let required = requiredType(of: element) { return required }
        let sliced = allowed.filter { typeSlice($0) != nil }
        guard slicing == nil || slicing?.rules == .closed, sliced.count == 1,
            let slice = typeSlice(sliced[0])
        else { return nil }
        return (sliced[0], slice)
    }

    /// The type of a choice that a slice requires.
    func requiredType(of element: DefinedElement) -> (type: ElementType, shape: ProfileShape)? {
        for type in allowedTypes(of: element) {
            if let slice = typeSlice(type), slice.minimum ?? 0 > 0 { return (type, slice) }
        }
        return nil
    }

    /// The slice of a choice for a type.
    func typeSlice(_ type: ElementType) -> ProfileShape? {
        slices.first { $0.types.map(\.code) == [type.code] && !$0.isProhibited }
    }
}
