import Foundation
import IndivoBase
import IndivoXML

// The types of Swift and Foundation that stand for XML Schema's simple types.

extension String: LexicalValue {
    public init(lexical text: String) { self = text }
    public var lexical: String { self }

    public func _isSaid(byUTF8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) -> Bool {
        isText(self, bytes)
    }
}

extension Bool: LexicalValue {
    /// Reads xs:boolean: `true`, `false`, `1` or `0`.
    public init(lexical text: String) throws(LexicalError) {
        switch text.trimmingXMLSpace {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw LexicalError(expected: "a boolean (true or false)", reason: "“\(text)” is neither")
        }
    }

    public var lexical: String { self ? "true" : "false" }
    public static var dataType: DataModel.FieldType { .boolean }

    /// Data models take `true` and `false` in any case, and nothing else.
    public static func fromField(_ text: String) throws(LexicalError) -> Bool {
        try Bool(lexical: text.lowercased())
    }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Bool
    {
        if isText("true", bytes) { return true }
        return isText("false", bytes)
            ? false : try read(String(decoding: bytes, as: UTF8.self), isField: isField)
    }
}

extension Int: LexicalValue {
    /// Reads xs:integer, as far as it fits.
    public init(lexical text: String) throws(LexicalError) {
        guard let value = Int(text.trimmingXMLSpace) else {
            throw LexicalError(
                expected: "a whole number",
                reason: "“\(text)” is not one (or does not fit 64 bits)"
            )
        }
        self = value
    }

    public var lexical: String { description }
    public static var dataType: DataModel.FieldType { .number }

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Int
    {
        if let plain = PlainText.number(bytes), plain.fraction == nil {
            return plain.isNegative ? -plain.digits : plain.digits
        }
        return try Int(lexical: String(decoding: bytes, as: UTF8.self))
    }
}

extension Double: LexicalValue {
    /// Reads xs:double, `INF`, `-INF` and `NaN` included.
    public init(lexical text: String) throws(LexicalError) {
        switch text.trimmingXMLSpace {
        case "INF", "+INF": self = .infinity
        case "-INF": self = -.infinity
        case "NaN": self = .nan
        case let trimmed:
            // Swift's own reader also takes hexadecimal, "inf" and "nan", which XML Schema does not.
            guard trimmed.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let value = Double(trimmed) else {
                throw LexicalError(text, isNot: "a number")
            }
            // Swift's own reader makes infinite what is beyond the range.
            guard value.isFinite else {
                throw LexicalError(
                    expected: "a number",
                    reason: "“\(text.prefix(80))” is beyond the range of a double"
                )
            }
            self = value
        }
    }

    public var lexical: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-INF" : "INF" }
        return description
    }

    public static var dataType: DataModel.FieldType { .number }

    /// A data model's number is finite. A server that was sent another writes it as `nan`, `inf` or `NaN`.
    public static func fromField(_ text: String) throws(LexicalError) -> Double {
        guard let value = try? Double(lexical: text), !value.isFinite else {
            return try Double(lexical: text)
        }
        throw LexicalError(expected: "a finite number", reason: "“\(text)” is not one")
    }

    private static let powersOfTen = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    public static func _read(utf8 bytes: UnsafeBufferPointer<UInt8>, isField: Bool) throws(LexicalError)
        -> Double
    {
        // Both the digits and the power of ten below them are exact as `Double`, and so their quotient is the
        // nearest one.
        if let plain = PlainText.number(bytes) {
            let quotient = Double(plain.digits) / powersOfTen[plain.fraction ?? 0]
            return plain.isNegative ? -quotient : quotient
        }
        return try read(String(decoding: bytes, as: UTF8.self), isField: isField)
    }
}

extension Decimal: LexicalValue {
    /// Reads xs:decimal: digits with an optional sign and point, no exponent.
    /// - Throws: ``LexicalError`` also for a number of more digits than `Decimal` holds, about 38: it is not
    ///   rounded.
    public init(lexical text: String) throws(LexicalError) {
        let isPlain = !text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        guard isPlain, let number = ExactDecimal(text.trimmingXMLSpace, .xmlSchema)?.trimmed else {
            throw LexicalError(text, isNot: "a decimal number")
        }
        let digits = number.description
        // No number of more digits and zeros fits.
        guard digits.utf8.count <= 400,
            let value = Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX")),
            ExactDecimal(value.lexical)?.trimmed == number
        else {
            throw LexicalError(
                expected: "a decimal number of at most 38 digits",
                reason: "“\(text.prefix(80))” would be rounded"
            )
        }
        self = value
    }

    public var lexical: String { NSDecimalNumber(decimal: self).description(withLocale: nil) }
    public static var dataType: DataModel.FieldType { .number }
}

extension URL: LexicalValue {
    /// Reads xs:anyURI.
    public init(lexical text: String) throws(LexicalError) {
        guard let url = URL(string: String(text.trimmingXMLSpace)) else {
            throw LexicalError(text, isNot: "a URI")
        }
        self = url
    }

    public var lexical: String { absoluteString }
}

extension Data: LexicalValue {
    /// Reads xs:base64Binary; white space between the digits is allowed.
    public init(lexical text: String) throws(LexicalError) {
        // Byte by byte: as a character, a carriage return and a line feed are one.
        let digits = Data(text.utf8.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D })
        // Foundation reads more than is allowed: text of any length, digits behind the padding and bits
        // beneath it.
        guard digits.count.isMultiple(of: 4), let data = Data(base64Encoded: digits),
            data.base64EncodedData() == digits
        else {
            throw LexicalError(
                expected: "base64",
                reason: "the text is not (its length or a character is wrong)"
            )
        }
        self = data
    }

    public var lexical: String { base64EncodedString() }
}

/// Values in their common spelling, read from bytes without a `String`. `nil` says only that the text is not
/// in that spelling; whether it is a value all the same, the type's own reader says.
enum PlainText {
    @inline(__always)
    private static func digit(_ byte: UInt8) -> Int? {
        let value = Int(byte) - 0x30
        return value >= 0 && value <= 9 ? value : nil
    }

    /// Up to 15 digits, perhaps behind a minus, and perhaps with a point in front of the last `fraction` of
    /// them.
    @inline(__always)
    static func number(_ bytes: UnsafeBufferPointer<UInt8>) -> (
        isNegative: Bool, digits: Int, fraction: Int?
    )? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var value = 0
        var count = 0
        var fraction: Int?
        guard bytes.count - start <= 16 else { return nil }
        for index in start..<bytes.count {
            if let digit = digit(bytes[index]) {
                value = value * 10 + digit
                count += 1
                fraction? += 1
            } else if bytes[index] == UInt8(ascii: "."), fraction == nil {
                fraction = 0
            } else {
                return nil
            }
        }
        return count > 0 && count <= 15 ? (isNegative, value, fraction) : nil
    }
}

/// A concept with its code: a title for people, an identifier within a code system for programs. SDML type
/// `CodedValue`.
public struct CodedValue: CompoundValue {
    /// The concept in words.
    @Field(formerly: "code_title") public var title: String?
    /// The system the identifier belongs to.
    @Field(formerly: "code_system") public var system: CodeSystem?
    @Field(formerly: "code_identifier") public var identifier: String?

    public init() {}

    /// A code, what it means in words, and the system it is a code of.
    public init(title: String?, system: CodeSystem? = nil, identifier: String? = nil) {
        self.title = title
        self.system = system
        self.identifier = identifier
    }
}

/// A system of codes, named by its URI.
///
/// The known ones are those that Indivo's core models use. Any other is made from its URI:
/// `CodeSystem("http://codes.example.org/sleep#")`.
public struct CodeSystem: LexicalValue, ExpressibleByStringLiteral, CustomStringConvertible, XMLTextReadable {
    /// The URI as it stands in documents.
    public let uri: String

    /// A system by its URI.
    public init(_ uri: String) { self.uri = uri }
    public init(lexical text: String) { uri = text }
    public var lexical: String { uri }

    /// SNOMED CT: findings, allergies, problems.
    public static let snomed = CodeSystem("http://purl.bioontology.org/ontology/SNOMEDCT/")
    /// RxNorm: drugs.
    public static let rxNorm = CodeSystem("http://purl.bioontology.org/ontology/RXNORM/")
    /// NDF-RT: classes of drugs.
    public static let ndfrt = CodeSystem("http://purl.bioontology.org/ontology/NDFRT/")
    /// UNII: substances, foods among them.
    public static let unii = CodeSystem("http://fda.gov/UNII/")
    /// LOINC: laboratory tests and measurements.
    public static let loinc = CodeSystem("http://purl.bioontology.org/ontology/LNC/")
    /// CVX: vaccines.
    public static let cvx = CodeSystem("http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=cvx#")
    public static let vaccineGroup = CodeSystem(
        "http://www2a.cdc.gov/nip/IIS/IISStandards/vaccines.asp?rpt=vg#"
    )

    /// One of SMART's own code lists, such as `smart("LabStatus")`.
    public static func smart(_ list: String) -> CodeSystem {
        CodeSystem("http://smartplatforms.org/terms/codes/\(list)#")
    }
}

/// An amount and its unit, both as text: `"140"`, `"mg/dL"`. The server takes any value (`"<5"`). SDML type
/// `ValueAndUnit`.
public struct ValueAndUnit: CompoundValue {
    /// The amount as written.
    @Field public var value: String?
    /// The unit, in UCUM where the model says so.
    @Field public var unit: String?

    public init() {}

    public init(_ value: String?, _ unit: String?) {
        self.value = value
        self.unit = unit
    }

    /// The amount as a number, where it is one.
    public var number: Double? { value.flatMap { try? Double(lexical: $0) } }

    /// The amount and the unit: `140 mg/dL`.
    public var description: String { [value, unit].compactMap { $0 }.joined(separator: " ") }
}

/// The bounds between which a value lies. SDML type `ValueRange`: `_min` and `_max`.
public struct ValueRange: CompoundValue {
    /// The highest value that is in the range.
    @Field("max") public var maximum: ValueAndUnit?
    /// The lowest value that is in the range.
    @Field("min") public var minimum: ValueAndUnit?

    public init() {}

    /// A range; open where there is no value.
    public init(from minimum: ValueAndUnit?, to maximum: ValueAndUnit?) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The bounds: `70 mg/dL to 110 mg/dL`, `from 70 mg/dL`, `up to 110 mg/dL`.
    public var description: String {
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): "\(minimum) to \(maximum)"
        case (let minimum?, nil): "from \(minimum)"
        case (nil, let maximum?): "up to \(maximum)"
        case (nil, nil): ""
        }
    }
}

/// A measured result with the ranges that help to read it. SDML type `QuantitativeResult`.
public struct QuantitativeResult: CompoundValue {
    /// What was measured.
    @Field public var value: ValueAndUnit?
    /// Where healthy people's values lie.
    @Field("normal_range") public var normalRange: ValueRange?
    /// Outside this range the value calls for action.
    @Field("non_critical_range") public var nonCriticalRange: ValueRange?

    public init() {}

    /// A value, and what it is to be compared with.
    public init(_ value: ValueAndUnit?, normalRange: ValueRange? = nil, nonCriticalRange: ValueRange? = nil) {
        self.value = value
        self.normalRange = normalRange
        self.nonCriticalRange = nonCriticalRange
    }
}

/// One reading of a vital sign. SDML type `VitalSign`: `_unit`, `_value` and `_name`.
public struct VitalSign: CompoundValue {
    /// The unit, in UCUM.
    @Field public var unit: String?
    /// The number, in the unit.
    @Field public var value: Double?
    /// What was read, coded in LOINC.
    @Field public var name: CodedValue?

    public init() {}

    /// A number, its unit and what was measured.
    public init(_ value: Double?, _ unit: String?, name: CodedValue? = nil) {
        self.value = value
        self.unit = unit
        self.name = name
    }
}

/// A blood pressure and how it was taken. SDML type `BloodPressure`.
public struct BloodPressure: CompoundValue {
    /// How the patient sat, stood or lay.
    @Field public var position: CodedValue?
    /// Where on the body it was taken.
    @Field public var site: CodedValue?
    @Field public var method: CodedValue?
    /// The lower pressure.
    @Field public var diastolic: VitalSign?
    /// The upper pressure.
    @Field public var systolic: VitalSign?

    public init() {}

    /// The two pressures, without how they were taken.
    public init(systolic: VitalSign?, diastolic: VitalSign?) {
        self.systolic = systolic
        self.diastolic = diastolic
    }
}
