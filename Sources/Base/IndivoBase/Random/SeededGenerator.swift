/// Random numbers that a seed determines (SplitMix64): the same seed gives the same numbers.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Numbers that the seed decides.
    public init(seed: UInt64) { state = seed }

    /// A generator for a part of what a seed determines, independent of those for other parts.
    public init(seed: UInt64, part: Int...) {
        var mixed = SeededGenerator(seed: seed)
        for number in part { mixed = SeededGenerator(seed: mixed.next() ^ UInt64(bitPattern: Int64(number))) }
        self = mixed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Whether an event with this probability happens.
    public mutating func happens(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
