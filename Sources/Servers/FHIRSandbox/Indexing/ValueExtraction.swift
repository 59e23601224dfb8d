import FHIR
import FHIRPathEngine
import FHIRTables
import FHIRValidation
import Foundation
import OrderedJSON
import UCUM

/// What a resource is found by: the values of its search parameters.
struct ValueExtraction {
    let catalog: SearchCatalog
    /// The addresses under which this server's resources are referred to as a whole, each with a slash at its
    /// end.
    let bases: [String]
    let limit: Int
    private(set) var values: [IndexedValue] = []
    /// The parameters whose expressions failed on the resource: it is not found by them.
    private(set) var failedKeys: Set<String> = []
    private var seen: Set<IndexedValue> = []

    init(catalog: SearchCatalog, bases: [String], limit: Int) {
        self.catalog = catalog
        self.bases = bases
        self.limit = limit
    }

    /// - Throws: ``FHIRFailure`` for a resource with too many values.
    mutating func extract(from resource: JSONValue, type: String) throws(FHIRFailure) {
        var context = FHIRPathContext()
        context.limits.steps = 2_000_000
        context.castsEachItem = true
        // All that an expression asks of what a reference is to is the type.
        context.resolver = { reference in
            ReferenceTarget(reference, bases: []).type.map { ["resourceType": JSONValue($0)] }
        }
        for parameter in catalog.parameters(of: type).values {
            // An element of another type than the specification has is not found; validation reports it.
            let items = try evaluate(parameter.path, on: [FHIRPathItem(resource)], in: context, parameter.key)
            for (index, item) in items.enumerated() {
                guard parameter.kind == .composite else {
                    try add(item, as: parameter.kind, parameter.valueSets, key: parameter.key, item: 0)
                    continue
                }
                for (part, component) in parameter.components.enumerated() {
                    for value in try evaluate(component.path, on: [item], in: context, parameter.key) {
                        try add(
                            value,
                            as: component.kind,
                            [],
                            key: parameter.key(ofComponent: part),
                            item: index
                        )
                    }
                }
            }
        }
    }

    /// - Throws: ``FHIRFailure`` where the limits of an evaluation are reached; what fails otherwise finds
    ///   nothing.
    private mutating func evaluate(
        _ path: FHIRPath,
        on items: [FHIRPathItem],
        in context: FHIRPathContext,
        _ key: String
    ) throws(FHIRFailure) -> [FHIRPathItem] {
        do throws(FHIRPathError) {
            return try path.evaluate(on: items, in: context)
        } catch {
            guard error.kind != .limit else {
                throw .tooCostly("the resource is too large for the search parameter \(key)", status: 422)
            }
            failedKeys.insert(key)
            return []
        }
    }

    /// - Parameter valueSets: those that a code is of, if they are known.
    private mutating func add(
        _ item: FHIRPathItem,
        as kind: SearchParameter.Kind,
        _ valueSets: [DefinedValueSet],
        key: String,
        item index: Int
    ) throws(FHIRFailure) {
        var json = item.json
        var type = item.typeName
        if type == "Extension" {
            guard let member = json.members?.first(where: { $0.name.hasPrefix("value") }) else { return }
            json = member.value
            type = String(member.name.dropFirst("value".count))
        }
        var found: [IndexedValue] = []
        switch kind {
        case .token: found = Self.tokens(json, type: type, valueSets)
        case .string: found = Self.strings(json)
        case .date: found = Self.range(json).map { [IndexedValue(key: "", range: .time($0))] } ?? []
        case .number: found = Self.number(json).map { [IndexedValue(key: "", range: .number($0, $0))] } ?? []
        case .quantity: found = Self.quantities(json)
        case .reference: found = references(json)
        case .uri: found = json.string.map { [IndexedValue(key: "", code: SearchText.bounded($0))] } ?? []
        case .composite, .special: return
        }
        for var value in found {
            value.key = key + value.key
            value.item = index
            guard seen.insert(value).inserted else { continue }
            values.append(value)
            guard values.count <= limit else {
                throw .tooCostly(
                    "the resource has more than \(limit) values in the search index",
                    status: 422
                )
            }
        }
    }

    // MARK: Kinds

    private static func token(system: String?, _ code: String?, _ text: String? = nil) -> IndexedValue {
        IndexedValue(
            key: "",
            system: system.map(SearchText.bounded),
            code: code.map(SearchText.bounded),
            text: text.map(SearchText.folded)
        )
    }

    /// - Parameters:
    ///   - type: the name of the value's type.
    ///   - valueSets: those that a code is of, if they are known.
    static func tokens(_ json: JSONValue, type: String, _ valueSets: [DefinedValueSet] = []) -> [IndexedValue]
    {
        switch json.kind {
        case .boolean:
            let code = json.boolean == true ? "true" : "false"
            return [
                token(system: "", code),
                token(system: "http://terminology.hl7.org/CodeSystem/special-values", code),
            ]
        case .string: return json.string.map { primitive($0, isCode: type == "code", valueSets) } ?? []
        case .number: return [token(system: "", json.number)]
        case .object: break
        case .null, .array: return []
        }
        if let codings = json.member("coding")?.elements {
            let text = json.member("text")?.string
            return codings.flatMap { tokens($0, type: "Coding") }
                + (text.map { [token(system: "", nil, $0)] } ?? [])
        }
        if let value = json.member("value")?.string {
            // The system of a ContactPoint is what it is for; its namespace is its use (FHIR R4, search,
            // “token”).
            let system = json.member(type == "ContactPoint" ? "use" : "system")?.string
            return [token(system: system ?? "", value, json.member("type")?.member("text")?.string)]
        }
        if let text = json.member("text")?.string, json.member("code") == nil {
            return [token(system: "", nil, text)]
        }
        guard let code = json.member("code")?.string else { return [] }
        return [token(system: json.member("system")?.string ?? "", code, json.member("display")?.string)]
    }

    /// A code has no system of its own, and the one of its value set. Of one whose value set is not known any
    /// may be asked for.
    private static func primitive(_ text: String, isCode: Bool, _ valueSets: [DefinedValueSet])
        -> [IndexedValue]
    {
        if isCode, valueSets.isEmpty { return [token(system: nil, text)] }
        let systems = valueSets.flatMap(\.codes).filter { isCode && $0.code == text }.map(\.system)
        return ([""] + systems).map { token(system: $0, text) }
    }

    static func strings(_ json: JSONValue) -> [IndexedValue] {
        var texts: [String] = []
        switch json.kind {
        case .string: texts = [json.string].compactMap { $0 }
        case .object:
            // The parts of a HumanName and of an Address that people read; of a concept its text.
            let names = [
                "text", "family", "given", "prefix", "suffix", "line", "city", "district", "state",
                "postalCode", "country",
                "display", "value",
            ]
            for name in names {
                guard let part = json[name] else { continue }
                texts += part.elements?.compactMap(\.string) ?? [part.string].compactMap { $0 }
            }
        default: break
        }
        return texts.filter { !$0.isEmpty }.map {
            IndexedValue(key: "", code: SearchText.bounded($0), text: SearchText.folded($0))
        }
    }

    static func range(_ json: JSONValue) -> TimeRange? {
        if let text = json.string { return TimeRange(text) }
        if json.kind == .number { return nil }
        if let bounds = json.member("repeat")?.member("boundsPeriod") { return range(bounds) }
        if let events = json.member("event")?.elements {
            let ranges = events.compactMap(\.string).compactMap { TimeRange($0) }
            guard let low = ranges.map(\.low).min(), let high = ranges.map(\.high).max() else { return nil }
            return TimeRange(low: low, high: high)
        }
        let start = json.member("start")?.string.flatMap { TimeRange($0) }
        let end = json.member("end")?.string.flatMap { TimeRange($0) }
        guard start != nil || end != nil else { return nil }
        return TimeRange(low: start?.low ?? TimeRange.past, high: end?.high ?? TimeRange.future)
    }

    static func number(_ json: JSONValue) -> Double? { json.double.flatMap { $0.isFinite ? $0 : nil } }

    static func quantities(_ json: JSONValue) -> [IndexedValue] {
        if json.member("low") != nil || json.member("high") != nil {
            let unit = json.member("low") ?? json.member("high") ?? .null
            return quantity(
                low: json.member("low")?.member("value")?.number,
                high: json.member("high")?.member("value")?.number,
                unit
            )
        }
        guard let digits = json.member("value")?.number else { return [] }
        switch json.member("comparator")?.string {
        case "<", "<=": return quantity(low: nil, high: digits, json)
        case ">", ">=": return quantity(low: digits, high: nil, json)
        default: return quantity(low: digits, high: digits, json)
        }
    }

    private static func quantity(low: String?, high: String?, _ unit: JSONValue) -> [IndexedValue] {
        func bound(_ digits: String?, _ open: Double) -> Double? {
            guard let digits else { return open }
            return Double(digits).flatMap { $0.isFinite ? $0 : nil }
        }
        let greatest = Double.greatestFiniteMagnitude
        guard let least = bound(low, -greatest), let most = bound(high, greatest) else { return [] }
        let system =
            unit.member("system")?.string ?? (unit.member("currency") == nil ? "" : "urn:iso:std:iso:4217")
        let code = unit.member("code")?.string ?? unit.member("currency")?.string
        var values = [
            IndexedValue(
                key: "",
                system: system,
                code: code.map(SearchText.bounded),
                text: unit.member("unit")?.string.map(SearchText.bounded),
                range: .number(least, most)
            )
        ]
        // The same in base units, by which grams are found that were asked for in milligrams.
        if system == "http://unitsofmeasure.org", let code, let ucum = try? UCUMUnit(code) {
            func base(_ digits: String?, _ open: Double) -> Double? {
                guard let digits else { return open }
                return BaseUnits.baseValue(of: digits, in: ucum)
            }
            if let least = base(low, -greatest), let most = base(high, greatest) {
                values.append(
                    IndexedValue(
                        key: "",
                        system: IndexedValue.ucumDimension,
                        code: ucum.dimensionKey,
                        range: .number(least, most)
                    )
                )
            }
        }
        return values
    }

    private func references(_ json: JSONValue) -> [IndexedValue] {
        if let canonical = json.string {
            // A canonical is found with its version and without.
            let url = canonical.split(separator: "|", maxSplits: 1).first.map(String.init) ?? canonical
            return Set([canonical, url]).map { IndexedValue(key: "", text: SearchText.bounded($0)) }
        }
        guard json.kind == .object, json.member("resourceType") == nil else { return [] }
        var values: [IndexedValue] = []
        if let reference = json.member("reference")?.string, !reference.hasPrefix("#") {
            let target = ReferenceTarget(reference, bases: bases)
            values.append(
                IndexedValue(
                    key: "",
                    system: target.isLocal ? target.type : nil,
                    code: target.isLocal ? target.id : nil,
                    text: SearchText.bounded(reference)
                )
            )
        }
        if let identifier = json.member("identifier") {
            values += Self.tokens(identifier, type: "Identifier").map { token in
                var token = token
                token.key = ":identifier"
                return token
            }
        }
        return values
    }
}

/// What a reference is to.
struct ReferenceTarget {
    var type: String?
    var id: String?
    /// Whether it is to a resource of this server.
    var isLocal: Bool

    init(_ reference: String, bases: [String]) {
        var rest = reference[...]
        var isLocal = true
        if let base = bases.first(where: { reference.hasPrefix($0) }) {
            rest = rest.dropFirst(base.count)
        } else {
            isLocal = !reference.contains(":")
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.count >= 4, parts[parts.endIndex - 2] == "_history" { parts = parts.dropLast(2) }
        guard parts.count >= 2, let id = parts.last, let type = parts.dropLast().last,
            LogicalID.isValid(String(id)),
            type.first?.isUppercase == true, !isLocal || parts.count == 2
        else {
            self.isLocal = false
            return
        }
        self.type = String(type)
        self.id = String(id)
        self.isLocal = isLocal
    }
}

extension LogicalID {
    static func make() -> String { UUID().uuidString.lowercased() }
}

/// Numbers in base units.
enum BaseUnits {
    static func baseValue(of digits: String, in unit: UCUMUnit) -> Double? {
        guard let value = Decimal(string: digits), !value.isNaN, let base = try? unit.baseValue(of: value)
        else { return nil }
        let number = NSDecimalNumber(decimal: base).doubleValue
        return number.isFinite ? number : nil
    }
}
