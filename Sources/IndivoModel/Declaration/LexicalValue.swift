import Foundation

/// A value that is one piece of text in XML: a leaf of a document.
///
/// Conform a type of your own to use it in a ``Field``:
///
/// ```swift
/// struct Kilograms: LexicalValue {
///     var amount: Double
///     init(lexical text: String) throws(LexicalError) { amount = try Double(lexical: text) }
///     var lexical: String { amount.lexical }
/// }
/// ```
/// Enumerations over `String` conform without code of their own: `enum Phase: String, LexicalValue { … }`.
public protocol LexicalValue: FieldElement, Hashable, Sendable {
    /// Reads the value from its text.
    /// - Throws: ``LexicalError`` when the text is outside the type's lexical space.
    init(lexical text: String) throws(LexicalError)

    /// The text that is written: what was read, or the canonical form of a value made in code.
    var lexical: String { get }

    /// What a data model calls the type; a server checks a field's text by it.
    static var dataType: DataFieldType { get }

    /// Reads the value from the text of a data model's field, where Indivo's own rules are wider than the
    /// type's: a date-time is cut to its day, a day becomes midnight.
    static func fromField(_ text: String) throws(LexicalError) -> Self

    /// The same from bytes, for types that can do without a `String`.
    static func _fromField(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> Self

    /// ``init(lexical:)`` from bytes, for types that can do without a `String`.
    static func _fromLexical(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> Self

    /// Whether a text is this value, perhaps in another spelling.
    /// - Parameter isField: Whether it is a data model's field.
    func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool
}

extension LexicalValue {
    public static var dataType: DataFieldType { .string }

    public static func fromField(_ text: String) throws(LexicalError) -> Self { try Self(lexical: text) }

    public static func _fromField(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> Self {
        try fromField(String(decoding: bytes, as: UTF8.self))
    }

    public static func _fromLexical(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(LexicalError) -> Self {
        try Self(lexical: String(decoding: bytes, as: UTF8.self))
    }

    public func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool {
        if let value = try? isField ? Self._fromField(utf8: bytes) : Self._fromLexical(utf8: bytes), value == self {
            return true
        }
        return isText(lexical, bytes)
    }
}

/// Why a text is not a value of a type.
public struct LexicalError: Error, Hashable, CustomStringConvertible {
    /// What was expected, as words that complete "expected …".
    public let expected: String
    /// What is wrong with the text.
    public let reason: String

    /// An error to be thrown by a type of your own.
    public init(expected: String, reason: String) {
        self.expected = expected
        self.reason = reason
    }

    public var description: String { "expected \(expected): \(reason)" }
}

extension RawRepresentable where Self: LexicalValue & CaseIterable, RawValue == String {
    public init(lexical text: String) throws(LexicalError) {
        guard let value = Self(rawValue: text) else {
            let known = Self.allCases.map { "“\($0.rawValue)”" }.joined(separator: ", ")
            throw LexicalError(expected: "one of \(known)", reason: "“\(text)” is none of them")
        }
        self = value
    }

    public var lexical: String { rawValue }
}

/// White space that XML Schema collapses around numbers, dates and booleans.
extension StringProtocol {
    var trimmingXMLSpace: SubSequence {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        guard let start = firstIndex(where: { !isSpace($0) }), let end = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[start...end]
    }
}

/// Whether bytes are a text.
func isText(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = text
    return text.withUTF8 { text in
        guard text.count == bytes.count else { return false }
        guard let a = text.baseAddress, let b = bytes.baseAddress else { return text.isEmpty }
        return memcmp(a, b, text.count) == 0
    }
}
