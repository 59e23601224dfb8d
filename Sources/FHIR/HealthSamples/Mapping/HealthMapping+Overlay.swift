import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import UCUM

/// Why a mapping cannot be read.
public struct HealthMappingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Line and column, where the mapping was read from a text.
    public let location: JSONLocation?
    /// What is wrong.
    public let message: String

    public var description: String { (location.map { "\($0): " } ?? "") + message }

    package init(_ message: String, _ json: JSONValue?) {
        location = json?.location
        self.message = message
    }

    package init(_ error: JSONError) {
        location = error.location
        message = "\(error.reason)"
    }
}

extension HealthMapping {
    /// This mapping with another one laid over it.
    /// - Throws: ``HealthMappingError``, with line and column.
    public func overlaid(parsing text: Data) throws(HealthMappingError) -> HealthMapping {
        let json: JSONValue
        do throws(JSONError) { json = try JSONValue(parsing: text) } catch { throw HealthMappingError(error) }
        return try overlaid(with: json)
    }

    /// This mapping with another one laid over it.
    /// - Throws: ``HealthMappingError``.
    public func overlaid(with json: JSONValue) throws(HealthMappingError) -> HealthMapping {
        guard let sections = json.members else { throw HealthMappingError("a mapping is an object", json) }
        var result = self
        let known = Entry.Kind.allCases.map(\.rawValue) + ["values", "workouts", "metadata"]
        for section in sections {
            guard known.contains(section.name) else {
                throw HealthMappingError(
                    """
                    mappings have no section \
                    '\(section.name)'.\(Spelling.hint(for: section.name, among: known))
                    """,
                    section.nameValue
                )
            }
            guard let members = section.value.members else {
                throw HealthMappingError("'\(section.name)' should be an object", section.value)
            }
            for member in members {
                switch section.name {
                case "values":
                    result.values[member.name] = try Self.values(member.value, over: values[member.name])
                case "workouts":
                    guard let number = member.value.integer else {
                        throw HealthMappingError("a workout has a number", member.value)
                    }
                    result.workouts[member.name] = number
                case "metadata": result.metadataUnits[member.name] = try Self.unit(member.value)
                default:
                    guard let kind = Entry.Kind(rawValue: section.name) else { continue }
                    result.types[member.name] = try Self.entry(member, kind, over: types[member.name])
                }
            }
        }
        for (type, entry) in result.types.sorted(by: { $0.key < $1.key }) {
            if let name = entry.values, result.values[name] == nil {
                let hint = Spelling.hint(for: name, among: result.values.keys)
                throw HealthMappingError("\(type): there are no values '\(name)'.\(hint)", nil)
            }
        }
        return result
    }

    private static func entry(_ member: JSONMember, _ kind: Entry.Kind, over old: Entry?)
        throws(HealthMappingError) -> Entry
    {
        guard let members = member.value.members else {
            throw HealthMappingError("'\(member.name)' should be an object", member.value)
        }
        var entry = old ?? Entry(kind: kind, display: shortName(of: member.name), codes: [], members: [])
        guard entry.kind == kind else {
            throw HealthMappingError("'\(member.name)' belongs to '\(entry.kind.rawValue)'", member.nameValue)
        }
        for part in members {
            switch part.name {
            case "display": entry.display = try text(part)
            case "category": entry.category = try text(part)
            case "values": entry.values = try text(part)
            case "codes":
                guard let codes = part.value.elements else {
                    throw HealthMappingError("'codes' should be an array", part.value)
                }
                entry.codes = []
                for code in codes {
                    guard let coding = Coding(tree: code), coding.system != nil, coding.code != nil else {
                        throw HealthMappingError("a code has 'system', 'code' and perhaps 'display'", code)
                    }
                    entry.codes.append(coding)
                }
            case "members":
                guard let types = part.value.elements else {
                    throw HealthMappingError("'members' should be an array", part.value)
                }
                entry.members = types.compactMap(\.string)
                guard entry.members.count == types.count else {
                    throw HealthMappingError("'members' are the identifiers of types", part.value)
                }
            case "total":
                guard let total = Entry.Total(rawValue: try text(part)) else {
                    throw HealthMappingError("'total' is 'sum' or 'mean'", part.value)
                }
                entry.total = total
            case "unit":
                guard let code = part.value["code"] else {
                    throw HealthMappingError("a unit has a 'code' of UCUM", part.value)
                }
                let ucum = try unit(code)
                entry.unit = Entry.Unit(
                    ucum: ucum,
                    text: part.value["text"]?.string ?? ucum.code,
                    accepts: part.value["accepts"]?.string
                )
            default:
                let known = ["display", "category", "values", "codes", "members", "total", "unit"]
                let hint = Spelling.hint(for: part.name, among: known)
                throw HealthMappingError("types have no '\(part.name)'.\(hint)", part.nameValue)
            }
        }
        if kind == .quantity, entry.unit == nil {
            throw HealthMappingError("the quantity '\(member.name)' has no unit", member.value)
        }
        return entry
    }

    private static func text(_ member: JSONMember) throws(HealthMappingError) -> String {
        guard let text = member.value.string, !text.isEmpty else {
            throw HealthMappingError("'\(member.name)' should be a text", member.value)
        }
        return text
    }

    private static func unit(_ json: JSONValue) throws(HealthMappingError) -> UCUMUnit {
        guard let code = json.string else { throw HealthMappingError("a unit is a code of UCUM", json) }
        do throws(UCUMError) { return try UCUMUnit(code) } catch {
            throw HealthMappingError("\(error)", json)
        }
    }

    private static func values(_ json: JSONValue, over old: Values?) throws(HealthMappingError) -> Values {
        guard let system = json["system"]?.string ?? old?.system, let members = json["values"]?.members else {
            throw HealthMappingError("values have a 'system' and 'values'", json)
        }
        var result = Values(system: system, values: old?.values ?? [:])
        for member in members {
            guard let number = Int(member.name), let text = member.value.string else {
                throw HealthMappingError("a value is a number and its meaning", member.value)
            }
            result.values[number] = text
        }
        return result
    }
}
