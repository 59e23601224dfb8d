import Foundation
import OrderedJSON

/// What a command found, as a table and as JSON.
package struct Listing {
    /// What JSON calls the columns, each with its head in the table; `nil` leaves it out there.
    package typealias Columns = KeyValuePairs<String, String?>

    let columns: [(name: String, title: String?)]
    let rows: [[String]]
    /// A value alone is shown field by field, with those that a table leaves out.
    let isSingle: Bool
    let json: () throws -> Data

    package init(
        _ columns: [(name: String, title: String?)],
        rows: [[String?]],
        isSingle: Bool = false,
        json: @escaping () throws -> Data
    ) {
        self.rows = rows.map { $0.map { $0 ?? "" } }
        self.columns = columns
        self.isSingle = isSingle
        self.json = json
    }

    package init(
        columns: Columns,
        rows: [[String?]],
        isSingle: Bool = false,
        json: @escaping () throws -> Data
    ) {
        self.init(columns.map { ($0, $1) }, rows: rows, isSingle: isSingle, json: json)
    }

    /// A table whose rows are objects of JSON.
    package init(_ columns: Columns, _ rows: [[JSONValue]], isSingle: Bool = false) {
        let objects = rows.map { row in
            JSONValue(members: zip(columns, row).map { JSONMember(name: $0.key, value: $1) })
        }
        self.init(
            columns: columns,
            rows: rows.map {
                zip(columns, $0).map { $1.string ?? $1.number ?? ($1.boolean == true ? $0.key : nil) }
            },
            isSingle: isSingle,
            json: { (isSingle ? objects[0] : JSONValue(objects)).fileData }
        )
    }

    /// The table, one line after another: of a single value without a header; nothing where there is no row.
    package func lines(width: Int?) -> [String] {
        guard let row = rows.first else { return [] }
        if isSingle {
            let fields = zip(columns, row).filter { !$1.isEmpty }
            let rows = fields.map { [$0.title ?? $0.name.replacing("_", with: " "), $1] }
            return Array(TextTable(header: ["", ""], rows: rows).lines(width: width).dropFirst(2))
        }
        let shown = columns.indices.filter { columns[$0].title != nil }
        let header = shown.map { columns[$0].title ?? "" }
        return TextTable(header: header, rows: rows.map { row in shown.map { row[$0] } }).lines(width: width)
    }

    package func print(asJSON: Bool) throws {
        if asJSON { return try StandardStreams.write(json()) }
        for line in lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
    }
}
