import IndivoModel

/// Rows of text in columns as wide as they need to be.
struct TextTable {
    let header: [String]
    var rows: [[String]] = []

    init(_ header: String...) { self.init(header: header) }

    init(header: [String], rows: [[String]] = []) {
        self.header = header
        self.rows = rows
    }

    /// The table's lines, the header underlined.
    var lines: [String] { lines(width: nil) }

    /// - Parameter width: How wide a line may be, so that the widest columns are shortened; `nil` for any.
    func lines(width: Int?) -> [String] {
        let all = ([header] + rows).map { row in row.map(\.onOneLine) }
        var widths = header.indices.map { column in all.map { $0[column].displayWidth }.max() ?? 0 }
        if let width { Self.shrink(&widths, to: width - 2 * (widths.count - 1)) }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                let cell = cell.shortened(to: width)
                return cell + String(repeating: " ", count: max(0, width - cell.displayWidth))
            }
            return padded.joined(separator: "  ").trimmingSuffix(" ")
        }
        return [line(all[0]), widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")]
            + all.dropFirst().map(line)
    }

    /// Takes from the widest columns what is too much, and leaves each a few characters.
    private static func shrink(_ widths: inout [Int], to total: Int) {
        let least = 6
        while widths.reduce(0, +) > total {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > least else {
                return
            }
            widths[widest] -= 1
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }

    /// The text without what would break a line or command a terminal: a document may hold anything.
    var onOneLine: String { shown() }

    /// How many columns of a terminal the text takes: those of East Asia and emoji are two wide.
    fileprivate var displayWidth: Int {
        reduce(0) { width, character in
            let scalar = character.unicodeScalars.first ?? " "
            let isWide =
                scalar.properties.isEmojiPresentation || (0x1100...0x115F).contains(scalar.value)
                || (0x2E80...0xA4CF).contains(scalar.value) || (0xAC00...0xD7A3).contains(scalar.value)
                || (0xF900...0xFAFF).contains(scalar.value) || (0xFE30...0xFE6F).contains(scalar.value)
                || (0xFF00...0xFF60).contains(scalar.value)
            return width + (isWide ? 2 : 1)
        }
    }

    fileprivate func shortened(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var text = self[...]
        while String(text).displayWidth > width - 1 { text.removeLast() }
        return text + "…"
    }
}
