import OrderedJSON

/// A view on an element that has elements: a datatype, a backbone element or a resource.
///
/// A view is its JSON. Accessors read and write it; members without an accessor, unknown ones included, stay
/// in it:
///
/// ```swift
/// var patient = try Patient(parsing: data)
/// patient.active = true                               // changes one member
/// patient.tree["x-unknown"]                           // is still there
/// ```
///
/// An accessor gives `nil`, or an empty array, where the JSON is not of the accessor's type; validation
/// reports it. Setting `nil` or an empty array removes the member.
public protocol FHIRElement: FHIRValue, CustomStringConvertible {
    /// The name of the type in FHIR; of nested ones the path, as in `Observation.component`.
    static var typeName: String { get }
    var tree: JSONValue { get set }
    /// A view on any JSON; accessors give `nil` for what is not of this type.
    init(view tree: JSONValue)
}

extension FHIRElement {
    @inlinable public init?(tree: JSONValue) {
        guard tree.kind == .object else { return nil }
        self.init(view: tree)
    }

    // Not specialized, here and for codes and choices: a copy for each type is a tenth of an app that only
    // reads and makes resources.

    /// Whether the content is the same. Decimals are the same when their digits are; the order of members
    /// does not count.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public static func == (a: Self, b: Self) -> Bool { a.tree == b.tree }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public func hash(into hasher: inout Hasher) { hasher.combine(tree) }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public var hashValue: Int { tree.hashValue }

    /// The JSON without white space.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    public var description: String { tree.text() }

    /// Identifies the element inside its resource. `Element.id`, 0..1.
    public var id: String? {
        get { tree.getOne("id") }
        set { tree.setOne("id", newValue) }
    }

    /// Additional content. `Element.extension`, 0..*.
    public var `extension`: [Extension] {
        get { tree.getList("extension") }
        set { tree.setList("extension", newValue) }
    }

    /// The extensions with a URL.
    public func extensions(url: FHIRURI) -> [Extension] { `extension`.filter { $0.url == url } }
}

/// A view on an element that is defined inside a resource or datatype, and may have modifier extensions.
public protocol FHIRBackboneElement: FHIRElement {}

extension FHIRBackboneElement {
    /// Extensions that cannot be ignored. `BackboneElement.modifierExtension`, 0..*.
    public var modifierExtension: [Extension] {
        get { tree.getList("modifierExtension") }
        set { tree.setList("modifierExtension", newValue) }
    }
}
