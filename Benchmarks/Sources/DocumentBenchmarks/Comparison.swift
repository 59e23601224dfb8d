/// Two ways to do the same, measured in turns in one process, so that what else the machine does hits both.
struct Comparison {
    let title: String
    let target: String
    let rounds: Int
    let ours: () -> Int
    let theirs: () -> Int

    /// The median of the rounds' ratios, ours to theirs, and the best time of ours in microseconds.
    func measure() -> (ratio: Double, best: Double) {
        let clock = ContinuousClock()
        var ratios: [Double] = []
        var best = Double.infinity
        var sink = ours() &+ theirs()
        for _ in 0..<rounds {
            let a = clock.measure { sink &+= ours() }
            let b = clock.measure { sink &+= theirs() }
            ratios.append(a / b)
            best = min(best, a / .microseconds(1))
        }
        precondition(sink != .min)
        return (ratios.sorted()[ratios.count / 2], best)
    }
}
