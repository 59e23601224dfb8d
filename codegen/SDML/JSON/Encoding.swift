/// Checks that a file is UTF-8 text.
enum Encoding {
    /// The number of bytes before the text (a byte order mark, which is tolerated with a warning), or nil when the
    /// file is no UTF-8 text, which is reported.
    static func check(_ file: SourceFile, into diagnostics: inout Diagnostics) -> Int? {
        let start = SourceLocation(path: file.path, line: 1, column: 1)
        if file.bytes.starts(with: [0xFF, 0xFE]) || file.bytes.starts(with: [0xFE, 0xFF]) {
            diagnostics.error(at: start, "The file is UTF-16. Save it as UTF-8.")
            return nil
        }
        if let place = firstInvalidByte(file.bytes) {
            var scanner = JSONScanner(path: file.path, bytes: Array(file.bytes[..<place]))
            while !scanner.isAtEnd { scanner.advance() }
            diagnostics.error(at: scanner.location, "The file is not UTF-8 from here on. Save it as UTF-8.")
            return nil
        }
        guard file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return 0 }
        diagnostics.warn(at: start, "The file starts with a byte order mark, which a server may refuse. Remove it.")
        return 3
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
