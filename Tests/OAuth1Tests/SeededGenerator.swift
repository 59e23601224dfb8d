/// A random generator that gives the same numbers every time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension String {
    /// Up to 30 characters, of ASCII for the most part, with control characters and characters of all planes.
    static func random(using generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            let limit: UInt32 = Bool.random(using: &generator) ? 0x7F : 0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
