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

extension XMLNode {
    /// An attribute's value as a number, a date, …; nil when there is no such attribute.
    ///
    /// - Throws: `XMLError` of kind `value` when there is one and it is no such value.
    public func attr<Value: XMLTextReadable>(_ name: String, as type: Value.Type) throws -> Value? {
        try attr(name).map { try read($0, as: type, what: "the attribute \(name)") }
    }

    /// The text as a number, a date, …; nil when it is empty but for white space.
    ///
    /// - Throws: `XMLError` of kind `value` when there is text and it is no such value.
    public func text<Value: XMLTextReadable>(as type: Value.Type) throws -> Value? {
        let text = text()
        if text.allSatisfy(\.isXMLSpace) { return nil }
        return try read(text, as: type, what: "the text of \(qualifiedName)")
    }

    private func read<Value: XMLTextReadable>(_ text: String, as type: Value.Type, what: String) throws -> Value {
        if Value.self == String.self, let text = text as? Value { return text }
        var trimmed = Substring(text)
        while trimmed.first?.isXMLSpace == true { trimmed.removeFirst() }
        while trimmed.last?.isXMLSpace == true { trimmed.removeLast() }
        if let value = Value(xmlText: String(trimmed)) { return value }
        throw XMLError(.value, line: line, message: "\(what) is no \(type)", excerpt: String(text.prefix(80)))
    }
}

extension XMLSelection {
    /// An attribute of the first node as a number, a date, …; nil when there is no such attribute.
    ///
    /// - Throws: `XMLError` of kind `value` when there is one and it is no such value.
    public func attr<Value: XMLTextReadable>(_ name: String, as type: Value.Type) throws -> Value? {
        try first?.attr(name, as: type)
    }

    /// The text of the first node as a number, a date, …; nil when it is empty but for white space.
    ///
    /// - Throws: `XMLError` of kind `value` when there is text and it is no such value.
    public func text<Value: XMLTextReadable>(as type: Value.Type) throws -> Value? { try first?.text(as: type) }
}

extension Character {
    fileprivate var isXMLSpace: Bool { self == " " || self == "\n" || self == "\t" || self == "\r" || self == "\r\n" }
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
    /// Reads a decimal number within the range, with an exponent or not, `INF`, `-INF` or `NaN` (XML Schema part 2,
    /// `double`).
    public init?(xmlText: String) {
        switch xmlText {
        case "INF", "+INF": self = .infinity
        case "-INF": self = -.infinity
        case "NaN": self = .nan
        default:
            // Swift reads more than XML Schema allows: hexadecimal, and infinities by other names.
            // A number beyond the range it makes infinite.
            guard xmlText.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let value = Double(xmlText),
                value.isFinite
            else { return nil }
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
