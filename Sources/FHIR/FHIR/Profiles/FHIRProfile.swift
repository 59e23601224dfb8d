/// A view on a resource, datatype or element as a profile constrains it: slices and extensions are
/// properties. `profile2swift` and the plugin `FHIRViewsPlugin` generate such views.
///
/// <!-- Examples/Study/Sources/ProfileViews/main.swift -->
///
/// ```swift
/// let pressure = BloodPressure(
///     status: .final,
///     subject: Reference("Patient/7"),
///     effective: .dateTime("2026-11-27T09:30:00Z"),
///     systolicBP: .init(value: .init(value: 128, unit: "mmHg")),
///     diastolicBP: .init(value: .init(value: 82, unit: "mmHg"))
/// )
/// ```
///
/// What the profile does not mention is reached through the view: properties of ``Base`` are its own. A view
/// checks nothing: `FHIRValidation` does.
@dynamicMemberLookup
public protocol FHIRProfileElement: FHIRElement {
    /// R4's own view on what the profile constrains.
    associatedtype Base: FHIRElement
}

extension FHIRProfileElement {
    /// The same content, seen as the profile has it.
    public init(_ base: Base) { self.init(view: base.tree) }

    /// The same content, seen as R4 has it.
    public var base: Base {
        get { Base(view: tree) }
        set { tree = newValue.tree }
    }

    /// A property of R4's own view.
    public subscript<Value>(dynamicMember path: WritableKeyPath<Base, Value>) -> Value {
        get { Base(view: tree)[keyPath: path] }
        set {
            var base = Base(view: tree)
            // Nobody else holds the tree while it changes, so that it is not copied.
            tree = .null
            base[keyPath: path] = newValue
            tree = base.tree
        }
    }
}

/// A view on a resource or datatype as a profile constrains it.
public protocol FHIRProfile: FHIRProfileElement {
    /// The canonical URL of the profile, for `meta.profile` and for validation.
    static var profile: FHIRURI { get }
}
