import FHIRGenerator
import FHIRTables
import FHIRValidation
import OrderedJSON
import SwiftGenerator

/// Makes the view of a profile: `ProfileShape` → `ProfileView`.
struct ProfileTranslator {
    let types: ProfileTypes
    /// What people read about an element, by its id.
    let texts: [String: String]
    /// Knows how extensions are represented, and makes their views.
    var forms: ProfileGenerator
    /// What was left out, and why.
    var remarks: [String] = []

    init(types: ProfileTypes, texts: [String: String], forms: ProfileGenerator) {
        self.types = types
        self.texts = texts
        self.forms = forms
    }

    /// The view of a whole profile.
    mutating func view(
        of shape: ProfileShape,
        _ type: DefinedType,
        name: String,
        url: String,
        documentation: [String]
    ) -> ProfileView {
        var view = ProfileView(
            name: name,
            documentation: documentation,
            conformances: [types.conformance(of: type), "FHIRProfile"],
            base: types.view(of: type) ?? "FHIR.AnyResource",
            typeName: type.name,
            url: url
        )
        if type.kind == .resource { view.start = ["resourceType": JSONValue(type.name)] }
        if type.name == "Extension" { view.start = ["url": JSONValue(url)] }
        fill(&view, shape, type, path: name)
        return view
    }

    /// The view of an element in it.
    mutating func nested(
        _ shape: ProfileShape?,
        _ type: DefinedType,
        name: String,
        path: String,
        documentation: String
    ) -> ProfileView {
        let base = types.view(of: type)
        var view = ProfileView(
            name: name,
            documentation: [documentation],
            conformances: [types.conformance(of: type)] + (base == nil ? [] : ["FHIRProfileElement"]),
            base: base,
            typeName: type.name,
            url: nil
        )
        fill(&view, shape, type, path: path + "." + name)
        return view
    }

    /// What the type in a view is called that a property has.
    mutating func typeName(of property: String, in body: inout ViewBody) -> String {
        let name = body.names.type(of: property, beside: forms.names.all)
        forms.names.take(nested: name)
        return name
    }

    private mutating func fill(
        _ view: inout ProfileView,
        _ shape: ProfileShape?,
        _ type: DefinedType,
        path: String
    ) {
        var body = ViewBody(view: view, path: path, type: type, names: MemberNames(type))
        var prohibited: [String] = []
        for element in type.elements {
            let child = shape?.child(element.name)
            if child?.isProhibited == true || (element.maximum == 0 && child == nil) {
                if child != nil { prohibited.append("`\(element.name)`") }
                continue
            }
            add(element, child, to: &body)
        }
        view = body.view
        view.parameters = view.parameters.filter(\.isRequired) + view.parameters.filter { !$0.isRequired }
        if !prohibited.isEmpty { view.documentation.append("Without \(prohibited.joined(separator: ", ")).") }
    }
}

/// A view while it is being made.
struct ViewBody {
    var view: ProfileView
    /// The Swift path of the view.
    let path: String
    let type: DefinedType
    var names: MemberNames

    var isViewed: Bool { view.base != nil && view.base != "FHIR.AnyResource" }

    mutating func append(
        _ name: String,
        _ type: String,
        _ shape: ProfileView.Property.Shape,
        _ member: ProfileView.Member,
        _ documentation: String
    ) {
        view.properties.append(
            ProfileView.Property(
                name: name,
                type: type,
                shape: shape,
                member: member,
                documentation: documentation
            )
        )
    }

    mutating func addParameter(
        _ name: String,
        _ type: String,
        isList: Bool,
        isRequired: Bool,
        isAdded: Bool = false
    ) {
        view.parameters.append(
            ProfileView.Parameter(
                name: name,
                type: type,
                isList: isList,
                isRequired: isRequired,
                isAdded: isAdded
            )
        )
    }
}
