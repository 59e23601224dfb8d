import Foundation
import IndivoBase
import IndivoXML

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

    /// The text that is written for a server, in a data model's field and in Indivo's own documents: a server
    /// accepts fewer spellings than XML Schema. An instant is written in UTC.
    var fieldLexical: String { get }

    /// What a data model calls the type; a server checks a field's text by it.
    static var dataType: DataModel.FieldType { get }

    /// Reads the value from the text of a data model's field, where Indivo's own rules are wider than the
    /// type's: a date-time is cut to its day, a day becomes midnight.
    static func fromField(_ text: String) throws(LexicalError) -> Self

    /// Reads the value from bytes, for types that can do without a `String`.
    /// - Parameter isField: Whether it is the text of a data model's field.
    static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError) -> Self

    /// Whether a text is this value, perhaps in another spelling.
    /// - Parameter isField: Whether it is the text of a data model's field.
    func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool
}

extension LexicalValue {
    public static var dataType: DataModel.FieldType { .string }

    public var fieldLexical: String { lexical }

    public static func fromField(_ text: String) throws(LexicalError) -> Self { try Self(lexical: text) }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Self
    {
        try read(String(decoding: bytes, as: UTF8.self), isField: isField)
    }

    static func read(_ text: String, isField: Bool) throws(LexicalError) -> Self {
        isField ? try fromField(text) : try Self(lexical: text)
    }

    public func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool {
        if let value = try? Self._read(utf8: bytes, isField: isField), value == self { return true }
        return isText(lexical, bytes)
    }

    /// Whether a text is such a value.
    static func canRead(_ text: String, isField: Bool) -> Bool { (try? read(text, isField: isField)) != nil }

    /// Whether two texts are the same value, perhaps in other spellings.
    static func isSameValue(_ a: String, _ b: String, isField: Bool) -> Bool {
        if a == b { return true }
        guard !a.isEmpty, !b.isEmpty, let a = try? read(a, isField: isField),
            let b = try? read(b, isField: isField)
        else { return false }
        return a == b
    }
}

/// So that it can be read from any node: `try node.attr("at", as: XMLDateTime.self)`.
extension XMLTextReadable where Self: LexicalValue {
    public init?(xmlText: String) {
        guard let value = try? Self(lexical: xmlText) else { return nil }
        self = value
    }
}

extension CustomStringConvertible where Self: LexicalValue { public var description: String { lexical } }

extension ExpressibleByStringLiteral where Self: LexicalValue {
    /// A value written in code. An invalid literal is a mistake in the program and stops it.
    public init(stringLiteral text: String) {
        do { try self.init(lexical: text) } catch {
            preconditionFailure("“\(text)” is no \(Self.self): \(error)")
        }
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

    /// The error that most types throw for a text.
    init(_ text: String, isNot expected: String) {
        self.init(expected: expected, reason: "“\(text)” is not one")
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
        let isSpace: (Character) -> Bool = {
            $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n"
        }
        guard let start = firstIndex(where: { !isSpace($0) }), let end = lastIndex(where: { !isSpace($0) })
        else {
            return self[endIndex...]
        }
        return self[start...end]
    }
}

extension String {
    /// Calls `body` with the text's bytes, and throws its error with its type.
    @inline(__always)
    func withBytes<T, Failure: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> T)
        throws(Failure) -> T
    {
        var text = self
        return try text.withUTF8 { bytes in Result { () throws(Failure) in try body(bytes) } }.get()
    }
}

/// Whether bytes are the UTF-8 of a text.
func isText(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    text.withBytes { areEqual($0, bytes) }
}

@inline(__always)
func areEqual(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    guard let start = a.baseAddress, let other = b.baseAddress else { return a.isEmpty }
    return memcmp(start, other, a.count) == 0
}

/// The text that a value was read from, if it is not the canonical one. Values are equal whatever their
/// spelling.
struct WrittenForm: Hashable, Sendable {
    var text: String?

    static func == (a: Self, b: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension CivilTimeScanner {
    /// Reads a whole text, with white space around it.
    ///
    /// - Returns: What `read` made of it, and the text itself if it is not in the canonical form.
    static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>,
        expecting expected: StaticString,
        _ read: (inout CivilTimeScanner) throws(CivilTimeError) -> CivilDateTime
    ) throws(LexicalError) -> (value: CivilDateTime, spelling: WrittenForm) {
        var value = try parse(bytes, expecting: expected, read)
        value.trimFraction()
        let isCanonical = value.isWritten(as: bytes)
        return (value, WrittenForm(text: isCanonical ? nil : String(decoding: bytes, as: UTF8.self)))
    }

    static func parse<Value>(
        _ bytes: UnsafeBufferPointer<UInt8>,
        expecting expected: StaticString,
        _ read: (inout CivilTimeScanner) throws(CivilTimeError) -> Value
    ) throws(LexicalError) -> Value {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? bytes.endIndex
        var scanner = CivilTimeScanner(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        func failure(_ reason: String) -> LexicalError {
            let text = String(decoding: bytes, as: UTF8.self)
            return LexicalError(expected: "\(expected)", reason: "in “\(text)” \(reason)")
        }
        do throws(CivilTimeError) {
            let value = try read(&scanner)
            if scanner.isAtEnd { return value }
        } catch {
            throw failure(error.reason)
        }
        throw failure("“\(scanner.rest)” is left over")
    }
}

/// XML Schema's years (part 2, section 3.2.7): there is no year 0, and the one before 1 is -1.
enum XMLYear {
    /// Years that can be written and read back.
    static func isValid(_ year: Int) -> Bool { year != 0 && (-999_999_999...999_999_999).contains(year) }

    /// The year as ISO 8601 counts it, with a year 0.
    static func civil(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    static func xml(_ civil: Int) -> Int { civil > 0 ? civil : civil - 1 }
}

extension Date {
    /// Whole seconds since 1970, clamped to years of nine digits; 0 for a date that is not a number.
    var wholeSeconds: Int {
        let interval = timeIntervalSince1970
        return interval.isNaN ? 0 : Int(min(max(interval, -9e12), 9e12).rounded(.down))
    }
}

extension DateComponents {
    /// - Parameter year: As XML Schema counts it: there is no year 0, and the one before 1 is -1.
    init(xmlYear year: Int?, month: Int?, day: Int?, offset: Int?) {
        self.init(
            calendar: Calendar(identifier: .gregorian),
            timeZone: offset.flatMap { TimeZone(secondsFromGMT: $0 * 60) },
            era: year.map { $0 > 0 ? 1 : 0 },
            year: year.map(abs),
            month: month,
            day: day
        )
    }

    /// Minutes east of UTC; `nil` where the components name no zone.
    var offset: Int? {
        timeZone.map { zone in zone.secondsFromGMT(for: date ?? Date(timeIntervalSince1970: 0)) / 60 }
    }

    var xmlYear: Int? { year.map { era == 0 ? -$0 : $0 } }
}
