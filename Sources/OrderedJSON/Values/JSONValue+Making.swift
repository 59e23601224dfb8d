extension JSONValue {
    /// `null`.
    public static let null = JSONValue(.null)

    /// A boolean.
    public init(_ value: Bool) { self.init(.boolean(value)) }

    /// A string.
    public init(_ text: String) { self.init(.string(text)) }

    /// A string; `null` for `nil`.
    public init(_ text: String?) { self.init(text.map { .string($0) } ?? .null) }

    /// A number.
    public init(_ value: some BinaryInteger) { self.init(.number(String(value))) }

    /// A number; `null` for `nil`.
    public init(_ value: Int?) { self.init(value.map { .number(String($0)) } ?? .null) }

    /// A number with the fewest digits that give the same `Double`; `nil` when it is infinite or not a number.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        let text = value.description
        self.init(.number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text))
    }

    /// A number with these digits; `nil` when JSON does not write numbers so.
    public init?(number digits: some StringProtocol) {
        guard Self.isNumber(digits.utf8) else { return nil }
        self.init(.number(String(digits)))
    }

    /// An array.
    public init(_ elements: some Sequence<JSONValue>) { self.init(.array(Array(elements))) }

    /// An object with these members in this order.
    public init(members: some Sequence<JSONMember>) { self.init(.object(Array(members))) }

    /// Whether a text is a number of RFC 8259 section 6.
    private static func isNumber(_ text: some Sequence<UInt8>) -> Bool {
        var rest = Array(text)[...]
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        func digits() -> Int {
            let count = rest.prefix(while: isDigit).count
            rest.removeFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let integers = digits()
        guard integers > 0, !startsWithZero || integers == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() > 0 else { return false }
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
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
