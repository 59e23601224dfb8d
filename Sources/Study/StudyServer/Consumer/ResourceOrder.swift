import FHIR
import Foundation
import OrderedJSON
import StudyWarehouse

/// What decides which of two resources of one visit is the newer one: the phone's sequence, where both have
/// it; else the times of their changes, unless a clock was ahead; then the order in which they were received.
struct ResourceOrder: Sendable {
    /// The phone's own number of the version, `meta.versionId`; `nil` where that is not a number.
    let version: Int?
    /// When it says that it was changed.
    let changed: WarehouseTime?
    /// When it was received.
    let received: WarehouseTime
    /// Whether it was changed after it was received, by its own clock.
    let isAhead: Bool
    /// Where the times do not decide, a resource of a higher rank replaces those of lower ones.
    let rank: Int

    init(_ resource: JSONValue, received: FHIRDateTime) {
        let changed = Self.changed(resource)
        version = Self.version(resource)
        self.changed = changed.map(WarehouseTime.init)
        self.received = WarehouseTime(received)
        isAhead = changed.map { Self.isAhead($0, of: received) } ?? false
        rank = Self.rank(resource)
    }

    /// The phone's own number of a resource's version.
    static func version(_ resource: JSONValue) -> Int? {
        resource["meta"]?["versionId"]?.string.flatMap { Int($0) }
    }

    /// When a resource says that it was last changed.
    static func changed(_ resource: JSONValue) -> FHIRDateTime? {
        let time =
            resource["meta"]?["lastUpdated"]?.string ?? resource["authored"]?.string
            ?? resource["issued"]?.string
        return time.flatMap(FHIRDateTime.init(text:))
    }

    /// The rank: higher for corrections and retractions, lower for what is not final.
    static func rank(_ resource: JSONValue) -> Int {
        switch resource["status"]?.string {
        case "entered-in-error", "cancelled": 3
        case "amended", "corrected", "appended": 2
        case "registered", "preliminary", "in-progress": 0
        default: 1
        }
    }

    /// Even correct clocks differ by some minutes.
    private static func isAhead(_ time: FHIRDateTime, of received: FHIRDateTime) -> Bool {
        let latest = received.instant.map { FHIRDateTime($0.addingTimeInterval(300)) } ?? received
        return WarehouseTime(latest) < WarehouseTime(time)
    }

    /// Whether this one changes nothing, since the other is newer.
    func isOlder(than other: ResourceOrder) -> Bool {
        if let version, let otherVersion = other.version, version != otherVersion {
            return version < otherVersion
        }
        let change = changed ?? received
        let otherChange = other.changed ?? other.received
        if isAhead || other.isAhead || change == otherChange {
            return received == other.received ? change < otherChange : received < other.received
        }
        // A clock that was ahead may have been set right before anything was received. Then the times say
        // that a correction is older than what it corrects.
        let isEarlier = change < otherChange
        let isLate = isEarlier ? received > other.received : received < other.received
        if isLate, rank != other.rank { return rank < other.rank }
        return isEarlier
    }
}
