extension JSONValue: CustomStringConvertible {
    /// Appends the value's text to a buffer, in UTF-8.
    ///
    /// The text of a parsed string or number is written as it was, escapes included.
    public func write(_ style: JSONStyle = .compact, to buffer: inout [UInt8]) {
        var writer = JSONWriter(style: style, buffer: consume buffer)
        writer.write(self)
        buffer = writer.buffer
    }

    /// The value's text in UTF-8.
    public func utf8(_ style: JSONStyle = .compact) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(512)
        write(style, to: &buffer)
        return buffer
    }

    /// The value's text.
    public func text(_ style: JSONStyle = .compact) -> String { String(decoding: utf8(style), as: UTF8.self) }

    /// The value's text, without white space.
    public var description: String { text() }
}

/// Writes values. Arenas are gone through word by word; values that were made recursively.
struct JSONWriter {
    let style: JSONStyle
    var buffer: [UInt8]
    var depth = 0

    mutating func write(_ value: JSONValue) {
        switch value.storage {
        case .parsed(let arena, let index):
            if style == .asWritten {
                let start = arena.word(Int(index)).offset
                append(UnsafeBufferPointer(rebasing: arena.source[start..<arena.endOffset(of: Int(index))]))
            } else {
                write(arena, Int(index))
            }
        case .null: buffer.append(contentsOf: "null".utf8)
        case .boolean(let value): buffer.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let digits): buffer.append(contentsOf: digits.utf8)
        case .string(let text): quote(text)
        case .array(let elements):
            open(isObject: false)
            for (index, element) in elements.enumerated() {
                separate(isFirst: index == 0)
                write(element)
            }
            close(isObject: false, isEmpty: elements.isEmpty)
        case .object(let members):
            open(isObject: true)
            for (index, member) in members.enumerated() {
                separate(isFirst: index == 0)
                write(member.nameValue)
                colon()
                write(member.value)
            }
            close(isObject: true, isEmpty: members.isEmpty)
        }
    }

    /// A parsed value: its words in order, with a stack of the containers that are open.
    private mutating func write(_ arena: JSONArena, _ root: Int) {
        var open: [(end: Int, isObject: Bool)] = []
        let end = arena.end(of: root)
        var index = root
        // Whether the next word is an object's member or an array's element that others precede.
        var isFirst = true
        while true {
            while let container = open.last, container.end == index {
                open.removeLast()
                close(isObject: container.isObject, isEmpty: false)
                isFirst = false
            }
            if index == end { return }
            if let container = open.last {
                separate(isFirst: isFirst)
                if container.isObject {
                    write(scalar: arena.word(index), of: arena)
                    colon()
                    index += 1
                }
            }
            let word = arena.word(index)
            isFirst = false
            if word.isContainer {
                let isObject = word.tag == .object
                self.open(isObject: isObject)
                if word.length == 1 {
                    close(isObject: isObject, isEmpty: true)
                } else {
                    open.append((index + word.length, isObject))
                    isFirst = true
                }
            } else {
                write(scalar: word, of: arena)
            }
            index += 1
        }
    }

    // MARK: Layout

    private mutating func open(isObject: Bool) {
        buffer.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        depth += 1
    }

    private mutating func close(isObject: Bool, isEmpty: Bool) {
        depth -= 1
        if !isEmpty { newLine() }
        buffer.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    private mutating func separate(isFirst: Bool) {
        if !isFirst { buffer.append(UInt8(ascii: ",")) }
        if style == .spacedASCII, !isFirst { buffer.append(UInt8(ascii: " ")) }
        newLine()
    }

    private mutating func newLine() {
        guard case .indented(let spaces) = style else { return }
        buffer.append(UInt8(ascii: "\n"))
        buffer.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * max(0, spaces)))
    }

    private mutating func colon() {
        buffer.append(UInt8(ascii: ":"))
        switch style {
        case .indented, .spacedASCII: buffer.append(UInt8(ascii: " "))
        case .compact, .asWritten: break
        }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) { buffer.append(contentsOf: text) }

    /// A scalar as it was written, as far as the style allows.
    private mutating func write(scalar word: NodeWord, of arena: JSONArena) {
        let text = UnsafeBufferPointer(
            start: arena.bytes + word.offset,
            count: word.length + (word.isString ? 2 : 0)
        )
        if style == .spacedASCII, word.isString { appendASCII(text) } else { append(text) }
    }

    private mutating func quote(_ text: String) {
        var text = text
        guard style == .spacedASCII else {
            return text.withUTF8 { StringEscapes.appendQuoted($0, to: &buffer) }
        }
        var quoted: [UInt8] = []
        text.withUTF8 { StringEscapes.appendQuoted($0, to: &quoted) }
        quoted.withUnsafeBufferPointer { appendASCII($0) }
    }

    /// Appends a quoted string with escapes for all that is not ASCII: two for a character beyond the first
    /// 65,536.
    private mutating func appendASCII(_ text: UnsafeBufferPointer<UInt8>) {
        guard !text.allSatisfy({ $0 < 0x7F }) else { return append(text) }
        for unit in String(decoding: text, as: UTF8.self).utf16 {
            if unit < 0x7F {
                buffer.append(UInt8(truncatingIfNeeded: unit))
            } else {
                buffer.append(contentsOf: "\\u\(String(0x10000 + Int(unit), radix: 16).dropFirst())".utf8)
            }
        }
    }
}

/// How a text is laid out.
public enum JSONStyle: Sendable, Hashable {
    /// No white space.
    case compact
    /// A line for each member and element, indented by so many spaces a level. Empty arrays and objects are
    /// `[]` and `{}`.
    case indented(Int)
    /// On one line, with a space behind each comma and colon and every character outside ASCII as an escape:
    /// what Python's `json` writes unless set otherwise.
    case spacedASCII
    /// As it was: a value that was parsed and not changed is written byte for byte, with its white space. The
    /// members and elements of what was changed or made are written without white space between them.
    case asWritten

    /// Indented by two spaces.
    public static let pretty = JSONStyle.indented(2)
}
