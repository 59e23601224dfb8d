/// A table of a page. On a phone each row becomes a card, in which every cell says what it is.
package struct PageTable {
    package var heads: [String]
    /// The cells of each row, the first one naming it.
    package var rows: [[Markup]]
    /// What stands there when there is no row.
    package var empty: Markup

    package init(heads: [String], rows: [[Markup]], empty: Markup = "None.") {
        self.heads = heads
        self.rows = rows
        self.empty = empty
    }

    package var markup: Markup {
        guard !rows.isEmpty else { return "<p>\(empty)</p>" }
        let cells = heads.map { head -> Markup in "<th scope=\"col\">\(head)</th>" }
        let lines = rows.map { row -> Markup in
            let cells = zip(heads, row).enumerated().map { index, cell -> Markup in
                index == 0
                    ? "<th scope=\"row\">\(cell.1)</th>"
                    : """
                    <td class="\(cell.1.description == "–" ? "none" : "some")" \
                    data-head="\(cell.0)">\(cell.1)</td>
                    """
            }
            return "<tr>\(cells)</tr>"
        }
        return "<table><thead><tr>\(cells)</tr></thead><tbody>\(lines)</tbody></table>"
    }

    /// A text for a cell; a dash for none.
    package static func cell(_ text: String?) -> Markup { text.flatMap { $0.isEmpty ? nil : "\($0)" } ?? "–" }
}
