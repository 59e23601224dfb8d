/// A value that can be read from the text of an element or attribute.
///
/// The numbers, `Bool` and `String` are, in the spelling of XML Schema; make your own so:
///
/// ```swift
/// extension Weekday: XMLTextReadable {
///     init?(xmlText: String) { self.init(rawValue: xmlText) }
/// }
/// let day = try node.attr("day", as: Weekday.self)
/// ```
public protocol XMLTextReadable {
    /// Reads a text without white space around it; nil when it says no such value.
    init?(xmlText: String)
}

extension XMLQueryable {
    /// An attribute of the first node as a number, a date, …; nil when there is no such attribute.
    ///
    /// - Throws: `XMLError` of kind `value` when there is one and it is no such value.
    public func attr<Value: XMLTextReadable>(_ name: String, as type: Value.Type) throws -> Value? {
        try selection.attr(name).map { try read($0, what: "the attribute \(name)") }
    }

    /// The text of the first node as a number, a date, …; nil when it is empty but for white space.
    ///
    /// - Throws: `XMLError` of kind `value` when there is text and it is no such value.
    public func text<Value: XMLTextReadable>(as type: Value.Type) throws -> Value? {
        guard let node = selection.first else { return nil }
        let text = node.text()
        return text.utf8.allSatisfy(\.isXMLSpace)
            ? nil : try read(text, what: "the text of \(node.qualifiedName)")
    }

    private func read<Value: XMLTextReadable>(_ text: String, what: String) throws -> Value {
        if Value.self == String.self, let text = text as? Value { return text }
        var trimmed = Substring(text).utf8.drop(while: \.isXMLSpace)
        while trimmed.last?.isXMLSpace == true { trimmed.removeLast() }
        if let value = Value(xmlText: String(Substring(trimmed))) { return value }
        let line = selection.first?.line
        throw XMLError(
            .value,
            line: line,
            message: "\(what) is no \(Value.self)",
            excerpt: String(text.prefix(80))
        )
    }
}

extension XMLTextReadable where Self: FixedWidthInteger {
    /// Reads decimal digits with an optional sign.
    public init?(xmlText: String) { self.init(xmlText, radix: 10) }
}

extension Int: XMLTextReadable {}
extension Int8: XMLTextReadable {}
extension Int16: XMLTextReadable {}
extension Int32: XMLTextReadable {}
extension Int64: XMLTextReadable {}
extension UInt: XMLTextReadable {}
extension UInt8: XMLTextReadable {}
extension UInt16: XMLTextReadable {}
extension UInt32: XMLTextReadable {}
extension UInt64: XMLTextReadable {}

extension Double: XMLTextReadable {
    /// Reads a decimal number within the range, with an exponent or not, `INF`, `-INF` or `NaN` (XML Schema
    /// part 2, `double`).
    public init?(xmlText: String) {
        switch xmlText {
        case "INF", "+INF": self = .infinity
        case "-INF": self = -.infinity
        case "NaN": self = .nan
        default:
            // Swift reads more: hexadecimal, infinities by other names, and as infinite what is beyond the
            // range.
            let isPlain = xmlText.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            guard isPlain, let value = Double(xmlText), value.isFinite else { return nil }
            self = value
        }
    }
}

extension Float: XMLTextReadable {
    /// Reads as `Double` does.
    public init?(xmlText: String) {
        guard let value = Double(xmlText: xmlText) else { return nil }
        self.init(value)
        if isInfinite, value.isFinite { return nil }
    }
}

extension Bool: XMLTextReadable {
    /// Reads `true`, `1`, `false` or `0`.
    public init?(xmlText: String) {
        switch xmlText {
        case "true", "1": self = true
        case "false", "0": self = false
        default: return nil
        }
    }
}

extension String: XMLTextReadable {
    /// The text itself. Reading it as `String` keeps white space.
    public init?(xmlText: String) { self = xmlText }
}
