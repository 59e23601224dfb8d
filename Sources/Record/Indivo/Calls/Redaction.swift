import Foundation
import IndivoBase

/// Replaces by `…`, in a server's message, what was sent to the server and what the message quotes, as far as
/// that can be recognised:
/// - values that were sent, wherever they stand, as they are and as servers escape them;
/// - the beginnings of such values, from four characters on: servers cut short what they quote;
/// - words of four characters and more that are words of such values, or begin one;
/// - values of fewer than four characters, where they stand alone;
/// - what stands in quotation marks, but for names of elements, models and fields; and ids in the form of a
///   UUID.
struct Redaction {
    private let text: [UInt8]
    private var isHidden: [Bool]
    /// The positions of each sequence of four bytes in the text.
    private var places: [UInt32: [Int]] = [:]
    /// The words of the text of four bytes and more, by their first four.
    private var words: [UInt32: [Range<Int>]] = [:]

    /// The redacted text; empty if more than 4 MiB was sent, which would take too long to search for.
    static func redact(_ text: String, sent values: some Sequence<String>, names: Set<String> = []) -> String
    {
        let forms = Set(
            values.flatMap { value in
                let plain = ServerMessage.collapsed(value)
                // The text had its control characters replaced before, so the values need the same.
                return [plain.shown(), asHTML(plain).shown(), asPython(plain)]
            }
        )
        guard forms.reduce(0, { $0 + $1.utf8.count }) <= 4 << 20 else { return "" }
        var redaction = Redaction(text)
        for form in forms { redaction.hide(Array(form.utf8)) }
        redaction.hideWordsAlone(
            Set(forms.lazy.filter { !$0.isEmpty && $0.utf8.count < 4 }.map { Array($0.utf8) })
        )
        redaction.hideQuotations(except: Set(names.map { Array($0.utf8) }))
        redaction.hideIDs()
        return redaction.rest()
    }

    private init(_ text: String) {
        self.text = Array(text.utf8)
        isHidden = Array(repeating: false, count: self.text.count)
        for place in self.text.indices.dropLast(3) {
            places[Self.key(self.text, at: place), default: []].append(place)
        }
        for word in Self.words(in: self.text) where word.count >= 4 {
            words[Self.key(self.text, at: word.lowerBound), default: []].append(word)
        }
    }

    // MARK: What was sent

    private mutating func hide(_ value: [UInt8]) {
        guard value.count >= 4 else { return }
        hideBeginnings(of: value)
        for word in Self.words(in: value) where word.count >= 4 {
            let key = Self.key(value, at: word.lowerBound)
            let text = text
            let isPart = { (place: Range<Int>) in
                place.count <= word.count && text[place].elementsEqual(value[word].prefix(place.count))
            }
            for place in words[key] ?? [] where isPart(place) { hide(place) }
            words[key]?.removeAll(where: isPart)
        }
    }

    private mutating func hideBeginnings(of value: [UInt8]) {
        var end = 0
        for place in places[Self.key(value, at: 0)] ?? [] where place >= end {
            var length = 4
            while length < value.count, place + length < text.count, text[place + length] == value[length] {
                length += 1
            }
            if length < value.count {
                // Only the beginning matched: hide whole words, so that a word that merely begins in the same
                // way stays.
                guard place == 0 || !Self.isWord(text, place - 1) else { continue }
                while length > 0, place + length < text.count, Self.isWord(text, place + length),
                    Self.isWord(text, place + length - 1)
                { length -= 1 }
                guard length >= 4 else { continue }
            }
            end = place + length
            hide(place..<end)
        }
    }

    private mutating func hideWordsAlone(_ values: Set<[UInt8]>) {
        for piece in text.indices.split(whereSeparator: { text[$0] == 0x20 }) {
            guard let first = piece.first(where: { Self.isWord(text, $0) }),
                let last = piece.last(where: { Self.isWord(text, $0) })
            else { continue }
            if values.contains(Array(text[first...last])) { hide(first..<last + 1) }
        }
    }

    // MARK: What looks like somebody's

    /// Hides what stands between quotation marks; after an unclosed mark, the rest of the text.
    private mutating func hideQuotations(except names: Set<[UInt8]>) {
        let string = text
        var place = 0
        while place < string.count {
            guard let close = Self.closingMark(string, at: place) else {
                place += 1
                continue
            }
            let start = place + (string[place] < 0x80 ? 1 : close.count)
            let end =
                string[start...].indices.first { index in
                    string[index...].starts(with: close)
                        // An apostrophe within a word closes nothing.
                        && (index + close.count == string.count || !Self.isWord(string, index + close.count)
                            || close.count > 1)
                } ?? string.count
            if end == string.count || !names.contains(Array(string[start..<end])) { hide(start..<end) }
            place = end + close.count
        }
    }

    /// The mark that closes the quotation that begins at an index, if there is one.
    private static func closingMark(_ text: [UInt8], at place: Int) -> [UInt8]? {
        if text[place...].starts(with: "“".utf8) { return Array("”".utf8) }
        guard [0x22, 0x27, 0x60].contains(text[place]) else { return nil }
        // Python writes u'…' and b'…'. Otherwise an apostrophe after a letter does not open a quotation.
        var before = place - 1
        if before >= 0, [0x75, 0x62].contains(text[before]) { before -= 1 }
        return before < 0 || !isWord(text, before) ? [text[place]] : nil
    }

    private mutating func hideIDs() {
        let string = String(decoding: text, as: UTF8.self)
        // By scalars: as a Character, a digit with a joiner behind it is not a digit.
        let form = #/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#.matchingSemantics(.unicodeScalar)
        for id in string.ranges(of: form) {
            let start = string.utf8.distance(from: string.startIndex, to: id.lowerBound)
            hide(start..<start + 36)
        }
    }

    // MARK: The text

    private mutating func hide(_ range: Range<Int>) { for place in range { isHidden[place] = true } }

    /// What is not hidden, with `…` for the rest.
    private mutating func rest() -> String {
        // A character is hidden with all its bytes.
        for place in text.indices.dropFirst() where isHidden[place - 1] && text[place] & 0xC0 == 0x80 {
            isHidden[place] = true
        }
        // Hidden ranges with only a blank between them are shown as one `…`.
        let shown = text.indices.split { isHidden[$0] }
            .filter { $0.lowerBound == 0 || $0.upperBound == text.count || text[$0] != [0x20] }
        let pieces = shown.map { String(decoding: text[$0], as: UTF8.self) }
        return ((isHidden.first == true ? [""] : []) + pieces + (isHidden.last == true ? [""] : [])).joined(
            separator: "…"
        )
    }

    /// Whether a byte belongs to a letter, a digit, or a character beyond ASCII that is not in Unicode's
    /// General Punctuation.
    private static func isWord(_ text: [UInt8], _ place: Int) -> Bool {
        switch text[place] {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x80...:
            // U+2000 to U+207F are three bytes from E2 80 to E2 81, dashes and marks such as … among them.
            !(max(0, place - 2)...place).contains { lead in
                text[lead] == 0xE2 && lead + 1 < text.count && [0x80, 0x81].contains(text[lead + 1])
            }
        default: false
        }
    }

    private static func words(in text: [UInt8]) -> [Range<Int>] { text.indices.split { !isWord(text, $0) } }

    private static func key(_ bytes: [UInt8], at place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: How servers write values down

    /// The value as the server's HTML templates escape it.
    private static func asHTML(_ value: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
        ]
        return value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }

    /// The value as Python shows it in a message: `caf\xe9`.
    private static func asPython(_ value: String) -> String {
        value.unicodeScalars.map { scalar in
            switch scalar.value {
            case ..<0x80: String(scalar)
            case ..<0x100: String(format: "\\x%02x", scalar.value)
            case ..<0x10000: String(format: "\\u%04x", scalar.value)
            default: String(format: "\\U%08x", scalar.value)
            }
        }.joined()
    }
}
