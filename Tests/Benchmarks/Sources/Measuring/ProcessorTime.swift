import Foundation

/// The processor time of a thread: what others do on the machine is no part of it.
public enum ProcessorTime {
    /// Whose processor time is counted.
    public enum Scope: Sendable {
        /// That of the calling thread.
        case thread
        /// That of all threads of the process, for work that changes threads.
        case process
    }

    /// What the scope has taken so far, in microseconds.
    public static func now(_ scope: Scope = .thread) -> Double {
        var time = timespec()
        clock_gettime(scope == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// What one round takes on average, in microseconds; one more is done before, and not counted.
    public static func ofRound(_ rounds: Int, _ scope: Scope = .thread, _ body: () -> Int) -> Double {
        var sum = body()
        let start = now(scope)
        for _ in 0..<rounds { sum &+= body() }
        let end = now(scope)
        precondition(sum != .min)
        return (end - start) / Double(rounds)
    }

    /// The least that a round takes, in microseconds: the best of some turns of ten.
    public static func best(ofTurns turns: Int, _ body: () -> Int) -> Double {
        (0..<turns).reduce(Double.infinity) { best, _ in min(best, ofRound(10, .thread, body)) }
    }
}
