import OrderedJSON

/// Reads JSON and reports every departure from it with its location, not only the first: commas, strings that
/// are not closed (what else is wrong in one shows when it is), unquoted words. What a string, number or word
/// means is OrderedJSON's to say.
struct JSONReader {
    /// Why is reported, and nothing behind it can be understood.
    private struct Stop: Error {}

    private static let badEscape =
        #"This escape means nothing in JSON. Known are \" \\ \/ \b \f \n \r \t and \u with four digits."#
    /// Deeper nesting than any model has.
    private static let maximumDepth = 128
    /// The most slips that are reported for one file, or for one string in it.
    private static let maximumSlips = 100

    private let bytes: [UInt8]
    private let lines: SourceLines
    private let diagnostics: Diagnostics
    private let problemsBefore: Int
    private var index: Int
    /// The end of the last token, and whether it could not be read.
    private var tokenEnd = 0
    private var isAfterDamage = false
    /// The indices of the brackets that are open.
    private var open: [Int] = []

    /// The value in a file; nil when there is none, or something after which nothing can be understood.
    static func read(_ file: SourceFile, into diagnostics: Diagnostics) -> JSONNode? {
        let bytes = file.bytes
        let lines = SourceLines(file)
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            diagnostics.error(at: lines.location(ofByte: 0), "The file is UTF-16. Save it as UTF-8.")
            return nil
        }
        if let index = firstInvalidByte(bytes) {
            diagnostics.error(
                at: lines.location(ofByte: index),
                "The file is not UTF-8 from here on. Save it as UTF-8."
            )
            return nil
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        if hasMark {
            diagnostics.warn(
                at: lines.location(ofByte: 0),
                "The file starts with a byte order mark, which a server may refuse. Remove it."
            )
        }
        var reader = JSONReader(bytes: bytes, lines: lines, diagnostics: diagnostics, index: hasMark ? 3 : 0)
        return try? reader.root()
    }

    private static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var index = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { index += UTF8.width(scalar) }
        return index < bytes.count ? index : nil
    }

    private init(bytes: [UInt8], lines: SourceLines, diagnostics: Diagnostics, index: Int) {
        self.bytes = bytes
        self.lines = lines
        self.diagnostics = diagnostics
        self.index = index
        problemsBefore = diagnostics.count
    }

    // MARK: Values

    private mutating func root() throws(Stop) -> JSONNode {
        skipBlanks()
        if index == bytes.count { throw stop(index, "The file is empty: it needs an object, '{ … }'.") }
        let root = try value()
        skipBlanks()
        if index < bytes.count {
            let more = bytes[index] == "{" || bytes[index] == ","
            let advice =
                more ? " Several models in one file go into a list: '[ { … }, { … } ]'." : " Remove it."
            error(index, "There is text after the end of the value.\(advice)")
        }
        return root
    }

    private mutating func value() throws(Stop) -> JSONNode {
        let location = lines.location(ofByte: index)
        return JSONNode(value: try content(), location: location)
    }

    private mutating func content() throws(Stop) -> JSONNode.Value {
        switch try next() {
        case "{": return .object(try items(closing: "}") { (reader) throws(Stop) in try reader.member() })
        case "[": return .array(try items(closing: "]") { (reader) throws(Stop) in try reader.value() })
        case "\"": return string().text.map { .string($0) } ?? .damaged
        default: break
        }
        if foreignString() != nil {
            isAfterDamage = true
            return .damaged
        }
        let start = index
        guard let word = word() else { throw unexpected("a value") }
        if let json = try? JSONValue(parsing: word) {
            return json.number.map { .number($0) } ?? json.boolean.map { .boolean($0) } ?? .null
        }
        error(start, "The text \(word) needs double quotation marks: \"\(word)\".")
        isAfterDamage = true
        return .damaged
    }

    /// What stands between two brackets, as `item` reads it, and the commas in between.
    private mutating func items<Item>(
        closing: Unicode.Scalar,
        _ item: (inout JSONReader) throws(Stop) -> Item
    ) throws(Stop) -> [Item] {
        guard open.count < Self.maximumDepth else {
            throw stop(index, "Values are nested deeper than \(Self.maximumDepth) levels.")
        }
        open.append(index)
        take(to: index + 1)
        var items: [Item] = []
        var comma: Int?
        while true {
            guard diagnostics.count - problemsBefore < Self.maximumSlips else {
                throw stop(index, "There are more slips than \(Self.maximumSlips). Mend these first.")
            }
            skipBlanks()
            let byte = try next()
            if byte == closing {
                if let comma {
                    error(comma, "The last comma is one too many: nothing follows it. Remove it.")
                }
                open.removeLast()
                take(to: index + 1)
                return items
            }
            if byte == ",", !items.isEmpty {
                if comma != nil { error(index, "There is one comma too many. Remove it.") }
                comma = comma ?? index
                take(to: index + 1)
                continue
            }
            if comma == nil, !items.isEmpty {
                if byte == "\"", index == tokenEnd, endsItem(index + 1) {
                    error(index, "There is one quotation mark too many. Remove it.")
                    index += 1
                    continue
                }
                guard byte == "\"" || byte == "{" || isAfterDamage && byte != "}" && byte != "]" else {
                    throw unexpected("',' or '\(closing)'")
                }
                if !isAfterDamage { error(tokenEnd, "A comma is missing here.") }
            }
            comma = nil
            items.append(try item(&self))
        }
    }

    private mutating func member() throws(Stop) -> JSONNode.Member {
        let start = index
        let location = lines.location(ofByte: start)
        var member = JSONNode.Member(
            keyLocation: location,
            value: JSONNode(value: .damaged, location: location)
        )
        if bytes[index] == "\"" {
            let string = string()
            member.key = string.text
            // The line's rest went into the string: there is no value to be found on it.
            if !string.isClosed { return member }
        } else if let text = foreignString() {
            member.key = text
        } else if let word = word() {
            error(start, "The key \(word) needs double quotation marks: \"\(word)\".")
            member.key = word
        } else {
            throw unexpected("a key in double quotation marks")
        }
        let key = member.key.map { " \"\($0)\"" } ?? ""
        skipBlanks()
        switch try next() {
        case ":": take(to: index + 1)
        case ",", "}":
            error(start, "The key\(key) has no value: ': \"String\"' or the like is missing.")
            return member
        case "\"", "{", "[": error(tokenEnd, "A colon is missing after the key\(key).")
        default: throw unexpected("a colon after the key\(key)")
        }
        skipBlanks()
        if [UInt8(ascii: ","), UInt8(ascii: "}")].contains(try next()) {
            error(index, "The value of\(key.isEmpty ? " this key" : key) is missing.")
        } else {
            member.value = try value()
        }
        return member
    }

    // MARK: Strings and words

    /// The string that begins here; its text is nil where it cannot be read, which is reported.
    private mutating func string() -> (text: String?, isClosed: Bool) {
        let start = index
        var end = start + 1
        while end < bytes.count, bytes[end] != "\"", !isLineEnd(end) {
            end += bytes[end] == "\\" && end + 1 < bytes.count && !isLineEnd(end + 1) ? 2 : 1
        }
        guard end < bytes.count, bytes[end] == "\"" else {
            let place = end < bytes.count ? "line" : "file"
            error(start, "This string is not closed: a '\"' is missing before the end of the \(place).")
            take(to: end, isDamaged: true)
            return (nil, false)
        }
        take(to: end + 1)
        var text = Array(bytes[start...end])
        // Each slip is blanked out, so that the next is found.
        for _ in 0..<Self.maximumSlips {
            do throws(JSONError) {
                let string = try JSONValue(parsing: text).string
                return (isAfterDamage ? nil : string, true)
            } catch {
                let code = hex(UInt32(text[error.location.offset]))
                self.error(
                    start + error.location.offset,
                    error.reason == .controlCharacter
                        ? "A string must not hold the control character U+\(code): write \\u\(code)."
                        : Self.badEscape
                )
                text[error.location.offset] = UInt8(ascii: " ")
                isAfterDamage = true
            }
        }
        return (nil, true)
    }

    /// What stands here in other quotation marks than JSON's, which is reported.
    private mutating func foreignString() -> String? {
        let pairs: [Unicode.Scalar: [Unicode.Scalar]] = [
            "'": ["'"], "`": ["`"], "“": ["”", "“"], "”": ["”"], "„": ["“", "”"], "‘": ["’"], "’": ["’"],
            "«": ["»"],
        ]
        guard let mark = scalar(at: index), let closing = pairs[mark] else { return nil }
        error(index, "Text stands in double quotation marks (\") in JSON; this is \(mark). Replace it.")
        let start = index + UTF8.width(mark)
        take(to: start)
        while let scalar = scalar(at: index), !isLineEnd(index) {
            let end = index
            take(to: index + UTF8.width(scalar))
            if closing.contains(scalar) || scalar == "\"" {
                return String(decoding: bytes[start..<end], as: UTF8.self)
            }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Letters, digits and what else numbers and names hold.
    private mutating func word() -> String? {
        let word = bytes[index...].prefix { $0.isASCIIWord || "-+.".utf8.contains($0) }
        take(to: word.endIndex)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    // MARK: The text

    /// Passes blanks. Comments, and blanks that are none in JSON, are reported.
    private mutating func skipBlanks() {
        while index < bytes.count {
            let rest = bytes[index...]
            if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) {
                index += 1
            } else if rest.starts(with: "#".utf8) || rest.starts(with: "//".utf8)
                || rest.starts(with: "/*".utf8)
            {
                error(
                    index,
                    "JSON has no comments: what is to be said about a model goes into its notes file."
                )
                let isBlock = rest.starts(with: "/*".utf8)
                index += isBlock ? 2 : 1
                while index < bytes.count,
                    isBlock ? !bytes[index...].starts(with: "*/".utf8) : !isLineEnd(index)
                { index += 1 }
                if isBlock { index = min(index + 2, bytes.count) }
            } else if let scalar = scalar(at: index), scalar == "\u{FEFF}" || scalar.properties.isWhitespace {
                diagnostics.warn(
                    at: lines.location(ofByte: index),
                    """
                    The blank U+\(hex(scalar.value)) is none in JSON, and a server may refuse the file. \
                    Remove it.
                    """
                )
                index += UTF8.width(scalar)
            } else {
                return
            }
        }
    }

    private mutating func take(to end: Int, isDamaged: Bool = false) {
        index = end
        tokenEnd = end
        isAfterDamage = isDamaged
    }

    /// The byte here: there is one as long as a bracket is open.
    private func next() throws(Stop) -> UInt8 {
        if index < bytes.count { return bytes[index] }
        let opening = open.last ?? 0
        let (bracket, closing) = bytes[opening] == "{" ? ("{", "}") : ("[", "]")
        throw stop(opening, "This '\(bracket)' is never closed: a '\(closing)' is missing.")
    }

    private func isLineEnd(_ index: Int) -> Bool { bytes[index] == "\n" || bytes[index] == "\r" }

    private func endsItem(_ index: Int) -> Bool {
        index >= bytes.count || ",}]\n\r".utf8.contains(bytes[index])
    }

    private func scalar(at index: Int) -> Unicode.Scalar? {
        String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first
    }

    private func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private func error(_ index: Int, _ message: String) {
        diagnostics.error(at: lines.location(ofByte: index), message)
    }

    private func stop(_ index: Int, _ message: String) -> Stop {
        error(index, message)
        return Stop()
    }

    private func unexpected(_ expected: String) -> Stop {
        let scalar = scalar(at: index) ?? " "
        let found = scalar.properties.generalCategory == .control ? "U+\(hex(scalar.value))" : "'\(scalar)'"
        return stop(index, "Here should be \(expected), but there is \(found).")
    }
}

private func == (byte: UInt8, scalar: Unicode.Scalar) -> Bool { byte == UInt8(ascii: scalar) }
private func != (byte: UInt8, scalar: Unicode.Scalar) -> Bool { byte != UInt8(ascii: scalar) }
private func ~= (scalar: Unicode.Scalar, byte: UInt8) -> Bool { byte == scalar }
