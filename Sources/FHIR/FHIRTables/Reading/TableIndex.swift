/// The blocks of a table by their first word: a line without indent, and the indented ones below it.
///
/// Only the beginnings of lines are read; who asks for a block parses it.
package struct TableIndex: Sendable {
    private let text: String
    private var ranges: [String: Range<Int>] = [:]
    /// The first words, in the order of the table.
    package private(set) var names: [String] = []

    package init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
        var start: Int?
        var name = ""
        text.forEachLine { line, offset in
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: " ") else {
                return
            }
            if let start { ranges[name] = start..<offset }
            let word = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            name = String(decoding: word, as: UTF8.self)
            names.append(name)
            start = offset
        }
        if let start { ranges[name] = start..<text.utf8.count }
    }

    /// The lines of the block with a first word.
    package subscript(name: String) -> Substring? { ranges[name].map { text.bytes($0) } }
}

extension String {
    /// The text between two offsets in UTF-8.
    func bytes(_ range: Range<Int>) -> Substring {
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return self[start..<utf8.index(start, offsetBy: range.count)]
    }

    /// Calls `body` with each line that is not empty, and its offset in UTF-8.
    func forEachLine(_ body: (_ line: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Void) {
        var text = self
        text.withUTF8 { bytes in
            var start = 0
            for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "\n") {
                if index > start { body(UnsafeBufferPointer(rebasing: bytes[start..<index]), start) }
                start = index + 1
            }
        }
    }
}
