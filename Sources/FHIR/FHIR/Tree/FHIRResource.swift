import OrderedJSON

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A view on a resource.
///
/// ```swift
/// let bundle = try FHIRBundle(parsing: data)
/// for observation in bundle.resources(of: Observation.self) {
///     print(observation.code?.text ?? "?", observation.value?.quantity?.value ?? "")
/// }
/// let json = bundle.json(.pretty)
/// ```
public protocol FHIRResource: FHIRElement {}

extension FHIRResource {
    /// The resource, if JSON has one of this type: `resourceType` says so.
    public init?(tree: JSONValue) {
        guard tree.member("resourceType")?.isString(equalTo: Self.typeName) == true else { return nil }
        self.init(view: tree)
    }

    /// Parses a resource's JSON.
    ///
    /// Nothing but the syntax and `resourceType` is checked; `issues()` does the rest.
    ///
    /// - Throws: ``FHIRParsingError``.
    public init(
        parsing json: some Sequence<UInt8>,
        limits: JSONLimits = JSONLimits()
    ) throws(FHIRParsingError) {
        let tree: JSONValue
        do {
            tree = try JSONValue(parsing: json, limits: limits)
        } catch {
            throw .json(error)
        }
        try self.init(checking: tree)
    }

    /// Parses a resource's JSON.
    ///
    /// - Throws: ``FHIRParsingError``.
    public init(parsing json: String, limits: JSONLimits = JSONLimits()) throws(FHIRParsingError) {
        try self.init(parsing: json.utf8, limits: limits)
    }

    init(checking tree: JSONValue) throws(FHIRParsingError) {
        guard let resource = Self(tree: tree) else {
            guard let found = tree.resourceType else { throw .notAResource }
            if case .other = FHIRTypeName(found) { throw .wrongType(expected: Self.typeName, found: nil) }
            throw .wrongType(expected: Self.typeName, found: found)
        }
        self = resource
    }

    /// The resource's JSON in UTF-8, to be stored or sent. As a text, to be printed, it is
    /// `tree.text(.pretty)`.
    public func json(_ style: JSONStyle = .compact) -> Data { Data(tree.utf8(style)) }

    /// Which type of resource it says it is.
    public var resourceType: String? { tree.resourceType }

    /// The logical id. `Resource.id`, 0..1.
    public var id: String? {
        get { tree.getOne("id") }
        set { tree.setOne("id", newValue) }
    }

    /// Version, time of change, profiles, tags. `Resource.meta`, 0..1.
    public var meta: Meta? {
        get { tree.getOne("meta") }
        set { tree.setOne("meta", newValue) }
    }

    /// Rules under which it was made. `Resource.implicitRules`, 0..1.
    public var implicitRules: FHIRURI? {
        get { tree.getOne("implicitRules") }
        set { tree.setOne("implicitRules", newValue) }
    }

    /// The language of the content. `Resource.language`, 0..1.
    public var language: String? {
        get { tree.getOne("language") }
        set { tree.setOne("language", newValue) }
    }
}

/// A view on a resource with narrative, extensions and contained resources.
public protocol FHIRDomainResource: FHIRResource {}

extension FHIRDomainResource {
    /// A summary for people. `DomainResource.text`, 0..1.
    public var text: Narrative? {
        get { tree.getOne("text") }
        set { tree.setOne("text", newValue) }
    }

    /// Resources that exist only inside this one. `DomainResource.contained`, 0..*.
    public var contained: [AnyResource] {
        get { tree.getList("contained") }
        set { tree.setList("contained", newValue) }
    }

    /// Extensions that cannot be ignored. `DomainResource.modifierExtension`, 0..*.
    public var modifierExtension: [Extension] {
        get { tree.getList("modifierExtension") }
        set { tree.setList("modifierExtension", newValue) }
    }
}

/// Why a text is not a resource of the expected type.
public enum FHIRParsingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is not JSON.
    case json(JSONError)
    /// It is JSON, but not an object with a `resourceType`.
    case notAResource
    /// It is a resource of another type: `found`, or none of R4.
    case wrongType(expected: String, found: String?)

    public var description: String {
        switch self {
        case .json(let error): error.description
        case .notAResource: "not a resource: there is no resourceType"
        case .wrongType(let expected, let found):
            "not a resource of type \(expected): resourceType names \(found ?? "no type of FHIR R4")"
        }
    }
}

extension JSONValue {
    /// Which type of resource it says it is.
    package var resourceType: String? { member("resourceType")?.string }
}
