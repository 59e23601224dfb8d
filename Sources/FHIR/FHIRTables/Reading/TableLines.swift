extension String {
    /// The lines of a table, without comments and empty ones.
    var tableLines: some Sequence<Substring> {
        parts(separatedBy: UInt8(ascii: "\n")).lazy.filter { $0.utf8.first != UInt8(ascii: "#") }
    }
}

extension StringProtocol where UTF8View.SubSequence == Substring.UTF8View {
    /// The parts between bytes that separate, empty ones left out. By bytes, because characters take ten
    /// times as long.
    func parts(separatedBy separator: UInt8, maximum: Int = .max) -> [Substring] {
        utf8.split(separator: separator, maxSplits: maximum).map { Substring($0) }
    }

    /// The parts between spaces.
    var words: [Substring] { parts(separatedBy: UInt8(ascii: " ")) }

    /// The parts between commas.
    var listed: [String] { parts(separatedBy: UInt8(ascii: ",")).map(String.init) }

    /// How many spaces it begins with.
    var indent: Int { utf8.prefix { $0 == UInt8(ascii: " ") }.count }
}
