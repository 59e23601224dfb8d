import Foundation

/// Two ways to do the same, measured in turns in one process, so that what else the machine does hits both.
struct Comparison {
    let title: String
    let target: String
    let rounds: Int
    let ours: () -> Int
    let theirs: () -> Int

    /// The median of the rounds' ratios, ours to theirs, and the best time of each in microseconds.
    func measure() -> (ratio: Double, ours: Double, theirs: Double) {
        var ratios: [Double] = []
        var best = (ours: Double.infinity, theirs: Double.infinity)
        var sink = ours() &+ theirs()
        for _ in 0..<rounds {
            let start = Comparison.now()
            sink &+= ours()
            let middle = Comparison.now()
            sink &+= theirs()
            let end = Comparison.now()
            ratios.append((middle - start) / (end - middle))
            best = (min(best.ours, middle - start), min(best.theirs, end - middle))
        }
        precondition(sink != .min)
        return (ratios.sorted()[ratios.count / 2], best.ours, best.theirs)
    }

    /// Measures, and prints a line of the table.
    func report() {
        let (ratio, ours, theirs) = measure()
        print(
            String(format: "%5.2f", ratio) + "  " + target.padding(toLength: 6, withPad: " ", startingAt: 0)
                + String(format: "  %9.0f  %9.0f  ", ours, theirs) + title)
    }

    /// The processor time of this thread in microseconds: what others do on the machine is no part of it.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
