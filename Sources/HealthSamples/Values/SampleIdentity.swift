import FHIR
import Foundation
import IndivoModel
import UCUM

/// What makes a sample the same one in two files.
enum SampleIdentity {
    static func isUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }

    /// A UUID that a text determines (RFC 9562, version 8).
    static func uuid(of text: String) -> String { DigestUUID.text(SHA256.hash(text), version: 8) }
}

extension Sample {
    /// The sample's UUID in lower case; where its origin gives none, one that its type, source, points in time and value
    /// determine, so that the same sample has the same one in the next export.
    ///
    /// Zones, units and zeros at the end do not count: Apple's export writes all dates in the zone that the phone is in when it
    /// exports, and all numbers in the units that it then prefers, with six digits. So numbers are compared in the unit that the
    /// type has in FHIR; where it has a dimension, with five digits. When the phone prefers another unit, 5 to 10 of 100 numbers
    /// are rounded to others all the same, and those samples get another identity. Different numbers, foods and identifiers of
    /// other apps of one source, type and time are different samples: a meal has several foods.
    public var identity: String {
        uuid?.lowercased() ?? SampleIdentity.uuid(of: ([fingerprint] + marks).joined(separator: "\u{1F}"))
    }

    /// What tells two samples with the same numbers apart.
    private var marks: [String] {
        ["HKFoodType", "HKExternalUUID", "HKMetadataKeySyncIdentifier"].compactMap { key in
            guard case .text(let text)? = metadata[key] else { return nil }
            return "\(key)=\(text)"
        }
    }

    /// Type, points in time, value and source, in one text. The record of a correlation's member may have other metadata.
    var fingerprint: String {
        let separator = "\u{1F}"
        let what: String =
            switch value {
            case .quantity(let quantity): quantity.canonical(HealthMapping.standard.types[type]?.unit)
            // HealthKit's 0 of a type without values is what a file leaves out.
            case .category(let raw): String(raw ?? 0)
            case .correlation(let members): members.map(\.identity).sorted().joined(separator: separator)
            case .workout(let workout):
                [
                    workout.activity, workout.duration?.canonical(in: SampleConverter.minute) ?? "",
                    workout.energy?.canonical(in: SampleConverter.kilocalorie) ?? "",
                    workout.distance?.canonical(in: SampleConverter.metre) ?? "",
                ].joined(separator: separator)
            case .electrocardiogram(let heart): heart.voltages.map(SampleNumber.canonical).joined(separator: " ")
            case .stateOfMind(let state):
                ([state.kind, SampleNumber.canonical(state.valence)] + state.labels + state.associations)
                    .joined(separator: separator)
            case .clinicalRecord(let resource): resource.tree.text()
            }
        return [type, "\(start.microseconds ?? 0)", "\(end.microseconds ?? 0)", what, source?.name ?? ""].joined(separator: separator)
    }
}

extension SampleQuantity {
    /// The number as it compares with that of another export, in the unit of its type.
    fileprivate func canonical(_ own: HealthMapping.Entry.Unit?) -> String {
        if let accepts = own?.accepts, unit == .healthKit(accepts) { return SampleNumber.canonical(value) }
        return canonical(in: own?.ucum)
    }

    /// - Parameter target: Nil for types that are unknown: theirs are compared in the base units of the dimension.
    fileprivate func canonical(in target: UCUMUnit?) -> String {
        if let target {
            if let found = try? value(in: target), let decimal = found.decimal {
                // Counts and fractions have one unit, and keep all their digits.
                let isCount = target.isCommensurable(with: .one)
                return SampleNumber.canonical(isCount ? decimal : SampleNumber.significant(decimal, digits: 5))
            }
        } else if let decimal = value.decimal, let found = try? unit.ucum.baseValue(of: decimal) {
            return SampleNumber.canonical(SampleNumber.significant(found, digits: 12))
        }
        return "\(SampleNumber.canonical(value))\u{1F}\(unit.text)"
    }
}
