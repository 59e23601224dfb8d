import Foundation
import RecordCommands

/// How many files and sockets this process may have open.
enum OpenFiles {
    /// Raises the limit to what the system allows a process to ask for.
    ///
    /// - Throws: ``CommandFailure`` where that is fewer than are needed.
    static func raiseLimit(to count: Int) throws {
        var limit = rlimit()
        #if canImport(Darwin)
        let files = RLIMIT_NOFILE
        #else
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        guard limit.rlim_cur == rlim_t(count), setrlimit(files, &limit) == 0 else {
            throw CommandFailure(
                "so many studies need \(count) open files, and the system allows \(limit.rlim_max); "
                    + "raise it with ulimit -Hn, or LimitNOFILE of a systemd unit"
            )
        }
    }
}
