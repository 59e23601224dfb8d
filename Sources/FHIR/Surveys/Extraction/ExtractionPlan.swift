import FHIR
import OrderedJSON

/// What a questionnaire says about extraction at one item, or as a whole.
struct ExtractionPlan {
    /// Expressions for the parts of a Bundle's entry, by their names: `fullUrl`, `resourceId`, `ifNoneMatch`…
    /// Only `type`, of a patch, is the name of a type itself.
    typealias Request = [String: String]

    /// A resource that is made from a contained one.
    struct Template {
        let reference: String
        let request: Request
        let isBundle: Bool
    }

    /// A resource that is made by definitions of elements.
    struct Definition {
        enum Source {
            /// A new one of a profile or type.
            case new(canonical: String)
            /// The resources of a query; those that were given count.
            case query(String)
            /// The resource that an expression gives.
            case expression(String)
        }

        let source: Source
        let request: Request
    }

    /// A value for an element, beside the answers.
    struct Value {
        enum Source {
            case fixed(JSONValue, suffix: String)
            case expression(String)
        }

        let definition: String
        let source: Source
    }

    /// How an item becomes an Observation.
    enum Observing {
        case off, independent, component, member, derived
    }

    var identifiers: [String] = []
    var templates: [Template] = []
    var definitions: [Definition] = []
    var values: [Value] = []
    var observing: Observing?
    var categories: [JSONValue] = []
    var observationRequest: Request = [:]
    /// What is wrong with the extensions.
    var mistakes: [String] = []

    /// Whether a resource is made for each occurrence, of a question for each answer.
    var makesResources: Bool { !templates.isEmpty || !definitions.isEmpty }

    /// Whether the questionnaire or item says anything about extraction.
    var isEmpty: Bool {
        identifiers.isEmpty && !makesResources && values.isEmpty && (observing ?? .off) == .off
            && mistakes.isEmpty
    }

    init() {}

    init(_ element: JSONValue) {
        let extensions = ExtensionList(element)
        guard !extensions.isEmpty else { return }
        identifiers = extensions.values(ExtensionURL.extractAllocateId).compactMap(\.string)
        observing = extensions.value(ExtensionURL.observationExtract).flatMap(Self.observing)
        categories = extensions.values(ExtensionURL.observationExtractCategory)
        for tree in extensions.all(ExtensionURL.observationExtractEntry) {
            observationRequest = Self.request(tree)
        }
        readTemplates(extensions)
        readDefinitions(extensions)
        for tree in extensions.all(ExtensionURL.definitionExtractValue) { readValue(tree) }
    }

    private mutating func readTemplates(_ extensions: ExtensionList) {
        for (url, isBundle) in [
            (ExtensionURL.templateExtract, false), (ExtensionURL.templateExtractBundle, true),
        ] {
            for tree in extensions.all(url) {
                let reference = ExtensionList(tree).value("template") ?? tree.extensionValue
                if let text = reference?.member("reference")?.string, text.hasPrefix("#") {
                    templates.append(
                        Template(
                            reference: String(text.dropFirst()),
                            request: Self.request(tree),
                            isBundle: isBundle
                        )
                    )
                } else {
                    mistakes.append("A template extension does not refer to a contained resource.")
                }
            }
        }
    }

    private mutating func readDefinitions(_ extensions: ExtensionList) {
        for tree in extensions.all(ExtensionURL.definitionExtract) {
            if let canonical = ExtensionList(tree).value("definition")?.string ?? tree.extensionValue?.string
            {
                definitions.append(
                    Definition(source: .new(canonical: canonical), request: Self.request(tree))
                )
            } else {
                mistakes.append("A definitionExtract extension has no definition.")
            }
        }
        guard let value = extensions.value(ExtensionURL.itemExtractionContext) else { return }
        if let code = value.string {
            definitions.append(Definition(source: .new(canonical: code), request: [:]))
        } else if let text = value.member("expression")?.string {
            if value.member("language")?.isString("text/fhirpath") == true {
                definitions.append(Definition(source: .expression(text), request: [:]))
            } else if text.utf8.allSatisfy({
                ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
            }) {
                // A query for all of a type is how tools name the type of a new resource.
                definitions.append(Definition(source: .new(canonical: text), request: [:]))
            } else {
                definitions.append(Definition(source: .query(text), request: [:]))
            }
        } else {
            mistakes.append("An itemExtractionContext extension has neither a code nor an expression.")
        }
    }

    private mutating func readValue(_ tree: JSONValue) {
        let parts = ExtensionList(tree)
        guard let definition = parts.value("definition")?.string else {
            mistakes.append("A definitionExtractValue extension has no definition.")
            return
        }
        if let fixed = parts.all("fixed-value").first?.valueMember {
            values.append(
                Value(
                    definition: definition,
                    source: .fixed(fixed.value, suffix: String(fixed.name.dropFirst(5)))
                )
            )
        } else if let text = parts.value("expression").flatMap(Self.expression) {
            values.append(Value(definition: definition, source: .expression(text)))
        } else {
            mistakes.append(
                "A definitionExtractValue extension has neither a fixed value nor an expression in FHIRPath."
            )
        }
    }

    private static func request(_ tree: JSONValue) -> Request {
        let parts = ExtensionList(tree)
        var request: Request = [:]
        for name in ["fullUrl", "resourceId", "ifNoneMatch", "ifModifiedSince", "ifMatch", "ifNoneExist"] {
            if let text = parts.value(name).flatMap(expression) { request[name] = text }
        }
        // What patches change is named by an extension of smart-forms' to that of SDC.
        request["type"] = parts.value("type")?.string
        request["patchUrl"] = parts.value(ExtensionURL.patchRequestURL)?.string
        return request
    }

    /// The text of an expression in FHIRPath, which is a string or an Expression.
    static func expression(_ value: JSONValue) -> String? {
        if let text = value.string { return text }
        let language = value.member("language")
        guard language == nil || language?.isString("text/fhirpath") == true else { return nil }
        return value.member("expression")?.string
    }

    private static func observing(_ value: JSONValue) -> Observing? {
        if let flag = value.boolean { return flag ? .independent : .off }
        switch value.string {
        case "true": return .independent
        case "false": return .off
        case "component": return .component
        case "member": return .member
        case "derived", "derived-by": return .derived
        case "independent": return .independent
        default: return nil
        }
    }

    /// The codes that an item's Observation has: those that are marked for it; where none is and the item is
    /// extracted, those that are not excluded.
    static func codes(of item: SurveyItem, observing: Observing) -> [JSONValue] {
        let codes = item.source.elements(of: "code").map { code in
            (code, mark: ExtensionList(code).value(ExtensionURL.observationExtract).flatMap(Self.observing))
        }
        let isMarked = codes.contains { $0.mark ?? .off != .off }
        return codes.compactMap { code, mark in
            guard mark ?? (isMarked ? .off : observing) != .off, code.member("code")?.kind == .string else {
                return nil
            }
            var code = code
            if !ExtensionList(code).isEmpty { code["extension"] = nil }
            return code
        }
    }
}
