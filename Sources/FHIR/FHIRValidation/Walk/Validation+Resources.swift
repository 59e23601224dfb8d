import FHIR
import OrderedJSON

extension Validation {
    /// Validates a resource inside another one.
    mutating func nestedResource(_ json: ParsedNode, containedIndex: Int?) {
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
    ///   - asked: The profiles that it must conform to.
    mutating func resource(_ json: ParsedNode, as name: String, containedIndex: Int?, asked: [String] = []) {
        guard let type = plan.resource(named: name) else {
            return report(
                .fatal,
                .structure,
                "R4 has no resource of the type that resourceType names",
                at: json.member("resourceType")
            )
        }
        externalDependencyCount += 1
        if name == "Bundle" { found.removeAll() }
        let outer = scope
        let outerResource = context.resource
        let outerRoot = context.rootResource
        // A resource in a contained one is a mistake, but does not hide what contains both.
        let isContained = containedIndex != nil
        scope = ValidationScope(
            root: isContained ? outer.root : json,
            local: isContained ? outer.local : LocalReferences(json),
            bundle: name == "Bundle" ? BundleScope(json) : outer.bundle,
            containedIndex: containedIndex,
            name: name,
            depth: path.count,
            outerBundle: isContained ? outer.outerBundle : outer.bundle
        )
        context.resource = json.value
        context.rootResource = scope.root?.value
        if isContained, json.member("id") == nil {
            report(.error, .required, "a contained resource needs an id", at: json)
        }
        object(json, as: type)
        if name == "Bundle" { bundle(json) }
        conformance(json, name)
        profiles(of: json, asked: asked)
        if !isContained {
            let contained = json.member("contained")?.list ?? []
            for index in scope.local.unused where index < contained.count {
                report(
                    .error,
                    .invariant,
                    "the contained resource at index \(index) is not referred to",
                    rule: "dom-3",
                    at: contained[index]
                )
            }
        }
        if name == "Bundle" { found.removeAll() }
        scope = outer
        context.resource = outerResource
        context.rootResource = outerRoot
    }

    // MARK: Bundles

    /// What holds for the entries of a Bundle besides its rules (FHIR R4, “Resource Bundle”).
    mutating func bundleEntry(_ json: ParsedNode) {
        let resource = json.member("resource")
        let id = resource?.member("id")
        if let fullURL = json.member("fullUrl"), fullURL.kind == .string {
            let isAbsolute = fullURL.withUTF8 { $0.isEmpty || TextScan.hasScheme($0) } ?? true
            let isSame =
                fullURL.withUTF8 { url in
                    url.isEmpty || url.begins(with: "urn:")
                        || id?.withUTF8 {
                            url.split(separator: UInt8(ascii: "/")).last?.elementsEqual($0) ?? false
                        } ?? true
                } ?? true
            if !isAbsolute {
                report(.error, .value, "fullUrl must be an absolute URL, and is a relative one", at: fullURL)
            } else if !isSame, fullURL.withUTF8(BundleScope.root) == .some(nil) {
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
}
