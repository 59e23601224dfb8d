import IndivoBase

/// Rows of text in columns as wide as they need to be.
package struct TextTable {
    let header: [String]
    let rows: [[String]]

    package init(header: [String], rows: [[String]]) {
        self.header = header
        self.rows = rows
    }

    /// The table's lines, the header underlined, the widest columns shortened where a line would be wider
    /// than `width`.
    package func lines(width: Int? = nil) -> [String] {
        let all = ([header] + rows).map { row in row.map(\.onOneLine) }
        var widths = header.indices.map { column in all.map { $0[column].displayWidth }.max() ?? 0 }
        if let width { Self.shrink(&widths, to: width - 2 * (widths.count - 1)) }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                let cell = cell.shortened(to: width)
                return cell + String(repeating: " ", count: max(0, width - cell.displayWidth))
            }
            let line = padded.joined(separator: "  ")
            return line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
        return [line(all[0]), widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")]
            + all.dropFirst().map(line)
    }

    /// Takes from the widest columns what is too much, and leaves each six characters.
    private static func shrink(_ widths: inout [Int], to total: Int) {
        while widths.reduce(0, +) > total {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 6 else {
                return
            }
            widths[widest] -= 1
        }
    }
}

extension String {
    /// The text without what would break a line or command a terminal: a document may hold anything.
    package var onOneLine: String { shown() }

    /// How many columns of a terminal the text takes: those of East Asia and emoji are two wide.
    fileprivate var displayWidth: Int {
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
        ]
        return reduce(0) { width, character in
            let scalar = character.unicodeScalars.first ?? " "
            return width
                + (scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
                    ? 2 : 1)
        }
    }

    fileprivate func shortened(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var text = self[...]
        while String(text).displayWidth > width - 1 { text.removeLast() }
        return text + "…"
    }
}
