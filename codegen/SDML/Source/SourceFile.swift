/// A file of models or notes, as bytes with a name.
///
/// Parsing never touches the disk: whoever calls it reads the files. That keeps the compiler's stages plain
/// functions.
public struct SourceFile: Sendable, Hashable {
    /// The path under which problems are reported, as the user wrote it.
    public let path: String
    /// A name that is the same on every machine, for what is generated: the path below the folder that was
    /// given.
    public let name: String
    /// The content, supposed to be UTF-8.
    public let bytes: [UInt8]

    /// A file from its bytes; `name` is the last component of `path` unless it is given.
    public init(path: String, name: String? = nil, bytes: [UInt8]) {
        self.path = path
        self.name = name ?? path.split(separator: "/").last.map(String.init) ?? path
        self.bytes = bytes
    }

    /// A file from its text.
    public init(path: String, name: String? = nil, text: String) {
        self.init(path: path, name: name, bytes: Array(text.utf8))
    }
}

/// A position in a file: line and column count from 1, columns in Unicode scalars.
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The path of the file, as the user wrote it.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// A position in the file at `path`.
    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    /// `path:line:column`, as compilers write it.
    public var description: String { "\(path):\(line):\(column)" }

    /// By path, then line, then column.
    public static func < (a: SourceLocation, b: SourceLocation) -> Bool {
        (a.path, a.line, a.column) < (b.path, b.line, b.column)
    }
}

/// Where the lines of a file start, which gives the location of any byte.
struct SourceLines {
    private let file: SourceFile
    /// The index of each line's first byte. Lines end with LF, CR LF or CR; a byte order mark has no column.
    private let starts: [Int]
    /// How many scalars begin before each block of bytes, so that columns of a long line take no longer than
    /// those of a short one.
    private let scalars: [Int]
    private static let blockSize = 256

    init(_ file: SourceFile) {
        self.file = file
        let bytes = file.bytes
        let ends = bytes.indices.filter { index in
            bytes[index] == 0x0A
                || bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
        }
        starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0] + ends.map { $0 + 1 }
        var scalars = [0]
        for start in stride(from: 0, to: bytes.count, by: Self.blockSize) {
            let block = bytes[start..<min(start + Self.blockSize, bytes.count)]
            scalars.append(scalars[scalars.count - 1] + Self.scalarCount(block))
        }
        self.scalars = scalars
    }

    private static func scalarCount(_ bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

    /// How many scalars begin before the byte at an index.
    private func scalars(before index: Int) -> Int {
        let block = index / Self.blockSize
        return scalars[block] + Self.scalarCount(file.bytes[block * Self.blockSize..<index])
    }

    /// The line and column, in Unicode scalars, of the byte at an index.
    func location(ofByte index: Int) -> SourceLocation {
        var line = 0
        var end = starts.count
        while end - line > 1 {
            let middle = (line + end) / 2
            if starts[middle] <= index { line = middle } else { end = middle }
        }
        let column = scalars(before: index) - scalars(before: min(starts[line], index))
        return SourceLocation(path: file.path, line: line + 1, column: column + 1)
    }
}
