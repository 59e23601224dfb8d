import IndivoBase

/// The formats of primitives (FHIR R4, “Data Types”), on bytes of UTF-8.
package enum TextScan {
    package typealias Text = UnsafeBufferPointer<UInt8>

    // MARK: Dates and times

    package static func date(_ text: Text) -> Bool { CivilDateTime(utf8: text)?.kind == .date }

    package static func time(_ text: Text) -> Bool { CivilDateTime(timeOfDay: text)?.precision == .second }

    package static func dateTime(_ text: Text) -> Bool { CivilDateTime(utf8: text)?.isFHIRDateTime == true }

    package static func instant(_ text: Text) -> Bool { CivilDateTime(utf8: text)?.isInstant == true }

    /// What is wrong with a text that looks like a date or time; `nil` if it does not, or if nothing is
    /// wrong.
    package static func timeProblem(_ text: Text) -> String? {
        var scanner = CivilTimeScanner(text)
        do throws(CivilTimeError) {
            var date = try scanner.date(isPartial: true)
            date.kind = .dateTime
            guard 1...9999 ~= date.year, date.precision == .day, scanner.take("T") else { return nil }
            try scanner.time(of: &date, .iso8601)
            guard date.precision == .second, scanner.isAtEnd else { return nil }
            return "a time needs its zone: Z, or an offset such as +01:00"
        } catch {
            return error.nonexistentPart.map { "the \($0.rawValue) does not exist" }
        }
    }

    // MARK: Codes

    /// No space at the ends, and no two in a row.
    package static func isCode(_ text: Text) -> Bool {
        var wasSpace = true
        for byte in text {
            let isSpace = isSpace(byte)
            if isSpace && wasSpace { return false }
            wasSpace = isSpace
        }
        return !wasSpace
    }

    package static func isIDCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// 1 to 64 letters, digits, `-` and `.`.
    package static func isID(_ text: some Collection<UInt8>) -> Bool {
        (1...64).contains(text.count) && text.allSatisfy(isIDCharacter)
    }

    /// Subtags of one to eight letters and digits, the first of letters (BCP 47).
    package static func isLanguageTag(_ text: Text) -> Bool {
        let tags = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return tags.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
            && tags[0].allSatisfy(isLetter)
    }

    /// Three capitals (ISO 4217).
    package static func isCurrency(_ text: Text) -> Bool { text.count == 3 && text.allSatisfy(isCapital) }

    /// `type/subtype`, and what follows a semicolon (RFC 6838).
    package static func isMediaType(_ text: Text) -> Bool {
        let name = text.prefix { $0 != UInt8(ascii: ";") }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { isLetter($0) || isDigit($0) || "!#$&-^_.+*".utf8.contains($0) }
            }
    }

    // MARK: URIs

    package static func hasSpace(_ text: Text) -> Bool { text.contains(where: isSpace) }

    /// Whether it is absolute: a letter, letters and digits, and a colon (RFC 3986 section 3.1).
    package static func hasScheme(_ text: Text) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        let end = text.firstIndex { !(isLetter($0) || isDigit($0) || "+-.".utf8.contains($0)) }
        return end.map { text[$0] == UInt8(ascii: ":") } ?? false
    }

    package static func isUUID(_ text: Text) -> Bool {
        guard text.count == 45, text.starts(with: "urn:uuid:".utf8) else { return false }
        return text.dropFirst(9).enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
        }
    }

    /// `urn:oid:`, 0 to 2, and numbers without leading zeros.
    package static func isOID(_ text: Text) -> Bool {
        guard text.starts(with: "urn:oid:".utf8) else { return false }
        let arcs = text.dropFirst(8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard arcs.count > 1, arcs[0].count == 1, let first = arcs[0].first,
            ("0"..."2").contains(UnicodeScalar(first))
        else { return false }
        return arcs.dropFirst().allSatisfy { arc in
            !arc.isEmpty && arc.allSatisfy(isDigit) && (arc.count == 1 || arc.first != UInt8(ascii: "0"))
        }
    }

    // MARK: Base64

    /// Groups of four characters, the last padded (RFC 4648 section 4); white space may stand between.
    package static func isBase64(_ text: Text) -> Bool {
        var count = 0
        var padding = 0
        for byte in text where !isSpace(byte) {
            count += 1
            if byte == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard padding == 0,
                    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
                else { return false }
            }
        }
        return count > 0 && count.isMultiple(of: 4) && padding <= 2
    }

    /// The number of bytes that base64 encodes; `nil` if the text is not base64.
    package static func decodedCount(_ text: Text) -> Int? {
        guard isBase64(text) else { return nil }
        let count = text.count { !isSpace($0) }
        return count / 4 * 3 - text.count { $0 == UInt8(ascii: "=") }
    }

    /// Whether a tag of HTML seems to begin in the text.
    package static func hasTag(_ text: Text) -> Bool {
        var wasOpen = false
        for byte in text {
            if wasOpen, isLetter(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!") {
                return true
            }
            wasOpen = byte == UInt8(ascii: "<")
        }
        return false
    }

    // MARK: Characters

    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    package static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
}
