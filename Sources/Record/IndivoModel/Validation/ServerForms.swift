import IndivoBase

/// The spellings that a server accepts, where XML Schema allows more.
extension DataModel.FieldType {
    /// Why a server refuses a text that is a value of the type, or does not keep it; `nil` if it does
    /// neither.
    /// - Parameter isField: Whether it is the text of a data model's field, and not of nested XML, which a
    ///   schema checks first.
    func refusal(of text: String, isField: Bool) -> String? {
        switch self {
        case .string: nil
        case .number: (try? Double.fromField(text)) == nil ? "is no finite number" : nil
        case .boolean: Self.isBoolean(text, isField: isField) ? nil : "is neither true nor false"
        case .date, .dateTime: Self.refusal(ofDate: text)
        }
    }

    /// A server reads any but `false` as true in nested XML.
    private static func isBoolean(_ text: String, isField: Bool) -> Bool {
        let text = isField ? text.lowercased() : text
        return text == "true" || text == "false" || (text == "1" && !isField)
    }

    private static func refusal(ofDate text: String) -> String? {
        let bytes = Array(text.utf8)
        let hasFourDigits =
            bytes.count >= 10 && bytes[0] != UInt8(ascii: "-") && bytes[4] == UInt8(ascii: "-")
        guard hasFourDigits, bytes.last.map({ $0 > 0x20 }) == true else {
            return "is outside the years 1 to 9999, or has blanks around it"
        }
        if bytes.count > 10, let refusal = refusal(ofTime: bytes[10...]) { return refusal }
        return text < "1900"
            ? "is before 1900: servers store it, and their reports say BAD DATE instead" : nil
    }

    /// - Parameter bytes: What follows the day.
    private static func refusal(ofTime bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.first == UInt8(ascii: "T") else {
            return "is a day in a zone: servers take the day alone"
        }
        guard bytes.last == UInt8(ascii: "Z") else {
            return "is not in UTC: servers take no other zone, as in 2026-11-21T08:30:00Z"
        }
        // THH:MM:SS, a point and the digits behind it, Z.
        let digits = bytes.count - 11
        if digits > 6 { return "is finer than a microsecond, which servers do not take" }
        return bytes.dropFirst().starts(with: "24".utf8) ? "is hour 24: servers count from 00 to 23" : nil
    }
}

/// The addresses that a server takes as e-mail.
enum EmailForm {
    static func isAddress(_ text: String) -> Bool {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = text[text.utf8.index(after: at)...]
        return isLocalPart(text[..<at]) && isDomain(domain)
    }

    private static func isLocalPart(_ text: Substring) -> Bool {
        if text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            let inner = text.dropFirst().dropLast().utf8
            return inner.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
        }
        let atoms = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return atoms.allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { $0.isASCIILetterOrDigit || "-!#$%&'*+/=?^_`{}|~".utf8.contains($0) }
        }
    }

    /// Names of letters, digits and dashes, the last of two to six letters. Others than ASCII's letters are
    /// translated.
    private static func isDomain(_ text: Substring) -> Bool {
        var labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { labels.removeLast() }
        guard labels.count >= 2, let last = labels.last, (2...6).contains(last.count) else { return false }
        let areNames = labels.allSatisfy { label in
            let dash = UInt8(ascii: "-")
            let isName = label.allSatisfy { $0.isASCIILetterOrDigit || $0 == dash || $0 >= 0x80 }
            return isName && (1...63).contains(label.count) && label.first != dash && label.last != dash
        }
        return areNames && last.allSatisfy { $0.isASCIILetter }
    }
}
