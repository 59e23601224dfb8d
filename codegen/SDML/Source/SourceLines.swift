/// Where the lines of a file start, which gives the location of any byte.
struct SourceLines {
    private let file: SourceFile
    /// The index of each line's first byte. A line ends with LF, CR LF or CR; a byte order mark is no column.
    private let starts: [Int]

    init(_ file: SourceFile) {
        self.file = file
        let bytes = file.bytes
        let ends = bytes.indices.filter { index in
            bytes[index] == 0x0A || bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
        }
        starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0] + ends.map { $0 + 1 }
    }

    /// The line and column, in Unicode scalars, of the byte at an index.
    func location(ofByte index: Int) -> SourceLocation {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        let before = file.bytes[min(starts[low], index)..<index]
        return SourceLocation(path: file.path, line: low + 1, column: before.count { $0 & 0xC0 != 0x80 } + 1)
    }
}
