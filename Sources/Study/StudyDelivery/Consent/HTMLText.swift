import StudyFormats

/// The text of simple HTML: paragraphs on lines of their own, without markup. Linear in the length.
enum HTMLText {
    private static let breaking: Set<String> = [
        "p", "br", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table", "section",
        "blockquote", "hr",
    ]
    private static let hidden: Set<String> = ["script", "style", "head", "title"]
    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "mdash": "—",
        "ndash": "–",
        "hellip": "…", "rsquo": "’", "lsquo": "‘", "rdquo": "”", "ldquo": "“", "bull": "•", "copy": "©",
        "reg": "®",
    ]

    /// A `<` that begins no tag is text.
    static func text(_ html: String) -> String {
        let bytes = Array(html.utf8)
        // No tag ends behind the last `>`: nothing is searched twice.
        let lastEnd = bytes.lastIndex(of: UInt8(ascii: ">")) ?? -1
        var lines: [String] = []
        var line: [UInt8] = []
        var hiddenIn: String?
        var index = 0
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        func endLine(bullet: Bool = false) {
            let text = String(decoding: line, as: UTF8.self).split(whereSeparator: {
                $0 == " " || $0.isNewline || $0 == "\t"
            })
            if !text.isEmpty, text != ["•"] { lines.append(text.joined(separator: " ")) }
            line = bullet ? Array("• ".utf8) : []
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "<"), index < lastEnd, index + 1 < bytes.count,
                isLetter(bytes[index + 1]) || bytes[index + 1] == UInt8(ascii: "/")
                    || bytes[index + 1] == UInt8(ascii: "!")
            {
                var end = index + 1
                let isComment = bytes[end...].starts(with: "!--".utf8)
                while end < bytes.count,
                    bytes[end] != UInt8(ascii: ">")
                        || (isComment
                            && !(end >= index + 6 && bytes[end - 1] == 0x2D && bytes[end - 2] == 0x2D))
                {
                    end += 1
                }
                let isEnd = bytes[index + 1] == UInt8(ascii: "/")
                let name = String(
                    decoding: bytes[(index + (isEnd ? 2 : 1))..<min(end, bytes.count)].prefix(12).prefix {
                        isLetter($0) || (0x30...0x39).contains($0)
                    },
                    as: UTF8.self
                ).lowercased()
                if let hiding = hiddenIn {
                    if isEnd, name == hiding { hiddenIn = nil }
                } else if !isEnd, hidden.contains(name) {
                    hiddenIn = name
                } else if breaking.contains(name) {
                    endLine(bullet: name == "li" && !isEnd)
                }
                index = end + 1
                continue
            }
            index += 1
            guard hiddenIn == nil else { continue }
            if byte == UInt8(ascii: "&"),
                let end = bytes[index...].prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let character = entity(String(decoding: bytes[index..<end], as: UTF8.self))
            {
                line += Array(character.utf8)
                index = end + 1
            } else {
                line.append(byte)
            }
        }
        endLine()
        return lines.joined(separator: "\n")
    }

    private static func entity(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return entities[name] }
        let isHex = name.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        guard let code = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10), code >= 0x20,
            let scalar = Unicode.Scalar(code)
        else { return nil }
        return String(Character(scalar))
    }
}
