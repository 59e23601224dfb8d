import IndivoTesting
import Synchronization

/// What a soak counts.
struct Figures: Sendable {
    var accepted = 0
    /// Replacements of which the client knew only what a report tells.
    var fromReports = 0
    var delivered = 0
    /// Changes that were delivered although a request of theirs met a fault.
    var faultedDeliveries = 0
    var faults = 0
    var clientKills = 0
    var serverKills = 0
    var diskFaults = 0
    var setAside = 0
    /// Accepted, and neither on the server nor set aside; or not as they were queued.
    var lost = 0
    /// On the server more than once, or without having been accepted.
    var doubled = 0
    /// On the server in another order than they were queued.
    var misplaced = 0
    /// Requests for what the server had already, which it recognised.
    var repeated = 0
    /// Files and requests in which something could be read that nobody should.
    var readable = 0

    var kills: Int { clientKills + serverKills }
    var isClean: Bool { lost == 0 && doubled == 0 && misplaced == 0 && readable == 0 }

    static func += (total: inout Figures, more: Figures) {
        total.accepted += more.accepted
        total.fromReports += more.fromReports
        total.delivered += more.delivered
        total.faultedDeliveries += more.faultedDeliveries
        total.faults += more.faults
        total.clientKills += more.clientKills
        total.serverKills += more.serverKills
        total.diskFaults += more.diskFaults
        total.setAside += more.setAside
        total.lost += more.lost
        total.doubled += more.doubled
        total.misplaced += more.misplaced
        total.repeated += more.repeated
        total.readable += more.readable
    }
}

extension Figures: CustomStringConvertible {
    var description: String {
        "accepted \(accepted) (\(fromReports) from reports), "
            + "delivered \(delivered) (\(faultedDeliveries) through faults), faults \(faults), "
            + "disk faults \(diskFaults), kills \(kills) (client \(clientKills), server \(serverKills)), "
            + "lost \(lost), doubled \(doubled), out of order \(misplaced), set aside \(setAside), "
            + "recognised repeats \(repeated), readable \(readable)"
    }
}
