import Foundation
import Indivo
import Synchronization

/// Clocks that stand still but when a call waits, and then go on by that wait at once.
final class TestTiming: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var waits: [Duration] = []
        var readings = 0
    }

    private let state = Mutex(State())
    private let start: Date
    private let random: Double

    /// - Parameters:
    ///   - start: The device's time at the beginning.
    ///   - random: What the dice show, every time: how much of the longest wait is waited.
    init(start: Date = Date(timeIntervalSince1970: 1_795_233_600), random: Double = 1) {
        self.start = start
        self.random = random
    }

    /// How long the calls waited, in order.
    var waits: [Duration] { state.withLock { $0.waits } }

    /// How often calls asked how late it is.
    var readings: Int { state.withLock { $0.readings } }

    /// Lets time pass, as while a server thinks.
    func pass(_ duration: Duration) { state.withLock { $0.elapsed += duration } }

    var timing: CallTiming {
        CallTiming(
            now: { self.start.addingTimeInterval(self.elapsed / .seconds(1)) },
            elapsed: { self.elapsed },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.waits.append(duration)
                    $0.elapsed += duration
                }
            },
            random: { self.random }
        )
    }

    private var elapsed: Duration {
        state.withLock { state in
            state.readings += 1
            return state.elapsed
        }
    }

    func options(
        retry: RetryPolicy = RetryPolicy(),
        maximumConcurrentCalls: Int = 8,
        plainHTTPHosts: Set<String> = [],
        sessions: any SessionStore<IndivoSession> = MemorySessionStore()
    ) -> IndivoServer.Options {
        IndivoServer.Options(
            retry: retry,
            maximumConcurrentCalls: maximumConcurrentCalls,
            plainHTTPHosts: plainHTTPHosts,
            sessions: sessions,
            timing: timing
        )
    }
}
