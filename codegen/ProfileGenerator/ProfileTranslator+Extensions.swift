import FHIRTables
import FHIRValidation
import SwiftGenerator

/// What the property of an extension has.
enum ExtensionForm {
    /// A view on the extension, which has parts: the name of the type.
    case view(String)
    case value(suffix: String, type: String)
    /// A value of one of several types.
    case choice
}

extension ProfileTranslator {
    /// Whether an extension has parts, and no value.
    static func hasParts(_ shape: ProfileShape) -> Bool {
        shape.child("extension")?.slices.contains { !$0.isProhibited } == true
    }

    /// What is read of an extension that has no parts.
    static func valueForm(of shape: ProfileShape, _ types: ProfileTypes) -> ExtensionForm {
        guard let element = Definitions.r4.type(named: "Extension")?.element(named: "value"),
            let value = shape.child("value"), let one = value.onlyType(of: element)
        else { return .choice }
        return .value(suffix: one.type.suffix, type: types.swiftType(one.type, element, one.shape))
    }

    /// The properties of extensions that a profile names.
    mutating func addExtensions(
        _ element: DefinedElement,
        _ shape: ProfileShape,
        to body: inout ViewBody
    ) {
        for slice in shape.slices where !slice.isProhibited {
            guard let url = Self.url(of: slice) else {
                remarks.append("\(slice.id): the extension has no URL: it has no property")
                continue
            }
            let name = body.names.property(ofSlice: slice.sliceName ?? "", of: element.name)
            let isModifier = element.name == "modifierExtension"
            let form = form(of: slice, url, name, &body)
            add(form, name, slice, to: &body) { suffix in
                .extensions(url: url, suffix: suffix, isModifier: isModifier)
            }
        }
    }

    /// The properties of extensions of a primitive element, which are the parent's: `birthDateBirthTime`.
    mutating func addPrimitiveExtensions(
        _ element: DefinedElement,
        _ shape: ProfileShape,
        to body: inout ViewBody
    ) {
        for slice in shape.child("extension")?.slices ?? [] where !slice.isProhibited {
            guard !element.isList, let url = Self.url(of: slice) else {
                remarks.append("\(slice.id): an extension of one of several texts: it has no property")
                continue
            }
            let name = body.names.property(
                ofSlice: element.name + SwiftSpelling.upperCamel(slice.sliceName ?? "", fallback: ""),
                of: element.name
            )
            let form = form(of: slice, url, name, &body)
            add(form, name, slice, to: &body) { .primitiveExtensions(of: element.name, url: url, suffix: $0) }
        }
    }

    private mutating func add(
        _ form: ExtensionForm,
        _ name: String,
        _ slice: ProfileShape,
        to body: inout ViewBody,
        _ member: (String?) -> ProfileView.Member
    ) {
        let isList = slice.maximum ?? Int.max > 1
        let text = texts[slice.id] ?? "The extension `\(slice.sliceName ?? name)`."
        let documentation = "\(text) `\(slice.id)`, \(Self.cardinality(slice))."
        let type: String
        switch form {
        case .view(let view):
            type = view
            body.append(name, type, isList ? .list : .one, member(nil), documentation)
        case .value(let suffix, let value):
            type = value
            body.append(name, type, isList ? .list : .one, member(suffix), documentation)
        case .choice:
            type = "FHIR.AnyValue"
            body.append(name, type, isList ? .choices : .choice, member(nil), documentation)
        }
        let isRequired = slice.minimum ?? 0 > 0
        if isRequired || slice.isMustSupport {
            body.addParameter(name, type, isList: isList, isRequired: isRequired)
        }
    }

    private mutating func form(
        of slice: ProfileShape,
        _ url: String,
        _ name: String,
        _ body: inout ViewBody
    ) -> ExtensionForm {
        let hasDefinition = slice.types.first?.profiles.isEmpty == false
        if hasDefinition {
            if let form = forms.form(url) { return form }
            remarks.append("\(slice.id): the extension \(url) is not known: its property has the extension")
            return .view("FHIR.Extension")
        }
        guard Self.hasParts(slice), let type = Definitions.r4.type(named: "Extension") else {
            return Self.valueForm(of: slice, types)
        }
        let typeName = self.typeName(of: name, in: &body)
        let nested = nested(
            slice,
            type,
            name: typeName,
            path: body.path,
            documentation: texts[slice.id] ?? "The extension `\(slice.sliceName ?? name)`."
        )
        body.view.nested.append(nested)
        return .view(body.path + "." + typeName)
    }

    private static func url(of slice: ProfileShape) -> String? {
        if let url = slice.child("url")?.fixed?.string { return url }
        guard let profiles = slice.types.first?.profiles, profiles.count == 1 else { return nil }
        return String(profiles[0].prefix { $0 != "|" })
    }

    static func cardinality(_ shape: ProfileShape, _ element: DefinedElement? = nil) -> String {
        let maximum = shape.maximum ?? element.map { $0.maximum ?? Int.max } ?? Int.max
        return "\(shape.minimum ?? element?.minimum ?? 0)..\(maximum == Int.max ? "*" : "\(maximum)")"
    }
}
