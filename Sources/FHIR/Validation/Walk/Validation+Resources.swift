import OrderedJSON

extension Validation {
    /// Validates a resource inside another one.
    mutating func nestedResource(_ json: JSONValue, containedIndex: Int?) {
        guard json.kind == .object else {
            return report(.error, .structure, "a resource is an object in JSON", at: json)
        }
        guard let name = json.resourceType else {
            return report(.error, .structure, "a resource needs a resourceType", at: json)
        }
        resource(json, as: name, containedIndex: containedIndex)
    }

    /// Validates a resource.
    ///
    /// - Parameters:
    ///   - name: What its `resourceType` says.
    ///   - containedIndex: Of a contained resource its index.
    mutating func resource(_ json: JSONValue, as name: String, containedIndex: Int?) {
        let type: TypePlan
        let isDefined: Bool
        switch plan.resource(named: name) {
        case .defined(let found): (type, isDefined) = (found, true)
        case .undefined(let found): (type, isDefined) = (found, false)
        case .unknown:
            return report(
                .fatal, .structure, "R4 has no resource of the type that resourceType names",
                at: json.member("resourceType"))
        }
        let outer = scope
        let outerContext = (context.resource, context.rootResource)
        // A resource in a contained one is a mistake, but does not hide what contains both.
        let isContained = containedIndex != nil
        scope = ResourceScope(
            resource: json, root: isContained ? outer.root : json,
            local: isContained ? outer.local : LocalReferences(json),
            bundle: name == "Bundle" ? BundleScope(json) : outer.bundle, containedIndex: containedIndex)
        context.resource = json
        context.rootResource = scope.root
        if !isDefined, undefinedTypes.insert(name).inserted {
            report(
                .information, .notSupported,
                "of the type \(name) only what all resources have is checked: there is no table for it", at: json)
        }
        if isContained, json.member("id") == nil {
            report(.error, .required, "a contained resource needs an id", at: json)
        }
        object(json, as: type, isOpen: !isDefined)
        if !isContained {
            let contained = Array(json.member("contained")?.elements ?? [])
            for index in scope.local.unused where index < contained.count {
                report(
                    .error, .invariant, "the contained resource at index \(index) is not referred to", rule: "dom-3",
                    at: contained[index])
            }
        }
        scope = outer
        (context.resource, context.rootResource) = outerContext
    }

    // MARK: Bundles

    /// What holds for the entries of a Bundle besides its rules (FHIR R4, “Resource Bundle”).
    mutating func bundleEntry(_ json: JSONValue) {
        let resource = json.member("resource")
        let id = resource?.member("id")?.string
        if let fullURL = json.member("fullUrl"), let text = fullURL.string, !text.isEmpty {
            if fullURL.withUTF8(TextScan.hasScheme) != true {
                report(.error, .value, "fullUrl is an absolute URL", at: fullURL)
            } else if let id, !text.utf8.starts(with: "urn:".utf8),
                text.split(separator: "/").last.map({ $0.utf8.elementsEqual(id.utf8) }) != true
            {
                report(.warning, .invalid, "fullUrl does not end with the id of the resource", at: fullURL)
            }
        }
        let mode = json.member("search")?.member("mode")
        if mode?.isString("outcome") == true, let resource, resource.resourceType != "OperationOutcome" {
            report(.error, .invalid, "an entry of the mode outcome is an OperationOutcome", at: resource)
        }
        if scope.bundle?.type == "searchset", mode?.isString("outcome") != true, let resource, id == nil,
            resource.resourceType != "OperationOutcome"
        {
            report(.error, .required, "a resource that was found has an id", at: resource)
        }
    }

    // MARK: Resources without a table

    /// Checks what holds for all JSON of FHIR in a value whose type is not known.
    mutating func open(_ value: JSONValue, named name: String, index: Int? = nil) {
        guard spend(at: value) else { return }
        switch value.kind {
        case .string:
            // It may be a reference or a canonical URL.
            if let text = value.string, text.utf8.first == UInt8(ascii: "#") { useLocal(text) }
        case .null:
            path.push(.member(name, index: nil))
            if index == nil { report(.error, .structure, "null is no value; the member is to be left out", at: value) }
            path.pop()
        case .array:
            let elements = Array(value.elements ?? [])
            if elements.isEmpty {
                path.push(.member(name, index: nil))
                report(.error, .structure, "an empty array is no value; the member is to be left out", at: value)
                path.pop()
            }
            for (index, element) in elements.enumerated() { open(element, named: name, index: index) }
        case .object:
            path.push(.member(name, index: index))
            descend(at: value) { validation in
                var isEmpty = true
                for member in value.members ?? [] {
                    isEmpty = false
                    validation.openMember(member)
                }
                if isEmpty { validation.report(.error, .structure, Self.emptyObject, at: value) }
            }
            path.pop()
        case .boolean, .number: break
        }
    }

    static var emptyObject: String { "an empty object is no value; the member is to be left out" }

    private mutating func openMember(_ member: JSONMember) {
        if member.isNamed("extension") || member.isNamed("modifierExtension"),
            let type = plan.type(named: "BackboneElement"),
            let found = member.nameValue.withUTF8({ type.definition.member($0) }) ?? nil
        {
            values(member.value, of: type.elements[found.element], type: found.type, in: nil)
        } else {
            open(member.value, named: member.name)
        }
    }
}
