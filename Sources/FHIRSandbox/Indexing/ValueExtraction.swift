import FHIR
import FHIRTables
import Foundation
import OrderedJSON
import UCUM

/// What a resource is found by: the values of its search parameters.
struct ValueExtraction {
    let catalog: SearchCatalog
    /// The addresses under which this server's resources are referred to as a whole, each with a slash at its end.
    let bases: [String]
    let limit: Int
    private(set) var values: [IndexedValue] = []
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
        // All that an expression asks of what a reference is to is the type.
        context.resolver = { reference in
            ReferenceTarget(reference, bases: []).type.map { ["resourceType": JSONValue($0)] }
        }
        for parameter in catalog.parameters(of: type).values {
            // An element of another type than the specification has is not found; validation reports it.
            let items = (try? parameter.path.evaluate(on: resource, in: context)) ?? []
            for (index, item) in items.enumerated() {
                guard parameter.kind == .composite else {
                    try add(item, as: parameter.kind, key: parameter.key, item: 0)
                    continue
                }
                for (part, component) in parameter.components.enumerated() {
                    let parts = (try? component.path.evaluate(on: [item], in: context)) ?? []
                    for value in parts {
                        try add(value, as: component.kind, key: parameter.key(ofComponent: part), item: index)
                    }
                }
            }
        }
    }

    private mutating func add(
        _ item: FHIRPathItem, as kind: SearchParameter.Kind, key: String, item index: Int
    ) throws(FHIRFailure) {
        var json = item.json
        if item.typeName == "Extension" {
            guard let value = json.members?.first(where: { $0.name.hasPrefix("value") })?.value else { return }
            json = value
        }
        var found: [IndexedValue] = []
        switch kind {
        case .token: found = Self.tokens(json)
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
                throw .tooCostly("the resource has more than \(limit) values in the search index", status: 422)
            }
        }
    }

    // MARK: Kinds

    private static func token(system: String?, _ code: String?, _ text: String? = nil) -> IndexedValue {
        IndexedValue(
            key: "", system: system.map(SearchText.bounded), code: code.map(SearchText.bounded),
            text: text.map(SearchText.folded))
    }

    static func tokens(_ json: JSONValue) -> [IndexedValue] {
        switch json.kind {
        case .boolean: return [token(system: nil, json.boolean == true ? "true" : "false")]
        case .string: return [token(system: nil, json.string)]
        case .number: return [token(system: nil, json.number)]
        case .object: break
        case .null, .array: return []
        }
        if let codings = json.member("coding")?.elements {
            let text = json.member("text")?.string
            return codings.flatMap(tokens) + (text.map { [token(system: "", nil, $0)] } ?? [])
        }
        if let value = json.member("value")?.string {
            // An Identifier has a URI as its system, a ContactPoint one of a few codes.
            let system = json.member("system")?.string
            let isContact = system.map { $0.utf8.allSatisfy { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") } } ?? false
            let type = json.member("type")?.member("text")?.string
            return [token(system: isContact ? (json.member("use")?.string ?? "") : (system ?? ""), value, type)]
        }
        if let text = json.member("text")?.string, json.member("code") == nil { return [token(system: "", nil, text)] }
        guard let code = json.member("code")?.string else { return [] }
        return [token(system: json.member("system")?.string ?? "", code, json.member("display")?.string)]
    }

    static func strings(_ json: JSONValue) -> [IndexedValue] {
        var texts: [String] = []
        switch json.kind {
        case .string: texts = [json.string].compactMap { $0 }
        case .object:
            // The parts of a HumanName and of an Address that people read; of a concept its text.
            let names = [
                "text", "family", "given", "prefix", "suffix", "line", "city", "district", "state", "postalCode", "country",
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
                low: json.member("low")?.member("value")?.number, high: json.member("high")?.member("value")?.number, unit)
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
        let system = unit.member("system")?.string ?? (unit.member("currency") == nil ? "" : "urn:iso:std:iso:4217")
        let code = unit.member("code")?.string ?? unit.member("currency")?.string
        var values = [
            IndexedValue(
                key: "", system: system, code: code.map(SearchText.bounded),
                text: unit.member("unit")?.string.map(SearchText.bounded), range: .number(least, most))
        ]
        // The same in base units, by which grams are found that were asked for in milligrams.
        if system == "http://unitsofmeasure.org", let code, let ucum = try? UCUMUnit(code) {
            func base(_ digits: String?, _ open: Double) -> Double? {
                guard let digits else { return open }
                return UnitConversion.baseValue(of: digits, in: ucum)
            }
            if let least = base(low, -greatest), let most = base(high, greatest) {
                values.append(
                    IndexedValue(
                        key: "", system: IndexedValue.ucumDimension, code: ucum.dimensionKey, range: .number(least, most)))
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
                    key: "", system: target.isLocal ? target.type : nil, code: target.isLocal ? target.id : nil,
                    text: SearchText.bounded(reference)))
        }
        if let identifier = json.member("identifier") {
            values += Self.tokens(identifier).map { token in
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
        guard parts.count >= 2, let id = parts.last, let type = parts.dropLast().last, LogicalID.isValid(String(id)),
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
enum UnitConversion {
    static func baseValue(of digits: String, in unit: UCUMUnit) -> Double? {
        guard let value = Decimal(string: digits), !value.isNaN, let base = try? unit.baseValue(of: value) else { return nil }
        let number = NSDecimalNumber(decimal: base).doubleValue
        return number.isFinite ? number : nil
    }
}
