import Foundation
import IndivoBase

/// A queued item as it is kept: the head of its file. The file's body is the payload.
struct QueueEntry: Codable, Sendable, Hashable {
    var id: QueueItem.ID
    var orderKey: String
    var predecessor: QueueItem.ID?
    /// Seconds since 1970-01-01T00:00:00Z.
    var queuedAt: Double
    /// In bytes; `nil` without a payload.
    var payloadSize: Int?
    var header: Data
}

/// How far the delivery of an item has come.
struct QueueProgress: Codable, Sendable {
    /// The deliverer's own.
    var notes: Data?
    /// How often the item failed.
    var failures = 0
    /// Why the item was set aside.
    var setAside: String?
}

/// What became of an item.
struct QueueReceipt: Codable, Sendable {
    var entry: QueueEntry
    /// What the deliverer gave for it.
    var receipt: Data
    /// Seconds since 1970-01-01T00:00:00Z.
    var deliveredAt: Double
}

/// An item, as the files with its number describe it.
struct StoredItem: Sendable {
    var item: QueueItem
    /// What its delivery continues with; `nil` for an item that is delivered or damaged.
    var pending: (progress: QueueProgress, mark: SealedFile.Mark)?
}

extension SealedFile {
    /// Where a file belongs. Its name is twelve digits and a kind, or the kind alone for the queue's own
    /// files.
    struct Place: CustomStringConvertible {
        let kind: Kind
        /// The queue's identity.
        let queue: Data
        /// 1 and more for items, 0 for the queue's own files.
        let number: Int

        /// The largest number that a name has digits for.
        static let largestNumber = 999_999_999_999

        var description: String {
            guard number > 0 else { return "\(kind)" }
            let digits = String(number)
            return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits + ".\(kind)"
        }

        /// The items' files in a folder.
        static func all(in folder: String, of queue: Data) throws -> [Place] {
            try Disk.names(in: folder).compactMap { Place($0, of: queue) }
        }
    }
}

extension SealedFile.Place {
    /// Reads the name of an item's file; `nil` for any other name.
    init?(_ name: String, of queue: Data) {
        guard let number = Int(name.prefix(12)), number > 0 else { return nil }
        let places = [SealedFile.Kind.item, .progress, .receipt].map {
            Self(kind: $0, queue: queue, number: number)
        }
        guard let place = places.first(where: { "\($0)" == name }) else { return nil }
        self = place
    }
}
