/// XML or HTML: what stands literally in the source is markup; a value put in with `\(…)` is escaped unless
/// it is markup itself.
package struct Markup: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    package private(set) var description: String

    package init(stringLiteral value: String) { description = value }
    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

    /// Text that is markup already and is trusted as such.
    package init(trusted text: String) { description = text }

    package init(_ parts: some Sequence<Markup>) {
        description = parts.reduce(into: "") { $0 += $1.description }
    }

    package static let empty: Markup = ""

    package static func + (left: Markup, right: Markup) -> Markup {
        Markup(trusted: left.description + right.description)
    }

    package static func += (left: inout Markup, right: Markup) { left.description += right.description }

    /// The five characters that matter in content and in attributes, escaped as by the real server.
    /// Characters that XML cannot carry become U+FFFD; the real server writes them as they are, and what it
    /// writes is malformed for everybody.
    package static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: Markup.isSpecial) else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(isXMLCharacter(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    /// One of `"`, `&`, `'`, `<` and `>`, a control character but tab and line ends, or where U+FFFE and
    /// U+FFFF begin.
    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x26, 0x27, 0x3C, 0x3E, 0xEF: true
        case 0x09, 0x0A, 0x0D: false
        default: byte < 0x20
        }
    }

    /// XML 1.0, section 2.2; a scalar is never a surrogate.
    private static func isXMLCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0x20...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        var text: String

        package init(literalCapacity: Int, interpolationCount: Int) {
            text = ""
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: String) { text += Markup.escape(value) }
        package mutating func appendInterpolation(_ value: Int) { text += String(value) }
        package mutating func appendInterpolation(_ markup: Markup) { text += markup.description }

        package mutating func appendInterpolation(_ markups: some Sequence<Markup>) {
            for markup in markups { text += markup.description }
        }
    }
}
