/// What the tables of instruments have, as tables themselves. No spreadsheet runs a text of them.
public enum InstrumentCodebook {
    /// The columns of ``rows(of:)``, and what they mean.
    public static let columns: [(name: String, meaning: String)] = [
        ("file", "The table, without .csv."), ("column", "The column's heading."),
        ("variable", "The column's name in Stata."), ("link id", "The question's link id."),
        ("label", "What people read."), ("group", "The texts of the groups around the question."),
        ("type", "boolean, integer, decimal, choice, date, datetime, time or text."),
        ("unit", "The unit of numbers, a code of UCUM."),
        ("required", "yes, where the questionnaire requires an answer."),
        ("minimum", "The lowest value that the questionnaire allows."), ("maximum", "The highest value."),
        ("values", "How many responses have a value; empty for columns of one option."),
    ]

    /// The columns of ``labels(of:)``.
    public static let labelColumns = [
        "file", "column", "variable", "code", "label", "number", "system", "score",
    ]

    /// A row for each column of each table.
    public static func rows(of instruments: [Instrument]) -> [[String]] {
        instruments.flatMap { instrument in
            InstrumentRow.columns.map { column in
                let type = column.name == "authored" ? "datetime" : "text"
                return [instrument.name, column.name, column.name, "", column.meaning, "", type]
                    + ["", "", "", "", String(instrument.responseCount)]
            }
                + instrument.columns.map { column in
                    [
                        instrument.name, column.name, column.variable, column.linkID, column.label,
                        column.group, column.kind.rawValue, column.unit ?? "",
                        column.isRequired ? "yes" : "", column.minimum ?? "", column.maximum ?? "",
                        column.option == nil ? String(column.valueCount) : "",
                    ].map(SpreadsheetText.guarded)
                }
        }
    }

    /// A row for each option of each choice, with the number that it has in Stata, and its score.
    public static func labels(of instruments: [Instrument]) -> [[String]] {
        instruments.flatMap { instrument in
            instrument.columns.flatMap { column in
                zip(column.options, column.optionNumbers).map { option, number in
                    let cells = [column.name, column.variable, option.code, option.label]
                    return [instrument.name] + cells.map(SpreadsheetText.guarded)
                        + [String(number), SpreadsheetText.guarded(option.system ?? ""), option.score ?? ""]
                }
            }
        }
    }

    /// The headings of an instrument's table.
    public static func header(of instrument: Instrument) -> [String] {
        InstrumentRow.columns.map(\.name) + instrument.columns.map { SpreadsheetText.guarded($0.name) }
    }

    /// A row of an instrument's table. Numbers are as they were given; a text that a spreadsheet would run
    /// has a `'` before it.
    public static func cells(of row: InstrumentRow, _ instrument: Instrument) -> [String] {
        row.head.map(SpreadsheetText.guarded)
            + zip(instrument.columns, row.cells).map { column, cell in
                guard let cell else { return "" }
                return switch column.kind {
                case .integer, .decimal, .boolean: cell
                case .choice, .date, .dateTime, .time, .text: SpreadsheetText.guarded(cell)
                }
            }
    }
}

extension InstrumentColumn {
    /// The numbers of the options where a program has numbers alone: the codes themselves, where all of
    /// them are small integers, and 1, 2, 3… otherwise.
    public var optionNumbers: [Int] {
        let numbers = options.map { option in
            Int(option.code).flatMap { String($0) == option.code && abs($0) < 1 << 31 - 1000 ? $0 : nil }
        }
        let all = numbers.compactMap { $0 }
        return all.count == options.count ? all : Array(options.indices.map { $0 + 1 })
    }
}
