import FHIR
import Foundation
import IndivoModel

/// What makes a sample the same one in two files.
enum SampleIdentity {
    static func isUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }

    /// A UUID that a text determines (RFC 9562, version 8).
    static func uuid(of text: String) -> String { DigestUUID.text(SHA256.hash(text), version: 8) }
}

extension Sample {
    /// The sample's UUID in lower case; where its origin gives none, one that its type, source, points in time and value
    /// determine, so that the same sample has the same one in every export.
    ///
    /// Zones do not count: Apple's export writes all dates in the zone that the phone is in when it exports.
    public var identity: String { uuid?.lowercased() ?? SampleIdentity.uuid(of: fingerprint) }

    /// Everything that tells the sample from others, in one text.
    var fingerprint: String {
        let separator = "\u{1F}"
        let what: String =
            switch value {
            case .quantity(let quantity): "\(quantity.value)\(separator)\(quantity.unit.text)"
            case .category(let raw): raw.map(String.init) ?? ""
            case .correlation(let members): members.map(\.identity).sorted().joined(separator: separator)
            case .workout(let workout):
                ([workout.activity] + [workout.duration, workout.energy, workout.distance].map { $0.map { "\($0.value)\($0.unit.text)" } ?? "" })
                    .joined(separator: separator)
            case .electrocardiogram(let heart): heart.voltages.map(\.description).joined(separator: " ")
            case .stateOfMind(let state): ([state.kind, state.valence.description] + state.labels + state.associations).joined(separator: separator)
            case .clinicalRecord(let resource): resource.tree.text()
            }
        return [type, "\(start.microseconds ?? 0)", "\(end.microseconds ?? 0)", what, source?.name ?? ""].joined(separator: separator)
    }
}
