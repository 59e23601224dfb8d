import Foundation

/// Two ways to do the same, measured in turns in one process, so that what else the machine does hits both.
struct Comparison {
    let title: String
    let target: String
    let rounds: Int
    let ours: () -> Int
    let theirs: () -> Int

    /// The median of the turns' ratios, ours to theirs, and the best time of each in microseconds.
    ///
    /// A turn is some rounds of ours, then as many of theirs. The first of each is not counted: it pays for what the
    /// other left in the C library's heap.
    func measure() -> (ratio: Double, ours: Double, theirs: Double) {
        let length = rounds >= 40 ? 10 : 2
        var ratios: [Double] = []
        var best = (ours: Double.infinity, theirs: Double.infinity)
        for _ in 0..<max(1, rounds / length) {
            let a = Comparison.time(length, ours)
            let b = Comparison.time(length, theirs)
            ratios.append(a / b)
            best = (min(best.ours, a), min(best.theirs, b))
        }
        return (ratios.sorted()[ratios.count / 2], best.ours, best.theirs)
    }

    private static func time(_ rounds: Int, _ body: () -> Int) -> Double {
        var sink = body()
        let start = now()
        for _ in 0..<rounds { sink &+= body() }
        let end = now()
        precondition(sink != .min)
        return (end - start) / Double(rounds)
    }

    /// Measures, and prints a line of the table.
    func report() {
        let (ratio, ours, theirs) = measure()
        print(
            String(format: "%5.2f", ratio) + "  " + target.padding(toLength: 6, withPad: " ", startingAt: 0)
                + String(format: "  %9.0f  %9.0f  ", ours, theirs) + title)
    }

    /// The processor time of this thread in microseconds: what others do on the machine is no part of it.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
