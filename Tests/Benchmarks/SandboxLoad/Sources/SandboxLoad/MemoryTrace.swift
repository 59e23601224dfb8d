import Foundation
import Synchronization

/// The memory of a server over a run, and whether it levels off.
///
/// Looked at is what the process holds of its own (anonymous pages): program and libraries, which are mapped
/// from their files, are not among it, and neither is a database that is a file, but for the pages that
/// SQLite caches.
final class MemoryTrace: Sendable {
    /// So many megabytes may the last third of a run add.
    ///
    /// For 100,000 requests: the nonces of 33,000 requests, which are remembered for five minutes (at most 4
    /// MB when their table doubles), and 4 MB for what an allocator keeps to itself.
    static let bound = 8.0

    let first: Double

    private let server: ServerProcess
    private let step: Int
    private let samples: Mutex<[Double]>

    /// - Parameter step: After so many requests the memory is looked at.
    init(_ server: ServerProcess, step: Int) {
        self.server = server
        self.step = step
        first = server.ownMegabytes
        samples = Mutex([])
    }

    /// Looks at the memory when it is time to.
    func note(_ done: Int) -> Double? {
        guard done % step == 0 else { return nil }
        let megabytes = server.ownMegabytes
        samples.withLock { $0.append(megabytes) }
        return megabytes
    }

    /// What each third of the run added.
    private var growth: [Double] {
        let all = [first] + samples.withLock { $0 }
        let marks = (0...3).map { all[(all.count - 1) * $0 / 3] }
        return zip(marks, marks.dropFirst()).map { $1 - $0 }
    }

    /// Whether there are samples enough, and the last third of the run added no more than ``bound``.
    var levelsOff: Bool { samples.withLock { $0.count } >= 3 && (growth.last ?? 0) <= MemoryTrace.bound }

    var errorClass: String {
        let parts = growth.map { String(format: "%+.1f", $0) }
        return "the thirds of the run changed the server's memory by \(parts.joined(separator: ", ")) MB; "
            + String(format: "the last may add %.0f MB: ", MemoryTrace.bound)
            + (levelsOff ? "it levels off" : "IT DOES NOT LEVEL OFF")
    }
}
