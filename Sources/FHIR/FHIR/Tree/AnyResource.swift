import OrderedJSON

/// A view on a resource of whatever type.
///
/// ```swift
/// for entry in bundle.entry {
///     guard let patient = entry.resource?.as(Patient.self) else { continue }
///     print(patient.birthDate ?? "")
/// }
/// ```
public struct AnyResource: FHIRDomainResource {
    public static let typeName = "Resource"
    public var tree: JSONValue
    public init(view tree: JSONValue) { self.tree = tree }

    public init?(tree: JSONValue) {
        guard tree.member("resourceType")?.kind == .string else { return nil }
        self.tree = tree
    }

    /// The same resource, of whatever type.
    public init(_ resource: some FHIRResource) { tree = resource.tree }

    /// The resource as one of a type; `nil` when it is of another.
    public func `as`<Resource: FHIRResource>(_ type: Resource.Type) -> Resource? { Resource(tree: tree) }
}
