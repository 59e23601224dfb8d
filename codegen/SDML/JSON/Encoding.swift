/// Checks that a file is UTF-8 text.
enum Encoding {
    /// Whether the file is UTF-8 text, which is reported if not. A byte order mark is tolerated with a warning.
    static func check(_ file: SourceFile, _ lines: SourceLines, into diagnostics: inout Diagnostics) -> Bool {
        let start = SourceLocation(path: file.path, line: 1, column: 1)
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            diagnostics.error(at: start, "The file is UTF-16. Save it as UTF-8.")
            return false
        }
        if let index = firstInvalidByte(file.bytes) {
            diagnostics.error(
                at: lines.location(ofByte: index), "The file is not UTF-8 from here on. Save it as UTF-8.")
            return false
        }
        if file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            diagnostics.warn(at: start, "The file starts with a byte order mark, which a server may refuse. Remove it.")
        }
        return true
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var index = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): index += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return index
            }
        }
    }
}
