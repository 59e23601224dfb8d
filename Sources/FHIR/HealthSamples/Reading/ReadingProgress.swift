/// How many bytes were read, who gets the number, and whether reading continues.
final class ReadingProgress {
    private(set) var bytes = 0
    private let report: (Int) throws -> Void

    init(_ report: @escaping (Int) throws -> Void) { self.report = report }

    /// - Throws: `CancellationError`, or what the receiver of the number throws.
    func check() throws {
        try Task.checkCancellation()
        try report(bytes)
    }

    func add(_ count: Int) { bytes += count }

    /// The source, its bytes counted.
    func counting(_ source: ByteSource) -> ByteSource {
        ByteSource { [self] in
            try check()
            let piece = try source.next()
            add(piece?.count ?? 0)
            return piece
        }
    }

    /// The sum of sizes, without overflow: an archive may claim any size.
    static func sum(_ sizes: [UInt64], times factor: UInt64 = 1) -> Int {
        let longest = UInt64(1) << 60
        return Int(sizes.reduce(0) { min(longest, $0 + min(longest, $1)) } * factor)
    }
}
