import FHIR
import Foundation

/// The numbers that samples may have, the same in every format.
enum SampleNumber {
    /// - Throws: ``SampleError/number(name:text:)`` for infinity, `1e400`, more than 38 digits and texts.
    static func read(_ text: String, _ name: String) throws(SampleError) -> FHIRDecimal {
        guard text.utf8.count <= 60, let number = FHIRDecimal(text) else {
            throw .number(name: name, text: text)
        }
        // Without an exponent 38 digits always fit.
        if text.utf8.count <= 38, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            return number
        }
        guard let decimal = number.decimal, decimal.isFinite else { throw .number(name: name, text: text) }
        return number
    }

    /// A number in at most 15 bytes, without an exponent, which is nearly all there are; nil for others.
    static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> FHIRDecimal? {
        guard (1...15).contains(bytes.count) else { return nil }
        var index = bytes[0] == UInt8(ascii: "-") ? 1 : 0
        func digits() -> Int {
            let start = index
            while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
            return index - start
        }
        let first = index
        let integer = digits()
        guard integer == 1 || (integer > 1 && bytes[first] != 0x30) else { return nil }
        if index < bytes.count {
            guard bytes[index] == UInt8(ascii: ".") else { return nil }
            index += 1
            guard digits() > 0, index == bytes.count else { return nil }
        }
        return FHIRDecimal(checked: String(decoding: bytes, as: UTF8.self))
    }

    /// A result of arithmetic: 15 digits, which no measurement exceeds, where it is not exact.
    static func rounded(_ value: Decimal, isExact: Bool) -> FHIRDecimal {
        FHIRDecimal(isExact ? value : significant(value, digits: 15))
    }

    /// The number with so many digits, wherever its point is.
    static func significant(_ value: Decimal, digits: Int) -> Decimal {
        guard value.isFinite, !value.isZero else { return value }
        var source = value
        var result = Decimal()
        let count = value.significand.description.utf8.prefix { $0 != UInt8(ascii: ".") }.count
        NSDecimalRound(&result, &source, digits - count - value.exponent, .plain)
        return result
    }

    /// The digits without zeros that say nothing: `70` of `70.0`.
    static func canonical(_ number: FHIRDecimal) -> String {
        guard let decimal = number.decimal, decimal.isFinite else { return number.description }
        return canonical(decimal)
    }

    static func canonical(_ decimal: Decimal) -> String {
        if decimal.isZero { return "0" }
        var text = decimal.description
        guard text.utf8.contains(UInt8(ascii: ".")) else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
