/// Two ways to do the same, compared.
///
/// The method, the same for everything that is measured here:
///
/// - Both run in one process, in turns: some rounds of ours, some of theirs, and again. What else the machine
///   does, and how fast it runs at the moment, hits both. The quicker one does more rounds, up to 50 for one,
///   so that both are measured for about as long.
/// - A turn gives one ratio, of our time a round to theirs; the result is the median of the turns' ratios.
///   One turn that something came between makes no difference.
/// - What is counted is processor time in microseconds, of the thread or the process, and not the time that
///   goes by.
/// - The first round of each in a turn is not counted: it pays for what the other left in the C library's
///   heap and in the caches.
/// - Every round's result is added up, so that no compiler leaves the work out.
public struct Comparison {
    /// What two ways took.
    public struct Result {
        /// The median of the turns' ratios, ours to theirs.
        public let ratio: Double
        /// The best turn of ours, in microseconds a round.
        public let ours: Double
        /// The best turn of theirs, in microseconds a round.
        public let theirs: Double
    }

    private let rounds: Int
    private let scope: ProcessorTime.Scope
    private let ours: () -> Int
    private let theirs: () -> Int

    /// - Parameters:
    ///   - rounds: How many rounds of the slower one are counted, at least two.
    ///   - scope: Whose processor time is counted.
    ///   - ours: Our way; its result says that it was done.
    ///   - theirs: The other way.
    public init(
        rounds: Int,
        scope: ProcessorTime.Scope = .thread,
        ours: @escaping () -> Int,
        theirs: @escaping () -> Int
    ) {
        self.rounds = rounds
        self.scope = scope
        self.ours = ours
        self.theirs = theirs
    }

    /// Does it.
    public func measure() -> Result {
        let length = rounds >= 40 ? 10 : 2
        let first = (
            ours: ProcessorTime.ofRound(1, scope, ours), theirs: ProcessorTime.ofRound(1, scope, theirs)
        )
        func more(_ a: Double, _ b: Double) -> Int { length * Int(min(50, max(1, b / a))) }
        let counts = (ours: more(first.ours, first.theirs), theirs: more(first.theirs, first.ours))
        var ratios: [Double] = []
        var best = (ours: Double.infinity, theirs: Double.infinity)
        for _ in 0..<max(1, rounds / length) {
            let a = ProcessorTime.ofRound(counts.ours, scope, ours)
            let b = ProcessorTime.ofRound(counts.theirs, scope, theirs)
            ratios.append(a / b)
            best = (min(best.ours, a), min(best.theirs, b))
        }
        return Result(ratio: ratios.sorted()[ratios.count / 2], ours: best.ours, theirs: best.theirs)
    }
}
