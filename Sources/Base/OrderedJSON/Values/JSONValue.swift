/// A JSON value (RFC 8259), as it was written.
///
/// ```swift
/// var patient = try JSONValue(parsing: bytes)
/// print(patient["name"]?[0]?["family"]?.string ?? "?")
/// patient["active"] = true
/// let text = patient.text(.pretty)
/// ```
///
/// A parsed value is a reference into its text, which is kept once: copies are cheap, and nothing is decoded
/// before it is asked for. Changing a value copies the one array or object that changes; what is in it stays
/// a reference. Members keep their order, numbers their digits, and members of the same name are all there.
public struct JSONValue: Sendable {
    enum Storage {
        /// The node at an index of an arena's words.
        case parsed(JSONArena, UInt32)
        case null
        case boolean(Bool)
        /// Digits as JSON writes them.
        case number(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    /// The six kinds of values.
    public enum Kind: Sendable, Hashable {
        /// `null`.
        case null
        /// `true` or `false`.
        case boolean
        /// A number, of any size and precision.
        case number
        /// A text.
        case string
        /// Values in order.
        case array
        /// Named values in order.
        case object
    }

    var storage: Storage

    @inline(__always)
    init(_ storage: Storage) { self.storage = storage }

    @inline(__always)
    init(_ arena: JSONArena, _ index: Int) { storage = .parsed(arena, UInt32(truncatingIfNeeded: index)) }

    // MARK: Parsing

    /// Parses a text in UTF-8. A byte order mark before it is allowed and dropped.
    ///
    /// - Throws: ``JSONError``, with line and column.
    public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        let parsed = bytes.withContiguousStorageIfAvailable { source in
            Result { () throws(JSONError) in try JSONParser.parse(source, limits: limits) }
        }
        if let parsed {
            self.init(try parsed.get(), 0)
        } else {
            try self.init(parsing: Array(bytes), limits: limits)
        }
    }

    /// Parses a text.
    ///
    /// - Throws: ``JSONError``, with line and column.
    public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    // MARK: Scalars

    /// The value's kind.
    public var kind: Kind {
        switch storage {
        case .parsed(let arena, let index): arena.word(Int(index)).kind
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether it is `null`.
    public var isNull: Bool { kind == .null }

    /// The value of a boolean; `nil` for other kinds.
    public var boolean: Bool? {
        switch storage {
        case .parsed(let arena, let index): arena.word(Int(index)).boolean
        case .boolean(let value): value
        default: nil
        }
    }

    /// The characters of a string; `nil` for other kinds.
    public var string: String? {
        switch storage {
        case .parsed(let arena, let index): arena.string(at: Int(index))
        case .string(let value): value
        default: nil
        }
    }

    /// The digits of a number as they were written; `nil` for other kinds.
    public var number: String? {
        switch storage {
        case .parsed(let arena, let index):
            let word = arena.word(Int(index))
            return word.tag == .number ? arena.string(word) : nil
        case .number(let digits): return digits
        default: return nil
        }
    }

    /// A number without fraction and exponent that fits; `nil` for other numbers and kinds.
    public var integer: Int? { number.flatMap { Int($0) } }

    /// The nearest `Double` of a number, infinite if it is too large; `nil` for other kinds.
    public var double: Double? { number.flatMap(Double.init) }

    /// Calls `body` with the characters of a string as UTF-8, or those of a number, without making a `String`
    /// of them where the value was parsed and has no escapes.
    ///
    /// - Returns: What `body` returned; `nil` for other kinds.
    @inlinable
    public func withUTF8<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let text = scalarText
        if let parsed = text.parsed {
            // `self` keeps the arena, and with it the bytes, until after the call.
            defer { withExtendedLifetime(self) {} }
            return try body(parsed)
        }
        guard let made = text.made else { return nil }
        return try made.withUnsafeBufferPointer { bytes throws(Failure) in try body(bytes) }
    }

    /// The characters of a string or number: in the arena, or made.
    @usableFromInline
    var scalarText: (parsed: UnsafeBufferPointer<UInt8>?, made: ContiguousArray<UInt8>?) {
        switch storage {
        case .parsed(let arena, let index):
            let word = arena.word(Int(index))
            switch word.tag {
            case .number, .string: return (arena.text(word), nil)
            case .escapedString: return (nil, ContiguousArray(StringEscapes.decoded(arena.text(word))))
            default: return (nil, nil)
            }
        case .number(let text), .string(let text): return (nil, ContiguousArray(text.utf8))
        default: return (nil, nil)
        }
    }

    /// Whether it is the string with exactly these characters, compared as UTF-8.
    public func isString(_ other: StaticString) -> Bool { isString(other.bytes) }

    /// Whether it is the string with exactly these characters, compared as UTF-8.
    public func isString(equalTo other: String) -> Bool {
        var other = other
        return other.withUTF8 { isString($0) }
    }

    @inline(__always)
    func isString(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch storage {
        case .parsed(let arena, let index):
            let word = arena.word(Int(index))
            return word.isString && arena.string(word, equals: bytes)
        case .string(let text): return Self.isSame(text, bytes)
        default: return false
        }
    }

    /// Whether a text has these bytes of UTF-8. The lengths alone tell most names apart.
    @inline(__always)
    static func isSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        var text = text
        return text.withUTF8 { text in
            for index in 0..<bytes.count where text[index] != bytes[index] { return false }
            return true
        }
    }

    // MARK: Where it was

    /// Where the value starts in the text that it was parsed from; `nil` when it was made or changed.
    ///
    /// This counts lines from the beginning; for many values use a ``JSONLineTable``.
    public var location: JSONLocation? {
        guard case .parsed(let arena, let index) = storage else { return nil }
        return JSONLocation(offset: arena.word(Int(index)).offset, in: arena.source)
    }

    /// The range of bytes of the text that it was parsed from; `nil` when it was made or changed.
    public var sourceRange: Range<Int>? {
        guard case .parsed(let arena, let index) = storage else { return nil }
        return arena.word(Int(index)).offset..<arena.endOffset(of: Int(index))
    }

    /// `null`.
    public static let null = JSONValue(.null)

    /// A boolean.
    public init(_ value: Bool) { self.init(.boolean(value)) }

    public init(_ text: String) { self.init(.string(text)) }

    /// A string; `null` for `nil`.
    public init(_ text: String?) { self.init(text.map { .string($0) } ?? .null) }

    /// A number.
    public init(_ value: some BinaryInteger) { self.init(.number(String(value))) }

    /// A number; `null` for `nil`.
    public init(_ value: Int?) { self.init(value.map { .number(String($0)) } ?? .null) }

    /// A number with the fewest digits that give the same `Double`; `nil` when it is infinite or not a
    /// number.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        let text = value.description
        self.init(.number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text))
    }

    /// A number with these digits; `nil` when JSON does not write numbers so.
    public init?(number digits: some StringProtocol) {
        var limits = JSONLimits()
        limits.numberLength = .max
        // The whole of the text: no white space around it.
        guard let parsed = try? JSONValue(parsing: digits.utf8, limits: limits).number,
            parsed.utf8.count == digits.utf8.count
        else { return nil }
        self.init(.number(parsed))
    }

    /// An array.
    public init(_ elements: some Sequence<JSONValue>) { self.init(.array(Array(elements))) }

    /// An object with these members in this order.
    public init(members: some Sequence<JSONMember>) { self.init(.object(Array(members))) }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self.init(value) }
    public init(stringLiteral value: String) { self.init(value) }
    public init(integerLiteral value: Int) { self.init(value) }

    /// A number; a literal too large for a `Double` is `null`.
    public init(floatLiteral value: Double) { self = JSONValue(value) ?? .null }
    public init(arrayLiteral elements: JSONValue...) { self.init(elements) }

    /// An object with the members in the order of the literal.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members: members.map { JSONMember(name: $0, value: $1) })
    }
}

extension StaticString {
    @inline(__always)
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
