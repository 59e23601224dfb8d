/// Reads the parts of dates and times from the start of a text.
package struct TimeScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// What `read` makes of a whole text; `nil` when it leaves something.
    package static func scan<Value>(_ text: String, _ read: (inout TimeScanner) -> Value?) -> Value? {
        var text = text
        return text.withUTF8 { scan($0, read) }
    }

    /// What `read` makes of a whole text in UTF-8; `nil` when it leaves something.
    package static func scan<Value>(_ text: UnsafeBufferPointer<UInt8>, _ read: (inout TimeScanner) -> Value?)
        -> Value?
    {
        var scanner = TimeScanner(text: text)
        guard let value = read(&scanner), scanner.isAtEnd else { return nil }
        return value
    }

    package init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

    package var isAtEnd: Bool { position == text.count }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Exactly so many digits, as a number in a range.
    package mutating func number(_ count: Int, _ range: ClosedRange<Int>) -> Int? {
        guard position + count <= text.count else { return nil }
        var value = 0
        for index in position..<position + count {
            guard case 0x30...0x39 = text[index] else { return nil }
            value = value * 10 + Int(text[index] & 15)
        }
        guard range.contains(value) else { return nil }
        position += count
        return value
    }

    /// The digits after a decimal point, `""` without one; `nil` for a point without digits.
    package mutating func fraction() -> String? {
        guard take(".") else { return "" }
        let start = position
        while let byte = current, case 0x30...0x39 = byte { position += 1 }
        return position == start ? nil : String(decoding: text[start..<position], as: UTF8.self)
    }

    /// `Z` or an offset from UTC, in minutes.
    package mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = number(2, 0...14), take(":"),
            let minutes = number(2, 0...(hours == 14 ? 0 : 59))
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }
}
