/// Texts in JSON (RFC 8259, section 7).
package enum JSONString {
    /// Writes a text with its quotation marks.
    /// - Parameter isASCII: Whether all but ASCII is written in escapes, which every reader takes.
    package static func write(_ text: String, to json: inout String, isASCII: Bool = false) {
        json += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            case "\r": json += "\\r"
            case "\t": json += "\\t"
            case "\u{0}"..<"\u{20}": escape(scalar, in: &json)
            case "\u{7F}"... where isASCII: escape(scalar, in: &json)
            default: json.unicodeScalars.append(scalar)
            }
        }
        json += "\""
    }

    /// Two escapes for a character beyond the first 65,536.
    private static func escape(_ scalar: Unicode.Scalar, in json: inout String) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
