import FHIR
import Foundation
import HealthSamples
import IndivoBase
import IndivoXML
import OrderedJSON
import UCUM

/// Samples as documents of any SDML model, by a table:
///
/// ```json
/// {
///   "HKQuantityTypeIdentifierStepCount": {
///     "model": "Activity",
///     "unit": "{steps}",
///     "fields": {"steps": "value", "from": "start", "to": "end", "device": "source"}
///   }
/// }
/// ```
///
/// A field takes `value`, `unit`, `start`, `end`, `type`, `uuid`, `source` or `device`. Numbers keep their
/// digits, dates are in UTC, as Indivo wants them. The value of a category is its number, that of a workout
/// its activity. A row `"*"` is for all types without a row; its units are those of the mapping.
/// `schemas/health/indivo-table.json` is one, for the model in `schemas/health/indivo`.
public struct SampleTable: Sendable, Hashable {
    private struct Row: Sendable, Hashable {
        var model: String
        var unit: UCUMUnit?
        var fields: [Field]
    }

    private struct Field: Sendable, Hashable {
        var name: String
        var content: Content
    }

    private enum Content: String, CaseIterable {
        case value, unit, start, end, type, uuid, source, device
    }

    private static let namespace = "http://indivo.org/vocab/xml/documents#"
    private static let anyType = "*"
    private var rows: [String: Row] = [:]
    private let mapping: HealthMapping

    /// A table of JSON.
    /// - Throws: ``/HealthSamples/HealthMappingError``, with line and column.
    public init(parsing text: Data, mapping: HealthMapping = .standard) throws(HealthMappingError) {
        self.mapping = mapping
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: text) } catch { throw HealthMappingError(error) }
        guard let members = json.members else { throw HealthMappingError("a table is an object", json) }
        for member in members {
            var type = Self.anyType
            if member.name != Self.anyType {
                do throws(SampleError) {
                    type = try mapping.type(named: member.name)
                } catch {
                    throw HealthMappingError("\(error)", member.nameValue)
                }
            }
            guard let model = member.value["model"]?.string, let fields = member.value["fields"]?.members
            else {
                throw HealthMappingError("'\(member.name)' needs 'model' and 'fields'", member.value)
            }
            var row = Row(model: model, fields: [])
            if let code = member.value["unit"] {
                do throws(UCUMError) {
                    row.unit = try UCUMUnit(code.string ?? "")
                } catch {
                    throw HealthMappingError("\(error)", code)
                }
            }
            for field in fields {
                let known = Content.allCases.map(\.rawValue)
                guard let name = field.value.string, let content = Content(rawValue: name) else {
                    let hint = Spelling.hint(for: field.value.string ?? "", among: known)
                    throw HealthMappingError(
                        "a field takes one of \(known.joined(separator: ", ")).\(hint)",
                        field.value
                    )
                }
                row.fields.append(Field(name: field.name, content: content))
            }
            rows[type] = row
        }
    }

    /// The samples that become a document each: the sample itself; for a correlation its members, after the
    /// correlation itself where the table has a row for it. Without a row, the two pressures of blood
    /// pressure are one VitalSigns document.
    public func parts(of sample: Sample) -> [Sample] {
        guard case .correlation(let members) = sample.value else { return [sample] }
        if rows[sample.type] != nil {
            return [sample] + members.filter { rows[$0.type] != nil || rows[Self.anyType] != nil }
        }
        return rows[Self.anyType] == nil ? members : SampleDocuments.parts(of: sample, mapping: mapping)
    }

    /// The document of a sample.
    /// - Throws: ``/HealthSamples/SampleError`` for a type that the table does not have, and a unit that
    ///   cannot be converted.
    public func document(of sample: Sample) throws -> [UInt8] {
        try sample.check()
        guard let row = try rows[sample.type] ?? row(forAny: sample.type) else {
            let hint = Spelling.hint(for: String(sample.type.prefix(120)), among: rows.keys.prefix(100))
            throw SampleError.unmapped(sample.type, hint: hint)
        }
        // A correlation has no one value; blood pressure has a model of its own.
        if rows[sample.type] == nil, case .correlation = sample.value {
            return try SampleDocuments.document(of: sample, mapping: mapping)
        }
        var texts: [(name: String, text: String)] = []
        for field in row.fields {
            if let text = try text(field.content, of: sample, row) { texts.append((field.name, text)) }
        }
        let root = XMLNode("Models", namespace: Self.namespace) {
            XMLNode("Model", attributes: ["name": row.model]) {
                for (name, text) in texts { XMLNode("Field", attributes: ["name": name], text: text) }
            }
        }
        return [UInt8](try root.document.data())
    }

    private func row(forAny type: String) throws(SampleError) -> Row? {
        guard var row = rows[Self.anyType] else { return nil }
        if row.unit == nil { row.unit = try mapping.entry(of: type).unit?.ucum }
        return row
    }

    private func text(_ content: Content, of sample: Sample, _ row: Row) throws(SampleError) -> String? {
        switch (content, sample.value) {
        case (.value, .quantity(let quantity)):
            if let unit = row.unit {
                // A unit of HealthKit that stands for the type's own, as `count` for a body mass index, is
                // the same number.
                if let own = mapping.types[sample.type]?.unit, own.ucum == unit, let accepts = own.accepts,
                    quantity.unit == .healthKit(accepts)
                {
                    return quantity.value.description
                }
                return try quantity.value(in: unit, type: sample.type).description
            }
            return quantity.value.description
        case (.value, .category(let raw)): return raw.map(String.init)
        case (.value, .workout(let workout)): return workout.activity
        case (.value, _):
            throw .malformed(
                name: sample.type,
                expected: "a quantity, category or workout, to have a value in a table"
            )
        case (.unit, .quantity(let quantity)): return row.unit?.code ?? quantity.unit.text
        case (.unit, _): return row.unit?.code
        case (.start, _): return try sample.start.indivoText("start")
        case (.end, _): return try sample.end.indivoText("end")
        case (.type, _): return sample.type
        case (.uuid, _): return sample.identity
        case (.source, _): return sample.source?.name
        case (.device, _): return sample.device?.name
        }
    }
}
