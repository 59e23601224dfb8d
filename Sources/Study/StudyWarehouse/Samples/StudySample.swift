import Crypto
import FHIR
import HealthSamples
import IndivoBase
import OrderedJSON

/// One number that a phone or watch measured, as a row of columns.
///
/// It keeps everything of its Observation except the sample's UUID, of which only a digest is kept, and zeros
/// at the end of the fraction. ``observation(of:)`` makes the Observation again.
public struct StudySample: Sendable, Hashable {
    /// What is measured.
    public struct Kind: Sendable, Hashable, Comparable {
        /// The code of its concept.
        public let concept: String
        /// What the code stands for in full.
        public let key: String
        /// The unit, a code of UCUM.
        public let unit: String

        package init(concept: String, key: String, unit: String) {
            self.concept = concept
            self.key = key
            self.unit = unit
        }

        public static func < (a: Self, b: Self) -> Bool { (a.concept, a.unit) < (b.concept, b.unit) }
    }

    /// The digest of what identifies it: with the participant and the start it is a sample's key.
    public let id: Int
    /// What is measured.
    public let kind: Kind
    /// When it began, in microseconds since 1970.
    public let start: Int
    /// When it ended, in microseconds since 1970; `nil` for a moment.
    public let end: Int?
    /// The number.
    public let value: Double
    /// The zone in which it was measured, in minutes east of Greenwich.
    public let offset: Int
    /// The rest of its Observation: category, codes, unit, device and metadata, as JSON.
    public private(set) var source: String

    // MARK: Identity

    /// The prefix of the ids of visits that are Observations of HealthSamples.
    static let visitPrefix = "Observation/\(SampleConverter.identifierSystem.rawValue)|urn:uuid:"

    /// The digest of a visit's id; `nil` for a visit that is not a sample.
    package static func id(ofVisit key: String) -> Int? {
        guard key.hasPrefix(visitPrefix) else { return nil }
        return id(ofIdentity: Array("\(identityPrefix)\(key)".utf8))
    }

    /// The prefix of a visit's identity before it is digested.
    static let identityPrefix = "study sample\n"

    /// The digest of a visit's id behind ``identityPrefix``, in UTF-8.
    static func id(ofIdentity bytes: [UInt8]) -> Int {
        SHA256.hash(data: bytes).withUnsafeBytes { digest in
            Int(bigEndian: digest.loadUnaligned(as: Int.self))
        }
    }

    package init(id: Int, kind: Kind, start: Int, end: Int?, value: Double, offset: Int, source: String) {
        self.id = id
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value
        self.offset = offset
        self.source = source
    }

    /// The same sample with another source.
    func withSource(_ source: String) -> StudySample {
        var sample = self
        sample.source = source
        return sample
    }

    // MARK: Days

    static let microsecondsOfMinute = 60_000_000
    static let microsecondsOfDay = 1440 * microsecondsOfMinute

    /// The day on which it began where it was measured, in days since 1970.
    var day: Int {
        (start + offset * Self.microsecondsOfMinute).flooredQuotient(by: Self.microsecondsOfDay)
    }

    /// The month of a time in UTC, counted from January 2000.
    static func month(of microseconds: Int) -> Int {
        let civil = CivilDateTime(microseconds: microseconds)
        return (civil.year - 2000) * 12 + civil.month - 1
    }

    // MARK: The Observation

    /// When it ended, also for a moment.
    private var lastMoment: Int { end ?? start }

    private func text(_ microseconds: Int) -> JSONValue {
        JSONValue(FHIRDateTime(microseconds: microseconds, offset: offset)?.description ?? "")
    }

    /// The fields that decide which of two samples with the same identity is newer.
    package var versionFields: JSONValue { ["status": "final", "issued": text(lastMoment)] }

    /// The Observation, with a pseudonym for its subject.
    public func observation(of pseudonym: String) -> JSONValue {
        var json: JSONValue = ["resourceType": "Observation"]
        let bits = UInt(bitPattern: id)
        json["id"] = JSONValue(
            Hexadecimal.encode((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
        )
        json["status"] = "final"
        json["subject"] = ["reference": JSONValue("Patient/\(pseudonym)")]
        if let end {
            json["effectivePeriod"] = ["start": text(start), "end": text(end)]
        } else {
            json["effectiveDateTime"] = text(start)
        }
        json["issued"] = text(lastMoment)
        let rest = (try? JSONValue(parsing: source)) ?? [:]
        for member in rest.members ?? [] where member.name != "valueQuantity" {
            json[member.name] = member.value
        }
        var quantity: JSONValue = ["value": FHIRDecimal(value)?.tree ?? .null]
        for member in rest["valueQuantity"]?.members ?? [] { quantity[member.name] = member.value }
        json["valueQuantity"] = quantity
        return json
    }
}
