import Foundation

/// Numbers with their times, packed into some eight bytes each.
///
/// A number has a byte of flags and exponent, the seconds from the start before, the seconds that it lasts,
/// and its digits; each as long as it needs to be. What does not fit, such as a fraction of a second, takes
/// more bytes, and nothing is rounded.
package struct PackedNumbers: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var last: Int

    /// - Parameter start: About when the numbers begin, in microseconds.
    package init(near start: Int) { last = start }

    private static let second = 1_000_000
    private static let isInMicroseconds: UInt8 = 1
    private static let isText: UInt8 = 2
    /// The most digits behind the point: their number is in the upper bits of the flags.
    private static let fractionLimit = 31

    /// - Returns: How many bytes it takes.
    package mutating func append(_ value: Decimal, over time: Range<Int>) -> Int {
        let before = bytes.count
        let step = time.lowerBound - last
        let isFine = step % Self.second != 0 || time.count % Self.second != 0
        let scale = isFine ? 1 : Self.second
        last = time.lowerBound
        let digits = Self.digits(of: value)
        var flags = isFine ? Self.isInMicroseconds : 0
        flags |= digits.map { UInt8($0.fraction) << 2 } ?? Self.isText
        bytes.append(flags)
        put(Self.zigzag(step / scale))
        put(UInt64(time.count / scale))
        if let digits {
            put(Self.zigzag(digits.integer))
        } else {
            let text = value.description.utf8
            put(UInt64(text.count))
            bytes += text
        }
        return bytes.count - before
    }

    /// The numbers, in the order that they came.
    package func forEach(near start: Int, _ body: (Decimal, Range<Int>) -> Void) {
        var position = 0
        var last = start
        func next() -> UInt64 {
            var result: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = bytes[position]
                position += 1
                result |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return result }
                shift += 7
            }
        }
        while position < bytes.count {
            let flags = bytes[position]
            position += 1
            let scale = flags & Self.isInMicroseconds == 0 ? Self.second : 1
            last += Self.unzigzag(next()) * scale
            let end = last + Int(next()) * scale
            let value: Decimal
            if flags & Self.isText != 0 {
                let count = Int(next())
                let text = String(decoding: bytes[position..<position + count], as: UTF8.self)
                position += count
                value = Decimal(string: text, locale: nil) ?? .nan
            } else {
                value = Decimal(
                    sign: .plus,
                    exponent: -Int(flags >> 2),
                    significand: Decimal(Self.unzigzag(next()))
                )
            }
            body(value, last..<end)
        }
    }

    private mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The digits as an integer, where there are few enough of them.
    private static func digits(of value: Decimal) -> (integer: Int, fraction: Int)? {
        let exponent = value.exponent
        guard value.isFinite, -fractionLimit...0 ~= exponent else { return nil }
        let integer = NSDecimalNumber(decimal: value.significand).intValue
        guard integer.magnitude < 1 << 60, Decimal(integer) == value.significand else { return nil }
        return (value.isSignMinus ? -integer : integer, -exponent)
    }

    /// Zigzag encoding: small numbers of either sign become small unsigned ones.
    private static func zigzag(_ number: Int) -> UInt64 {
        UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
    }

    private static func unzigzag(_ number: UInt64) -> Int { Int(number >> 1) ^ -Int(number & 1) }
}
