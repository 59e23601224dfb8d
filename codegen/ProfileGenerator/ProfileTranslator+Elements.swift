import FHIRGenerator
import FHIRTables
import FHIRValidation
import OrderedJSON
import SwiftGenerator

extension ProfileTranslator {
    /// Members of every view of a kind, which need no accessor.
    private static let inherited: Set<String> = [
        "id", "meta", "implicitRules", "language", "text", "contained", "extension", "modifierExtension",
    ]

    /// What a view has of an element: accessors, and a parameter of the initialiser.
    mutating func add(_ element: DefinedElement, _ shape: ProfileShape?, to body: inout ViewBody) {
        if element.name.hasSuffix("xtension"), ["extension", "modifierExtension"].contains(element.name) {
            if let shape { addExtensions(element, shape, to: &body) }
            return
        }
        // `description` of every view is its JSON.
        let isHidden = element.name == "description"
        guard shape != nil || element.minimum > 0 || !body.isViewed || isHidden else { return }
        if element.isChoice { return addChoice(element, shape, to: &body) }
        guard let type = shape?.type(element) ?? element.types.first.map({ Definitions.r4.types[$0.id] })
        else { return }

        // What is determined is there from the start.
        let minimum = shape?.minimum(of: element) ?? element.minimum
        if minimum > 0 { fill(element, shape, &body) }
        let slices = sliced(element, shape, type, &body)
        let own = property(element, shape, type, &body)
        if type.kind == .primitive, let shape { addPrimitiveExtensions(element, shape, to: &body) }

        let rest = minimum - slices.reduce(0) { $0 + $1.minimum }
        if rest > 0 {
            let isDetermined =
                rest == 1
                && (shape.flatMap { ProfileContent.item($0, type, true) } != nil
                    || (!element.isList && body.view.start[element.name] != nil))
            if !isDetermined {
                body.addParameter(
                    element.name,
                    own.type,
                    isList: own.isList,
                    isRequired: true,
                    isAdded: slices.contains { $0.minimum > 0 }
                )
            }
        } else if minimum == 0, let shape, shape.isMustSupport, shape.slices.isEmpty {
            body.addParameter(element.name, own.type, isList: own.isList, isRequired: false)
        }
        for slice in slices {
            let isDetermined =
                slice.minimum == 1 && ProfileContent.item(slice.shape, type, true) != nil
            guard !isDetermined, slice.minimum > 0 || slice.shape.isMustSupport else { continue }
            body.addParameter(slice.name, slice.type, isList: slice.isList, isRequired: slice.minimum > 0)
        }
    }

    private func fill(_ element: DefinedElement, _ shape: ProfileShape?, _ body: inout ViewBody) {
        for member in ProfileContent.members(of: element, shape, skipsBackbone: true).members {
            body.view.start[member.name] = member.value
        }
    }

    // MARK: Elements

    /// The accessor of an element, where R4's own view has another or none.
    ///
    /// - Returns: The type of one value, and whether the accessor has an array.
    private mutating func property(
        _ element: DefinedElement,
        _ shape: ProfileShape?,
        _ type: DefinedType,
        _ body: inout ViewBody
    ) -> (type: String, isList: Bool) {
        guard let elementType = element.types.first else { return ("FHIR.AnyValue", element.isList) }
        let plain = types.swiftType(elementType, element, shape)
        let isNested = type.kind == .nested && types.view(of: type) == nil && isOwn(type, body)
        let isOne = element.isList && (shape?.maximum ?? Int.max) == 1
        let isList = element.isList && !isOne
        var swiftType = plain
        if let profile = shape?.types.first?.profiles.first, shape?.types.count == 1,
            let view = types.views[String(profile.prefix { $0 != "|" })], elementType.code != "Reference",
            type.kind != .resource
        {
            swiftType = view
        } else if isNested || shape.map({ needsView($0, type) }) == true {
            let name = typeName(of: Names.nested(element.name), in: &body)
            let view = nested(
                shape,
                type,
                name: name,
                path: body.path,
                documentation: text(element, shape)
            )
            body.view.nested.append(view)
            swiftType = body.path + "." + name
        }
        let isNarrowed =
            swiftType != plain || isOne || element.name == "description"
            || shape.map { types.narrowsTarget(elementType, $0) } == true
        if isNarrowed || (!body.isViewed && !Self.inherited.contains(element.name)) {
            body.append(
                element.name,
                swiftType,
                isList ? .list : .one,
                .element(element.name, isList: element.isList),
                documentation(element, shape)
            )
        }
        return (swiftType, isList)
    }

    /// Whether a nested type is defined by the element itself, and not by another that it repeats.
    private func isOwn(_ type: DefinedType, _ body: ViewBody) -> Bool {
        type.name.hasPrefix(body.type.name + ".")
    }

    /// Whether a profile says more of a value than R4's own view shows.
    func needsView(_ shape: ProfileShape, _ type: DefinedType) -> Bool {
        guard type.kind == .nested || type.kind == .datatype, type.name != "Reference",
            type.name != "Extension"
        else { return false }
        return shape.children.contains { child in
            guard !child.isProhibited, let element = type.element(named: child.name) else { return false }
            if child.minimum ?? 0 > element.minimum || child.fixed != nil || child.pattern != nil {
                return true
            }
            if child.slices.contains(where: { !$0.isProhibited }) { return true }
            if element.isList, child.maximum == 1 { return true }
            if element.isChoice { return child.onlyType(of: element) != nil }
            return child.type(element).map { needsView(child, $0) } ?? false
        }
    }

    // MARK: Slices

    /// The property of a slice.
    private struct Sliced {
        let name: String
        let type: String
        let isList: Bool
        let shape: ProfileShape
        var minimum: Int { shape.minimum ?? 0 }
    }

    private mutating func sliced(
        _ element: DefinedElement,
        _ shape: ProfileShape?,
        _ type: DefinedType,
        _ body: inout ViewBody
    ) -> [Sliced] {
        var found: [Sliced] = []
        for slice in shape?.slices ?? [] where !slice.isProhibited && slice.sliceName != "@default" {
            guard element.isList, let elementType = element.types.first else { continue }
            guard let pattern = SlicePattern(definitions: types.definitions).pattern(of: slice, type) else {
                remarks.append(
                    "\(slice.id): its values are not told apart by fixed values or patterns: "
                        + "it has no property"
                )
                continue
            }
            let name = body.names.property(ofSlice: slice.sliceName ?? "", of: element.name)
            var swiftType = types.swiftType(elementType, element, slice)
            if needsView(slice, type) {
                let typeName = typeName(of: name, in: &body)
                let text = texts[slice.id] ?? "The slice `\(slice.sliceName ?? name)` of `\(element.path)`."
                let view = nested(slice, type, name: typeName, path: body.path, documentation: text)
                body.view.nested.append(view)
                swiftType = body.path + "." + typeName
            }
            let isList = (slice.maximum ?? shape?.maximum ?? Int.max) > 1
            let text = texts[slice.id] ?? "The slice `\(slice.sliceName ?? name)`."
            body.append(
                name,
                swiftType,
                isList ? .list : .one,
                .slice(element.name, pattern),
                "\(text) `\(slice.id)`, \(Self.cardinality(slice))."
            )
            found.append(Sliced(name: name, type: swiftType, isList: isList, shape: slice))
        }
        return found
    }

    // MARK: Choices

    private mutating func addChoice(
        _ element: DefinedElement,
        _ shape: ProfileShape?,
        to body: inout ViewBody
    ) {
        let minimum = shape?.minimum(of: element) ?? element.minimum
        if let shape, let one = shape.onlyType(of: element) {
            let isDetermined = minimum > 0 && isFilled(element, shape, &body)
            let type = choiceType(element, one.type, one.shape, named: element.name, &body)
            body.append(
                element.name,
                type,
                .one,
                .element(element.name + one.type.suffix, isList: false),
                documentation(element, shape)
            )
            // A value that the profile describes is what it is about.
            let isDescribed = types.isOwnView(type, of: body.path)
            if !isDetermined, minimum > 0 || shape.isMustSupport || one.shape.isMustSupport || isDescribed {
                body.addParameter(element.name, type, isList: false, isRequired: minimum > 0)
            }
            return
        }
        let isDetermined = shape.map { isFilled(element, $0, &body) } ?? false
        var hasTypeProperty = isDetermined
        for type in shape?.allowedTypes(of: element) ?? [] {
            guard let slice = shape?.typeSlice(type) else { continue }
            let isRequired = slice.minimum ?? 0 > 0
            let defined = Definitions.r4.types[type.id]
            guard isRequired || slice.isMustSupport || needsView(slice, defined) else { continue }
            let name = body.names.property(ofChoice: element.name, type.suffix)
            let swiftType = choiceType(element, type, slice, named: name, &body)
            body.append(
                name,
                swiftType,
                .one,
                .element(element.name + type.suffix, isList: false),
                "\(text(element, shape)) `\(slice.id)`, \(Self.cardinality(slice, element))."
            )
            if isDetermined { continue }
            if isRequired || minimum == 0 {
                body.addParameter(name, swiftType, isList: false, isRequired: isRequired)
                hasTypeProperty = true
            }
        }
        let enumeration = choiceEnumeration(element, shape, &body)
        if !hasTypeProperty, minimum > 0 || shape?.isMustSupport == true {
            body.addParameter(element.name, enumeration, isList: false, isRequired: minimum > 0)
        }
    }

    private func isFilled(
        _ element: DefinedElement,
        _ shape: ProfileShape,
        _ body: inout ViewBody
    ) -> Bool {
        guard shape.minimum(of: element) > 0 else { return false }
        let content = ProfileContent.members(of: element, shape, skipsBackbone: true)
        guard content.isComplete else { return false }
        for member in content.members { body.view.start[member.name] = member.value }
        return !content.members.isEmpty
    }

    /// The type of a choice's value that is of one type of R4.
    private mutating func choiceType(
        _ element: DefinedElement,
        _ type: ElementType,
        _ shape: ProfileShape,
        named property: String,
        _ body: inout ViewBody
    ) -> String {
        let defined = Definitions.r4.types[type.id]
        if let profile = shape.types.first?.profiles.first, shape.types.count == 1,
            let view = types.views[String(profile.prefix { $0 != "|" })], type.code != "Reference"
        {
            return view
        }
        guard needsView(shape, defined) else { return types.swiftType(type, element, shape) }
        let name = typeName(of: Names.nested(property), in: &body)
        let view = nested(shape, defined, name: name, path: body.path, documentation: text(element, shape))
        body.view.nested.append(view)
        return body.path + "." + name
    }

    /// The enumeration of a choice's types: R4's own, or one in the view where R4 has no view.
    private mutating func choiceEnumeration(
        _ element: DefinedElement,
        _ shape: ProfileShape?,
        _ body: inout ViewBody
    ) -> String {
        let open = Definitions.r4.type(named: "Extension")?.element(named: "value")
        let isOpen = open?.types.map(\.code) == element.types.map(\.code)
        if body.isViewed {
            return isOpen ? "FHIR.AnyValue" : (body.view.base ?? "") + "." + Names.nested(element.name)
        }
        var name = "FHIR.AnyValue"
        if !isOpen {
            let own = typeName(of: Names.nested(element.name), in: &body)
            body.view.choices.append(
                ChoiceView(
                    name: own,
                    element: element.name,
                    documentation: "What `\(element.path)` may be.",
                    cases: element.types.map { type in
                        ChoiceView.Case(
                            name: Names.uncapitalized(type.suffix),
                            type: types.swiftType(type, element),
                            suffix: type.suffix
                        )
                    }
                )
            )
            name = body.path + "." + own
        }
        body.append(
            element.name,
            name,
            .choice,
            .element(element.name, isList: false),
            documentation(element, shape)
        )
        return name
    }

    // MARK: Documentation

    private func text(_ element: DefinedElement, _ shape: ProfileShape?) -> String {
        if let text = shape.flatMap({ texts[$0.id] }) { return text }
        return Names.capitalized(Names.prose(element.name)) + "."
    }

    private func documentation(_ element: DefinedElement, _ shape: ProfileShape?) -> String {
        let cardinality =
            shape.map { Self.cardinality($0, element) }
            ?? "\(element.minimum)..\(element.maximum.map(String.init) ?? "*")"
        return "\(text(element, shape)) `\(element.path)`, \(cardinality)."
    }
}
