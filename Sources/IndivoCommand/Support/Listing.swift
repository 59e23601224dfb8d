import Foundation
import IndivoModel
import IndivoXML

/// What a command found, ready to be printed in each form.
struct Listing {
    struct Column {
        /// What CSV calls it.
        var name: String
        /// The head of the column in the table for people; `nil` leaves it out there.
        var title: String?

        init(_ name: String, _ title: String? = nil) {
            self.name = name
            self.title = title
        }
    }

    var columns: [Column]
    var rows: [[String]]
    /// A value alone is shown to people field by field, not as a table with one row.
    var isSingle = false
    let json: () throws -> Data
    let xml: () throws -> Data

    var isEmpty: Bool { rows.isEmpty }

    /// The table for people.
    var table: TextTable {
        if isSingle, let row = rows.first {
            let fields = zip(columns, row).filter { $0.0.title != nil && !$0.1.isEmpty }
            return TextTable(header: ["", ""], rows: fields.map { [$0.0.title ?? "", $0.1] })
        }
        let shown = columns.indices.filter { columns[$0].title != nil }
        return TextTable(
            header: shown.map { columns[$0].title ?? "" }, rows: rows.map { row in shown.map { row[$0] } })
    }

    /// One line after another: of a single value without a header.
    func lines(width: Int?) -> [String] {
        let lines = table.lines(width: width)
        return isSingle ? Array(lines.dropFirst(2)) : lines
    }

    var csv: Data { CSV.data(header: columns.map(\.name), rows: rows) }
}
