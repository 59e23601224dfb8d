import FHIR
import FHIRPathEngine
import FHIRTables
import OrderedJSON

/// Extraction by templates: contained resources whose extensions say where values come from.
extension Extractor {
    private typealias Expanded = (value: JSONValue?, sibling: JSONValue?)

    mutating func extract(_ template: ExtractionPlan.Template, _ scope: Scope) throws(ExtractionStop) {
        guard let resource = contained[template.reference],
            let name = resource.resourceType,
            let type = Definitions.r4.type(named: name)
        else {
            return report(
                .error,
                "templateNotFound",
                "There is no contained resource #\(template.reference) of a known type.",
                scope.item
            )
        }
        for (focus, scope) in try iterations(ExtensionList(resource), on: [scope.focus], scope) {
            isComplete = true
            guard var filled = try filled(resource, type, on: focus, scope) else { continue }
            // The template's own id is not that of the resource.
            if !hasExtraction(resource.member("_id")) { filled["id"] = nil }
            if template.isBundle {
                addEntries(of: filled, scope)
            } else {
                begun += 1
                try add(filled, request: template.request, order: begun, scope)
            }
        }
    }

    /// The items on which a part of a template is filled, once for each: the values of its context, if it has
    /// one.
    private mutating func iterations(
        _ extensions: ExtensionList,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> [([FHIRPathItem], Scope)] {
        guard let tree = extensions.value(ExtensionURL.templateExtractContext) else {
            return [(focus, scope)]
        }
        guard let text = ExtractionPlan.expression(tree) else {
            report(
                .error,
                "malformedExtraction",
                "A context of the template is not FHIRPath.",
                scope.item
            )
            isComplete = false
            return []
        }
        guard let found = try evaluate(text, on: focus, scope), !found.isEmpty else {
            isComplete = false
            return []
        }
        return found.map { item in
            var inner = scope
            if let name = tree.member("name")?.string { inner.variables[name] = [item] }
            return ([item], inner)
        }
    }

    private mutating func addEntries(of bundle: JSONValue, _ scope: Scope) {
        for entry in bundle.elements(of: "entry") {
            guard let resource = entry.member("resource"), let type = resource.resourceType
            else {
                report(
                    .error,
                    "emptyResource",
                    "An entry of the template has no resource; it is not extracted.",
                    scope.item
                )
                continue
            }
            let id = resource.member("id")?.string
            let request =
                entry.member("request") ?? [
                    "method": id == nil ? "POST" : "PUT",
                    "url": JSONValue(id.map { "\(type)/\($0)" } ?? type),
                ]
            let method = request.member("method")?.string
            let url = request.member("url")?.string
            let isUpdate = method == "PUT" && id != nil && url == "\(type)/\(id ?? "")"
            guard isUpdate || (method == "POST" && url == type) else {
                report(
                    .error,
                    "unsupportedRequest",
                    """
                    An entry of the template is neither a new \(type) nor an update by its id; \
                    it is not extracted.
                    """,
                    scope.item
                )
                continue
            }
            guard
                resource.members?.contains(where: { !["resourceType", "id", "meta"].contains($0.name) })
                    == true
            else {
                report(
                    .error,
                    "emptyResource",
                    "The \(type) has no content; it is not extracted.",
                    scope.item
                )
                continue
            }
            var updated = resource
            if !isUpdate { updated["id"] = nil }
            if isUpdate, let base = given(type, id ?? "") {
                updated = Self.merge(base, with: resource)
            } else if isUpdate, !isComplete {
                report(
                    .error,
                    "incompleteUpdate",
                    """
                    The update of a \(type) lacks something that the template sets, and would erase it; \
                    it is not extracted.
                    """,
                    scope.item
                )
                continue
            }
            begun += 1
            add(
                ExtractionEntry(
                    fullURL: entry.member("fullUrl")?.string ?? "urn:uuid:" + newIdentifier(),
                    resource: updated,
                    request: request,
                    item: scope.item,
                    order: begun
                )
            )
        }
    }

    // MARK: Elements

    private func hasExtraction(_ element: JSONValue?) -> Bool {
        guard let element, element.member("extension") != nil else { return false }
        let extensions = ExtensionList(element)
        return extensions.first([ExtensionURL.templateExtractValue, ExtensionURL.templateExtractContext])
            != nil
    }

    /// An object of a template with its values; nil where nothing is left in it.
    private mutating func filled(
        _ object: JSONValue,
        _ type: DefinedType,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> JSONValue? {
        var result: [JSONMember] = []
        var hasContent = false
        for member in object.members ?? [] {
            let written = member.name
            let name = written.hasPrefix("_") ? String(written.dropFirst()) : written
            // A value and its sibling come together, at the first of both.
            if written.hasPrefix("_"), object[name] != nil { continue }
            let value = written.hasPrefix("_") ? nil : member.value
            if name == "resourceType" {
                try budget.spend(member.value)
                result.append(member)
                continue
            }
            guard let found = type.member(named: name) else {
                report(
                    .error,
                    "unknownElement",
                    """
                    The template has an element “\(name.prefix(60))” that \(type.name) does not have; \
                    it is left out.
                    """,
                    scope.item
                )
                isComplete = false
                continue
            }
            let element = type.elements[found.element]
            let elementType = Definitions.r4.types[element.types[found.type].id]
            let parts = try expanded(value, object["_" + name], element, elementType, on: focus, scope)
            guard !parts.isEmpty else { continue }
            guard element.isList || parts.count == 1 else {
                report(
                    .error,
                    "severalValues",
                    """
                    The template gives \(parts.count) values for \(element.path), which has one; \
                    they are left out.
                    """,
                    scope.item
                )
                isComplete = false
                continue
            }
            for (name, values) in [(name, parts.map(\.value)), ("_" + name, parts.map(\.sibling))]
            where values.contains(where: { $0 != nil }) {
                let list = values.map { $0 ?? .null }
                result.append(JSONMember(name: name, value: element.isList ? JSONValue(list) : list[0]))
            }
            hasContent = hasContent || name != "id"
        }
        return hasContent || object.member("resourceType") != nil ? JSONValue(members: result) : nil
    }

    /// What an element of a template becomes: nothing, one value, or several.
    private mutating func expanded(
        _ value: JSONValue?,
        _ sibling: JSONValue?,
        _ element: DefinedElement,
        _ type: DefinedType,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> [Expanded] {
        let values = value?.elements.map(Array.init)
        let siblings = sibling?.elements.map(Array.init)
        guard values != nil || siblings != nil else {
            return try expandedOne(value, sibling, element, type, on: focus, scope)
        }
        var result: [(JSONValue?, JSONValue?)] = []
        for index in 0..<max(values?.count ?? 0, siblings?.count ?? 0) {
            let value = values.flatMap { index < $0.count && !$0[index].isNull ? $0[index] : nil }
            let sibling = siblings.flatMap { index < $0.count && !$0[index].isNull ? $0[index] : nil }
            result += try expandedOne(value, sibling, element, type, on: focus, scope)
        }
        return result
    }

    private mutating func expandedOne(
        _ value: JSONValue?,
        _ sibling: JSONValue?,
        _ element: DefinedElement,
        _ type: DefinedType,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> [Expanded] {
        if element.name == "extension", let url = value?.member("url")?.string,
            [ExtensionURL.templateExtractValue, ExtensionURL.templateExtractContext].contains(url)
        {
            return []
        }
        let holder = type.kind == .primitive ? sibling : value
        guard let holder, hasExtraction(holder) else {
            return try kept(value, sibling, type, on: focus, scope)
        }
        let extensions = ExtensionList(holder)
        var result: [(JSONValue?, JSONValue?)] = []
        for (focus, scope) in try iterations(extensions, on: focus, scope) {
            guard let tree = extensions.value(ExtensionURL.templateExtractValue) else {
                result += try kept(value, sibling, type, on: focus, scope)
                continue
            }
            guard let text = ExtractionPlan.expression(tree), let found = try evaluate(text, on: focus, scope)
            else {
                if ExtractionPlan.expression(tree) == nil {
                    report(
                        .error,
                        "malformedExtraction",
                        "A value of the template is not FHIRPath.",
                        scope.item
                    )
                }
                isComplete = false
                continue
            }
            if found.isEmpty { isComplete = false }
            for item in found {
                guard let json = ElementValue(item).converted(to: type, binding: element.binding) else {
                    report(
                        .error,
                        "wrongType",
                        """
                        A value of the type \(item.typeName) is not a \(type.name), which \(element.path) \
                        has; it is left out.
                        """,
                        scope.item
                    )
                    isComplete = false
                    continue
                }
                try budget.spend(json)
                result.append((json, nil))
            }
        }
        return result
    }

    /// An element that gets no value of its own, filled with what is under it.
    private mutating func kept(
        _ value: JSONValue?,
        _ sibling: JSONValue?,
        _ type: DefinedType,
        on focus: [FHIRPathItem],
        _ scope: Scope
    ) throws(ExtractionStop) -> [Expanded] {
        guard type.kind == .primitive else {
            guard let value, value.kind == .object else { return [] }
            try budget.spend(bytes: 2)
            // A resource inside another names its own type.
            let own = value.resourceType.flatMap { Definitions.r4.type(named: $0) } ?? type
            return try filled(value, own, on: focus, scope).map { [($0, nil)] } ?? []
        }
        var sibling = sibling
        if let holder = sibling, hasExtraction(holder) {
            let extensions = holder.elements(of: "extension").filter {
                $0.member("url")?.isString(equalTo: ExtensionURL.templateExtractContext) != true
            }
            sibling?["extension"] = extensions.isEmpty ? nil : JSONValue(extensions)
            if sibling?.members?.isEmpty == true { sibling = nil }
        }
        if let value { try budget.spend(value) }
        if let sibling { try budget.spend(sibling) }
        return value == nil && sibling == nil ? [] : [(value, sibling)]
    }
}
