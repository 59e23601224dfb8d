import OrderedJSON

/// A reference to a resource. (FHIR `Reference`.)
///
/// `Target` is the type of the resource where only one is allowed, and ``AnyResource`` where several are:
/// `observation.encounter` is a `Reference<Encounter>`, `observation.subject` a `Reference<AnyResource>`.
public struct Reference<Target: FHIRResource>: FHIRElement {
    public static var typeName: String { "Reference" }
    public var tree: JSONValue
    public init(view tree: JSONValue) { self.tree = tree }

    /// A reference with its text, as in `Patient/7`, `urn:uuid:…`, `#contained` or a URL.
    public init(_ reference: String, display: String? = nil) {
        tree = ["reference": JSONValue(reference)]
        self.display = display
    }

    /// A reference by identifier, for what has no address.
    public init(identifier: Identifier, display: String? = nil) {
        tree = ["identifier": identifier.tree]
        self.display = display
    }

    /// The address: relative, absolute, `urn:` or `#` and the id of a contained resource.
    /// `Reference.reference`, 0..1.
    public var reference: String? {
        get { tree.getOne("reference") }
        set { tree.setOne("reference", newValue) }
    }

    /// The type of the resource. `Reference.type`, 0..1.
    public var type: FHIRURI? {
        get { tree.getOne("type") }
        set { tree.setOne("type", newValue) }
    }

    /// What identifies the resource, where the address is not known. `Reference.identifier`, 0..1.
    public var identifier: Identifier? {
        get { tree.getOne("identifier") }
        set { tree.setOne("identifier", newValue) }
    }

    /// What people read. `Reference.display`, 0..1.
    public var display: String? {
        get { tree.getOne("display") }
        set { tree.setOne("display", newValue) }
    }

    /// The same reference, to resources of another type.
    public func to<Other: FHIRResource>(_ type: Other.Type) -> Reference<Other> {
        Reference<Other>(view: tree)
    }

    /// The type and id at the end of a relative or absolute address: `Patient` and `7`.
    public var target: (type: String, id: String)? {
        guard let reference, !reference.hasPrefix("#"), !reference.hasPrefix("urn:") else { return nil }
        var parts = reference.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.count >= 4, parts[parts.endIndex - 2] == "_history" { parts = parts.dropLast(2) }
        guard parts.count >= 2, let id = parts.last, let type = parts.dropLast().last, !id.isEmpty,
            type.first?.isUppercase == true
        else { return nil }
        return (String(type), String(id))
    }
}
