/// Walks over the bytes of a file and knows line and column at every step.
struct JSONScanner {
    let path: String
    private let bytes: [UInt8]
    private var index: Int
    private var line = 1
    private var column = 1

    /// Starts at the first byte, or after `skipping` bytes that are no text (a byte order mark).
    init(path: String, bytes: [UInt8], skipping: Int = 0) {
        self.path = path
        self.bytes = bytes
        self.index = skipping
    }

    var location: SourceLocation { SourceLocation(path: path, line: line, column: column) }
    var isAtEnd: Bool { index >= bytes.count }
    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The byte `offset` further on.
    func byte(ahead offset: Int) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

    /// The character that starts here, for messages and for quotation marks beyond ASCII.
    var scalar: Unicode.Scalar? {
        guard index < bytes.count else { return nil }
        let end = min(index + 4, bytes.count)
        return String(decoding: bytes[index..<end], as: UTF8.self).unicodeScalars.first
    }

    /// Steps over one byte.
    mutating func advance() {
        guard index < bytes.count else { return }
        let byte = bytes[index]
        index += 1
        if byte == Ascii.newline || (byte == Ascii.carriageReturn && self.byte != Ascii.newline) {
            line += 1
            column = 1
        } else if index >= bytes.count || bytes[index] & 0b1100_0000 != 0b1000_0000 {
            // The next byte begins a scalar; the bytes that continue one do not count.
            column += 1
        }
    }

    /// Steps over one character.
    mutating func advanceScalar() {
        advance()
        while let byte, byte & 0b1100_0000 == 0b1000_0000 { advance() }
    }

    /// Takes the next byte if it is `expected`.
    mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        advance()
        return true
    }

    /// The text of one scalar, stepped over.
    mutating func takeScalar(into text: inout [UInt8]) {
        repeat {
            text.append(bytes[index])
            advance()
        } while index < bytes.count && bytes[index] & 0b1100_0000 == 0b1000_0000
    }
}

/// The bytes that JSON gives a meaning.
enum Ascii {
    static let tab = UInt8(ascii: "\t")
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let singleQuote = UInt8(ascii: "'")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")
    static let hash = UInt8(ascii: "#")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
}
