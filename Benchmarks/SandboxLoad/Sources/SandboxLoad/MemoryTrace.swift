import Foundation
import Synchronization

/// The memory of a server over a run, and whether it levels off.
final class MemoryTrace: Sendable {
    let first: Int

    private let server: ServerProcess
    private let step: Int
    private let samples: Mutex<[Int]>

    /// - Parameter step: After so many requests the memory is looked at.
    init(_ server: ServerProcess, step: Int) {
        self.server = server
        self.step = step
        first = server.residentMegabytes
        samples = Mutex([])
    }

    /// Looks at the memory when it is time to.
    func note(_ done: Int) -> Int? {
        guard done % step == 0 else { return nil }
        let megabytes = server.residentMegabytes
        samples.withLock { $0.append(megabytes) }
        return megabytes
    }

    /// What the first and the second half of the run added.
    private var growth: (first: Int, second: Int) {
        let all = [first] + samples.withLock { $0 }
        guard let last = all.last, all.count > 2 else { return (0, 0) }
        let middle = all[all.count / 2]
        return (middle - first, last - middle)
    }

    /// Whether the second half added next to nothing: a tenth of what there was at its beginning, at most.
    var levelsOff: Bool { growth.second <= max(4, (first + growth.first) / 10) }

    var verdict: String {
        "memory grew by \(growth.first) MB in the first half and by \(growth.second) MB in the second: "
            + (levelsOff ? "it levels off" : "it does not level off")
    }
}
