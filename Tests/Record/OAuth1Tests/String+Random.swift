import IndivoBase

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
