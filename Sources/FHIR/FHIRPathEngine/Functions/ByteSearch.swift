/// Finds a text in another, in time that grows with the lengths of both and not with their product (Knuth,
/// Morris and Pratt): both may be untrusted.
struct ByteSearch {
    private let part: [UInt8]
    /// For the part up to each of its bytes, how long the longest shorter beginning of it is that it ends
    /// with.
    private let borders: [Int32]

    /// - Parameter text: What is to be found; compared as UTF-8.
    init(_ text: String) {
        part = Array(text.utf8)
        var borders: [Int32] = Array(repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = Int(borders[length - 1]) }
            if part[index] == part[length] { length += 1 }
            borders[index] = Int32(truncatingIfNeeded: length)
        }
        self.borders = borders
    }

    /// Calls `body` with the offset of each occurrence, until it returns false. An empty text is found at the
    /// beginning.
    ///
    /// - Parameter overlapping: Whether an occurrence may begin inside another.
    func forEachStart(in text: String, overlapping: Bool, _ body: (Int) -> Bool) {
        guard !part.isEmpty else {
            _ = body(0)
            return
        }
        var length = 0
        for (offset, byte) in text.utf8.enumerated() {
            while length > 0, byte != part[length] { length = Int(borders[length - 1]) }
            if byte == part[length] { length += 1 }
            guard length == part.count else { continue }
            guard body(offset + 1 - length) else { return }
            length = overlapping ? Int(borders[length - 1]) : 0
        }
    }
}
