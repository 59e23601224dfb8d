import FHIR
import Foundation

/// The time of a fact: as it was written, unless that is later than its receipt. Nothing is observed after it
/// was received: such a clock was ahead.
struct ObservedTime {
    /// How many seconds correct clocks may differ.
    static let tolerance: TimeInterval = 300

    /// The time that a fact has.
    let time: WarehouseTime
    /// Whether that is the time of receipt, since the written time is later.
    let isAhead: Bool

    init(_ written: FHIRDateTime, received: FHIRDateTime) {
        isAhead = Self.isAhead(written, of: received)
        time = WarehouseTime(isAhead ? received : written)
    }

    static func isAhead(_ written: FHIRDateTime, of received: FHIRDateTime) -> Bool {
        latest(received: received) < WarehouseTime(written)
    }

    /// The latest time that a correct clock can show.
    static func latest(received: FHIRDateTime) -> WarehouseTime {
        WarehouseTime(received.instant.map { FHIRDateTime($0.addingTimeInterval(tolerance)) } ?? received)
    }

    /// The modifiers that keep the time as it was written: none where the fact's own time is all of it, in
    /// UTC and to the second.
    static func modifiers(_ written: FHIRDateTime, received: FHIRDateTime) -> [(
        code: String, value: FactValue
    )] {
        guard written.description != WarehouseTime(written).xml || isAhead(written, of: received) else {
            return []
        }
        let value = FactValue(text: written.description)
        let time = (code: FactModifier.time, value: value)
        return isAhead(written, of: received) ? [time, (code: FactModifier.clock, value: value)] : [time]
    }
}
