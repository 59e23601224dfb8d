import FHIR
import Foundation
import HealthSamples
import IndivoBase
import OrderedJSON

/// Makes rows of columns of the Observations that HealthSamples wrote of quantities.
///
/// What would not come back from the columns as it was stays an Observation with facts: components, notes,
/// other states than `final`, versions, categories, units other than the table's.
package struct SampleSplitter {
    /// The most different sources of a message; what has more stays facts.
    private static let maximumSources = 100
    /// The most characters of a source.
    private static let maximumSourceLength = 4000
    /// The years that FHIR, i2b2 and phones all write.
    static let times = -2_208_988_800_000_000..<7_258_118_400_000_000

    private let disclosure: Disclosure
    /// What is kept of the rest of Observations; `nil` where that would not be all.
    private var sources: [JSONValue: String?] = [:]
    /// That of the sample before.
    private var last: (rest: JSONValue, source: String?)?

    /// - Parameter disclosure: What the warehouse keeps of resources.
    package init(_ disclosure: Disclosure) { self.disclosure = disclosure }

    /// The columns of an Observation; `nil` for one that stays as it is.
    ///
    /// - Parameters:
    ///   - set: Its facts.
    ///   - phoneID: The participant's id on the phone, which no column has.
    package mutating func sample(
        _ json: JSONValue,
        _ set: FactSet,
        received: FHIRDateTime,
        phoneID: String
    ) -> StudySample? {
        guard let id = StudySample.id(ofVisit: set.visit.id), let parts = Parts(json),
            let (kind, value) = Self.measured(set), let (start, end) = parts.times(received: received),
            Self.times.contains(start), let offset = parts.start.offset,
            let source = source(parts.rest, phoneID),
            // Its corrections, which are visits, have a pseudonym there.
            ParticipantID(phoneID)?.isIn(set.visit.id) != true
        else { return nil }
        return StudySample(
            id: id,
            kind: kind,
            start: start,
            end: end,
            value: value,
            offset: offset,
            source: source
        )
    }

    /// The number of facts that are one number in the table's unit.
    private static func measured(_ set: FactSet) -> (StudySample.Kind, Double)? {
        guard set.omitted.isEmpty, set.patient == nil, set.concepts.count == 1, let fact = set.facts.first,
            fact.modifier == "@", fact.flag == nil, case .number(let number, "E") = fact.value,
            let unit = fact.unit, KnownMeasurements[fact.concept]?.unit == unit,
            set.facts.dropFirst().allSatisfy({ $0.modifier == FactModifier.time })
        else { return nil }
        let written = number.exact ?? number.description
        guard let value = Double(written), value.isFinite, let back = FHIRDecimal(value),
            ExactDecimal(back.description)?.trimmed == ExactDecimal(written)?.trimmed
        else { return nil }
        let concept = set.concepts[0]
        return (StudySample.Kind(concept: concept.code, key: concept.key, unit: unit), value)
    }

    /// What of the rest is kept: that is the same for most samples of a message.
    private mutating func source(_ rest: JSONValue, _ phoneID: String) -> String? {
        if let last, last.rest == rest { return last.source }
        let source: String?
        if let known = sources[rest] {
            source = known
        } else {
            guard sources.count < Self.maximumSources else { return nil }
            source = kept(rest, phoneID)
            sources.updateValue(source, forKey: rest)
        }
        last = (rest, source)
        return source
    }

    private func kept(_ rest: JSONValue, _ phoneID: String) -> String? {
        let text = rest.text()
        // A pseudonym would be in its place, and that is another one for each participation.
        guard text.utf8.count <= Self.maximumSourceLength, !text.contains("\\u0000"),
            ParticipantID(phoneID)?.isIn(text) != true
        else { return nil }
        return disclosure.releasedSource(text)
    }
}

extension Disclosure {
    /// The rest of an Observation without what is not disclosed.
    func releasedSource(_ source: String) -> String {
        var whole = (try? JSONValue(parsing: source)) ?? [:]
        whole["resourceType"] = "Observation"
        var released = released(whole, of: nil)
        released["resourceType"] = nil
        return released.text()
    }
}

/// An Observation in the form of HealthSamples' quantities, taken apart.
private struct Parts {
    var start: FHIRDateTime
    private let end: FHIRDateTime?
    private let issued: FHIRDateTime
    /// What is the same for many samples.
    let rest: JSONValue

    /// `nil` for one that has anything else.
    init?(_ json: JSONValue) {
        var start: FHIRDateTime?
        var end: FHIRDateTime?
        var issued: FHIRDateTime?
        var rest: [JSONMember] = []
        var ids: Set<String> = []
        var isFinal = false
        for member in json.members ?? [] {
            let value = member.value
            switch member.name {
            case "resourceType": break
            case "status": isFinal = value.string == "final"
            case "id": value.string.map { _ = ids.insert($0) }
            case "identifier":
                guard let uuid = Self.uuid(value) else { return nil }
                ids.insert(uuid)
            case "subject":
                guard value.members?.count == 1, value["reference"] != nil else { return nil }
            case "effectiveDateTime": start = value.string.flatMap(FHIRDateTime.init(text:))
            case "effectivePeriod":
                guard value.members?.count == 2 else { return nil }
                start = value["start"]?.string.flatMap(FHIRDateTime.init(text:))
                end = value["end"]?.string.flatMap(FHIRDateTime.init(text:))
                guard end != nil else { return nil }
            case "issued": issued = value.string.flatMap(FHIRDateTime.init(text:))
            case "valueQuantity":
                guard let quantity = Self.withoutValue(value) else { return nil }
                rest.append(JSONMember(name: member.name, value: quantity))
            case "category", "code", "device", "extension": rest.append(member)
            default: return nil
            }
        }
        // HealthKit's samples never change under their UUID.
        let codings = json["code"]?["coding"]?.elements ?? []
        let isHealthKit = codings.contains {
            $0["system"]?.string == ConceptNames.healthKit.rawValue
                && $0["code"]?.string?.hasPrefix("HK") == true
        }
        guard isFinal, isHealthKit, ids.count == 1, json["identifier"] != nil, let start, let issued else {
            return nil
        }
        self.start = start
        self.end = end
        self.issued = issued
        self.rest = JSONValue(members: rest)
    }

    /// The UUID of identifiers that are one.
    private static func uuid(_ identifiers: JSONValue) -> String? {
        guard identifiers.elements?.count == 1, let identifier = identifiers.elements?.first,
            identifier.members?.count == 2,
            identifier["system"]?.string == SampleConverter.identifierSystem.rawValue,
            let value = identifier["value"]?.string, value.hasPrefix("urn:uuid:")
        else { return nil }
        let text = String(value.dropFirst("urn:uuid:".utf8.count))
        return UUID(uuidString: text) == nil ? nil : text
    }

    private static func withoutValue(_ quantity: JSONValue) -> JSONValue? {
        var rest: [JSONMember] = []
        for member in quantity.members ?? [] {
            switch member.name {
            case "value": break
            case "unit", "system", "code": rest.append(member)
            default: return nil
            }
        }
        return JSONValue(members: rest)
    }

    /// Start and end in microseconds; `nil` for times that would not come back, or of a clock that was ahead.
    func times(received: FHIRDateTime) -> (start: Int, end: Int?)? {
        let written = [start, end, issued].compactMap { $0 }
        guard
            written.allSatisfy({ time in
                time.offset == start.offset && time.civil.second < 60
                    && time.civil.nanosecond % 1000 == 0 && !ObservedTime.isAhead(time, of: received)
            }), let start = start.microseconds, abs(self.start.offset ?? .max) <= 840
        else { return nil }
        let end = end?.microseconds
        guard issued.microseconds == end ?? start, end.map({ $0 > start }) ?? true else { return nil }
        return (start, end)
    }
}
