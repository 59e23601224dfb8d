import FHIR
import FHIRPathEngine
import FHIRTables
import Foundation
import OrderedJSON

/// What holds for resources that define something, besides their rules.
extension Validation {
    mutating func conformance(_ json: ParsedNode, _ name: String) {
        switch name {
        case "CodeSystem": codeSystem(json)
        case "ConceptMap": conceptMap(json)
        case "MeasureReport": measureReport(json)
        case "ValueSet": valueSet(json)
        case "SearchParameter": searchParameter(json)
        case "CapabilityStatement": capabilities(json)
        case "StructureDefinition": structureDefinition(json)
        case "QuestionnaireResponse": response(json)
        default: break
        }
        if let url = json.member("url"), url.kind == .string,
            scope.containedIndex != nil || Self.isCanonical(name)
        {
            canonical(url)
        }
    }

    /// Whether resources of a type have a canonical URL.
    static func isCanonical(_ name: String) -> Bool {
        Definitions.r4.type(named: name)?.element(named: "url").map { $0.types.first?.code == "uri" } ?? false
    }

    /// The URL of what defines something is absolute.
    private mutating func canonical(_ url: ParsedNode) {
        let isAbsolute = url.withUTF8(TextScan.hasScheme) ?? true
        if !isAbsolute {
            report(.error, .value, "the URL of a definition is absolute", child: "url", at: url)
        }
    }

    // MARK: Terminology

    private mutating func codeSystem(_ json: ParsedNode) {
        guard json.member("content")?.isString("complete") == true, let stated = json.member("count"),
            let count = stated.value.integer
        else { return }
        let found = Self.count(json.member("concept"), depth: 0)
        if found != count, found > 0 {
            report(
                .error,
                .invalid,
                "the system is complete and has \(found) concepts, not the \(count) that it states",
                child: "count",
                at: stated
            )
        }
    }

    private static func count(_ concepts: ParsedNode?, depth: Int) -> Int {
        guard depth < 256 else { return 0 }
        return (concepts?.list ?? []).reduce(0) { $0 + 1 + count($1.member("concept"), depth: depth + 1) }
    }

    private mutating func valueSet(_ json: ParsedNode) {
        let compose = json.member("compose")
        for name in ["include", "exclude"] {
            for (index, part) in (compose?.member(named: name)?.list ?? []).enumerated() {
                let child = "compose.\(name)[\(index)]"
                if let system = part.member("system"), system.kind == .string {
                    let isAbsolute =
                        system.withUTF8 { TextScan.hasScheme($0) || $0.first == UInt8(ascii: "#") } ?? true
                    if !isAbsolute {
                        report(
                            .error,
                            .invalid,
                            "the system is an absolute URI",
                            child: child + ".system",
                            at: system
                        )
                    }
                }
                for (position, filter) in (part.member("filter")?.list ?? []).enumerated() {
                    self.filter(filter, of: part, "\(child).filter[\(position)]")
                }
            }
        }
    }

    /// The codes that are mapped are of the value set that is mapped.
    private mutating func conceptMap(_ json: ParsedNode) {
        for (source, target) in [("source", "code")] {
            guard
                let valueSet =
                    (json.member(named: source + "Canonical") ?? json.member(named: source + "Uri"))?.string
            else { continue }
            // R4's own maps have more codes than its value sets.
            guard options.definitions.isAdded(valueSet) else { continue }
            for (index, group) in (json.member("group")?.list ?? []).enumerated() {
                guard let system = group.member("source")?.string else { continue }
                for (position, element) in (group.member("element")?.list ?? []).enumerated() {
                    guard let value = element.member(named: target), let code = value.string,
                        spend(at: value),
                        case .invalid = options.membership(of: code, system: system, in: valueSet)
                    else { continue }
                    report(
                        .error,
                        .codeInvalid,
                        "the code is not in the value set that is mapped",
                        child: "group[\(index)].element[\(position)].code",
                        at: value
                    )
                }
            }
        }
    }

    /// The groups and populations of a report are those of its measure, where that is known.
    private mutating func measureReport(_ json: ParsedNode) {
        let isList = json.member("type")?.isString("subject-list") == true
        let measure = json.member("measure")?.string.flatMap { options.definitions.json(canonical: $0) }
        let groups = measure?.member("group")?.elements.map(Array.init)
        let reported = json.member("group")?.list ?? []
        for (index, group) in reported.enumerated() {
            let child = "group[\(index)]"
            let known = groups.flatMap { parts in
                group.member("code") == nil && parts.count == 1 ? parts[0] : Self.sameCode(group, in: parts)
            }
            if groups?.isEmpty == false, known == nil {
                report(
                    .error,
                    .businessRule,
                    "the measure has no group with this code",
                    child: child,
                    at: group
                )
            }
            if let known { score(of: group, known, measure, child) }
            let populations = group.member("population")?.list ?? []
            for (position, population) in populations.enumerated() {
                let child = "\(child).population[\(position)]"
                if !isList, measure != nil, population.member("subjectResults") != nil {
                    report(
                        .error,
                        .businessRule,
                        "only a report of the type subject-list has subjects",
                        child: child,
                        at: population
                    )
                }
                guard let all = known?.member("population")?.elements.map(Array.init), !all.isEmpty else {
                    continue
                }
                if all.count > 1 || population.member("code") != nil,
                    Self.sameCode(population, in: all) == nil
                {
                    report(
                        .error,
                        .businessRule,
                        "the measure has no population with this code",
                        child: child,
                        at: population
                    )
                }
            }
        }
    }

    /// A measure that counts a cohort has no score.
    private mutating func score(
        of group: ParsedNode,
        _ known: JSONValue,
        _ measure: JSONValue?,
        _ child: String
    ) {
        let scoring = measure?.member("scoring")?.member("coding")?.elements?.first?.member("code")?.string
        if scoring == "cohort", let score = group.member("measureScore") {
            report(
                .error,
                .businessRule,
                "a measure of the scoring cohort has no score",
                child: child,
                at: score
            )
        }
    }

    /// The part that has a coding of the same system and code.
    private static func sameCode(_ part: ParsedNode, in parts: [JSONValue]) -> JSONValue? {
        let codings = part.member("code")?.member("coding")?.list ?? []
        return parts.first { other in
            (other.member("code")?.elements(of: "coding") ?? []).contains { coding in
                codings.contains {
                    $0.member("system")?.string == coding.member("system")?.string
                        && $0.member("code")?.string == coding.member("code")?.string
                }
            }
        }
    }

    /// Properties that are booleans have no other values (FHIR R4, “Code System Properties”).
    private mutating func filter(_ filter: ParsedNode, of part: ParsedNode, _ child: String) {
        guard let property = filter.member("property")?.string, let value = filter.member("value")?.string
        else {
            return
        }
        let isBoolean = ["inactive", "notSelectable", "abstract"].contains(property)
        if isBoolean, value != "true", value != "false" {
            report(.error, .invalid, "the value of \(property) is true or false", child: child, at: filter)
        }
        if filter.member("op")?.isString("exists") == true, value != "true", value != "false" {
            report(
                .error,
                .invalid,
                "a filter of exists has the value true or false",
                child: child,
                at: filter
            )
        }
    }

    // MARK: Search

    private mutating func searchParameter(_ json: ParsedNode) {
        if json.member("type")?.isString("composite") == true,
            (json.member("component")?.list?.count ?? 0) < 2
        {
            report(.error, .invalid, "a composite parameter has two components or more", at: json)
        }
        let bases = (json.member("base")?.list ?? []).compactMap(\.string)
        if let base = json.member("derivedFrom"), let url = base.string {
            derived(json, from: url, bases, at: base)
        }
        guard let value = json.member("expression"), let expression = value.string else { return }
        do {
            _ = try FHIRPath(expression)
        } catch {
            // R4's own parameters have a function that only HL7's tools know.
            report(
                error.kind == .syntax ? .error : .warning,
                .invalid,
                "the expression is no FHIRPath: \(error.reason)",
                child: "expression",
                at: value
            )
        }
    }

    private mutating func derived(
        _ json: ParsedNode,
        from url: String,
        _ bases: [String],
        at anchor: ParsedNode
    ) {
        let type = json.member("type")?.string
        var known: [(type: String?, base: String)] = []
        if let base = options.definitions.json(canonical: url) {
            for name in base.elements(of: "base") {
                if let name = name.string { known.append((base.member("type")?.string, name)) }
            }
        } else {
            known = Self.parameters(url).map { ($0.kind.rawValue, $0.resource) }
        }
        guard let first = known.first else { return }
        if let type, let other = first.type, type != other {
            report(
                .error,
                .invalid,
                "the type is \(type), and that of what it is derived from \(other)",
                at: anchor
            )
        }
        for base in bases where !known.contains(where: { $0.base == base || $0.base == "Resource" }) {
            report(.error, .invalid, "\(base) is no base of what it is derived from", at: anchor)
        }
    }

    /// R4's own parameter with a URL: `…/SearchParameter/Observation-code`.
    private static func parameters(_ url: String) -> [SearchParameter] {
        let prefix = "http://hl7.org/fhir/SearchParameter/"
        guard url.hasPrefix(prefix) else { return [] }
        let parts = url.dropFirst(prefix.count).prefix { $0 != "|" }.split(separator: "-", maxSplits: 1)
        guard parts.count == 2 else { return [] }
        return SearchParameter.r4.filter { $0.resource == parts[0] && $0.name == parts[1] }
    }

    private mutating func capabilities(_ json: ParsedNode) {
        for (rest, part) in (json.member("rest")?.list ?? []).enumerated() {
            for (index, resource) in (part.member("resource")?.list ?? []).enumerated() {
                for (number, parameter) in (resource.member("searchParam")?.list ?? []).enumerated() {
                    guard let url = parameter.member("definition")?.string,
                        let type = parameter.member("type"),
                        let name = type.string
                    else { continue }
                    let own = options.definitions.json(canonical: url)?.member("type")?.string
                    guard let known = own ?? Self.parameters(url).first?.kind.rawValue, known != name else {
                        continue
                    }
                    report(
                        .error,
                        .invalid,
                        "the type is \(name), and the definition's is \(known)",
                        child: "rest[\(rest)].resource[\(index)].searchParam[\(number)]",
                        at: type
                    )
                }
            }
        }
    }

    // MARK: Questionnaires

    private mutating func response(_ json: ParsedNode) {
        guard let check = options.checkResponse, let canonical = json.member("questionnaire")?.string else {
            return
        }
        let questionnaire: JSONValue?
        if canonical.hasPrefix("#") {
            questionnaire = resolve(canonical)?.json.value
        } else {
            questionnaire = options.definitions.json(canonical: canonical)
        }
        guard let questionnaire, questionnaire.resourceType == "Questionnaire" else { return }
        for issue in check(AnyResource(view: json.value), AnyResource(view: questionnaire)) where !isStopped {
            report(issue.severity, issue.code, issue.text, at: json)
        }
    }
}
