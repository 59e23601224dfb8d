import FHIR
import Foundation
import IndivoBase
import UCUM

/// What makes a sample the same one in two files.
enum SampleIdentity {
    static func isUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }

    /// A UUID that a text determines (RFC 9562, version 8).
    static func uuid(of text: String) -> String { DigestUUID.text(SHA256Sum.hash(text), version: 8) }
}

extension Sample {
    /// The sample's UUID in lower case. Where its origin gives none, a UUID made from its type, source,
    /// start, end and value, so that the same sample has the same identity in the next export.
    ///
    /// Apple's export writes all dates in the phone's current time zone, and all numbers in the units that
    /// the phone prefers, with six digits. Therefore zones, units and trailing zeros do not count. Numbers
    /// are compared in the unit that the type has in FHIR, with five digits where the unit has a dimension.
    /// When the phone prefers another unit than in the export before, 5 to 10 of 100 numbers are still
    /// rounded differently, and those samples get another identity.
    ///
    /// Samples of one source, type and time with different numbers, foods or identifiers of other apps are
    /// different samples: a meal has several foods.
    public var identity: String {
        uuid?.lowercased() ?? SampleIdentity.uuid(of: ([fingerprint] + marks).joined(separator: "\u{1F}"))
    }

    /// What distinguishes two samples with the same numbers.
    private var marks: [String] {
        ["HKFoodType", "HKExternalUUID", "HKMetadataKeySyncIdentifier"].compactMap { key in
            guard case .text(let text)? = metadata[key] else { return nil }
            return "\(key)=\(text)"
        }
    }

    /// Type, points in time, value and source, in one text. The record of a correlation's member may have
    /// other metadata.
    package var fingerprint: String {
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
            case .electrocardiogram(let heart):
                heart.voltages.map(SampleNumber.canonical).joined(separator: " ")
            case .stateOfMind(let state):
                ([state.kind, SampleNumber.canonical(state.valence)] + state.labels + state.associations)
                    .joined(separator: separator)
            case .clinicalRecord(let resource): resource.tree.text()
            case .activitySummary(let summary): summary.fingerprint
            case .audiogram(let audiogram): audiogram.fingerprint
            case .workoutRoute(let route): route.fingerprint
            }
        // The day of a summary is not a point in time: where it begins depends on the export.
        let times: [String] =
            if case .activitySummary(let summary) = value {
                [summary.day.description]
            } else {
                [start, end].map { "\($0.microseconds ?? 0)" }
            }
        return ([type] + times + [what, source?.name ?? ""]).joined(separator: separator)
    }
}

extension SampleQuantity {
    /// The number as it compares with that of another export, in the unit of its type.
    fileprivate func canonical(_ own: HealthMapping.Entry.Unit?) -> String {
        if let accepts = own?.accepts, unit == .healthKit(accepts) { return SampleNumber.canonical(value) }
        return canonical(in: own?.ucum)
    }

    /// - Parameter target: Nil for types that are unknown: theirs are compared in the base units of the
    ///   dimension.
    fileprivate func canonical(in target: UCUMUnit?) -> String {
        if let target {
            if let found = try? value(in: target), let decimal = found.decimal {
                // Counts and fractions have one unit, and keep all their digits.
                let isCount = target.isCommensurable(with: .one)
                return SampleNumber.canonical(
                    isCount ? decimal : SampleNumber.significant(decimal, digits: 5)
                )
            }
        } else if let decimal = value.decimal, let found = try? unit.ucum.baseValue(of: decimal) {
            return SampleNumber.canonical(SampleNumber.significant(found, digits: 12))
        }
        return "\(SampleNumber.canonical(value))\u{1F}\(unit.text)"
    }
}

private let separator = "\u{1F}"

extension ActivitySummary {
    fileprivate var fingerprint: String {
        Self.members.map { name, path in
            let target = name.hasPrefix("active") ? SampleConverter.kilocalorie : nil
            return self[keyPath: path]?.canonical(in: target) ?? ""
        }
        .joined(separator: separator)
    }
}

extension Audiogram {
    fileprivate var fingerprint: String {
        points.map { point in
            let levels = Point.ears.map { point[keyPath: $0.path]?.sensitivity.canonical(in: nil) ?? "" }
            return ([point.frequency.canonical(in: nil)] + levels).joined(separator: " ")
        }
        .joined(separator: separator)
    }
}

extension WorkoutRoute {
    fileprivate var fingerprint: String {
        locations.map { place in
            [
                "\(place.time.microseconds ?? 0)", SampleNumber.canonical(place.latitude),
                SampleNumber.canonical(place.longitude),
            ].joined(separator: " ")
        }
        .joined(separator: separator)
    }
}
