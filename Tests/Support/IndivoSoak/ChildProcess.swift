import Foundation
import Synchronization

/// A process of this executable, which can be killed at any moment from any thread.
final class ChildProcess: Sendable {
    private struct State {
        var isRunning = true
        /// As `waitpid` gives it.
        var status: Int32 = 0
    }

    private let identifier: pid_t
    private let state = Mutex(State())

    /// - Parameter output: The file to which the process's standard output is added.
    init(_ arguments: [String], output: String) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
        var pointers = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable, &actions, nil, &pointers, environ)
        guard code == 0 else {
            throw SoakFailure("cannot start \(executable): \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
    }

    deinit { kill() }

    /// Kills the process, unless it ended before.
    func kill() {
        state.withLock { state in
            // As long as nobody waited for it the number is this process's, even when it has ended.
            if state.isRunning { _ = Foundation.kill(identifier, SIGKILL) }
        }
    }

    enum End: Equatable {
        case exited(Int32)
        case killed
    }

    /// How the process ended; nil while it runs.
    var end: End? {
        state.withLock { state in
            if state.isRunning {
                guard waitpid(identifier, &state.status, WNOHANG) == identifier else { return nil }
                state.isRunning = false
            }
            // The lower seven bits are the signal, the byte above them the exit status.
            return state.status & 0x7F == 0 ? .exited(state.status >> 8 & 0xFF) : .killed
        }
    }
}
