import Synchronization

/// The last requests, with why each was refused: for a developer who wonders about a 403.
final class RequestLog: Sendable {
    struct Entry: Sendable {
        var at: Timestamp
        var method, path: String
        var call = ""
        var status = 0
        /// Why it was refused, "" when it was not. Never holds a secret or a document.
        var reason = ""
    }

    private static let capacity = 100
    private let entries = Mutex<[Entry]>([])

    func append(_ entry: Entry) {
        entries.withLock { entries in
            entries.append(entry)
            if entries.count > RequestLog.capacity {
                entries.removeFirst(entries.count - RequestLog.capacity)
            }
        }
    }

    var latest: [Entry] { entries.withLock { $0.reversed() } }
}
