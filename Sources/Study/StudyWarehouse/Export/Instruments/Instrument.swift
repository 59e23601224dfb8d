/// A questionnaire as a table: a row for each response, a column for each question.
///
/// ```swift
/// let instruments = try warehouse.instruments(of: [questionnaire])
/// try warehouse.eachRow(of: instruments) { index, row in
///     print(instruments[index].name, row.cells)
/// }
/// ```
/// ``WarehouseTransaction/instruments(of:_:for:)`` makes them.
public struct Instrument: Sendable, Hashable {
    /// The questionnaire's URL, without a version.
    public let url: String
    /// A name for files and forms: lower-case letters, digits and `_`, a letter first, at most 40; unique
    /// in its export.
    public let name: String
    /// What people call it.
    public let title: String
    /// How many responses there are.
    public let responseCount: Int
    /// The questions, in the questionnaire's order; those that it does not list stand behind.
    public let columns: [InstrumentColumn]
    let index: [InstrumentColumn.Key: Int]
    let items: [String: InstrumentItem]
}

/// A question's values in the table of its instrument.
public struct InstrumentColumn: Sendable, Hashable {
    /// What the values are.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `true` or `false`.
        case boolean
        /// A number without a fraction, `-12`.
        case integer
        /// A number, `36.6`.
        case decimal
        /// The code of one of the column's options.
        case choice
        /// A day, `2026-03-01`.
        case date
        /// A moment with its offset from UTC, `2026-03-01T10:00:00+01:00`.
        case dateTime = "datetime"
        /// A time of day, `22:30:00`.
        case time
        /// Anything else, also a date of which only the year or the month is known.
        case text
    }

    /// One of the answers that may be chosen.
    public struct Option: Sendable, Hashable {
        /// The code, as it stands in the table; with its system and `|` before it where two of the
        /// question's systems have it.
        public let code: String
        /// What people read.
        public let label: String
        /// The code's system; `nil` for a text.
        public let system: String?
        /// What it counts in a score (`ordinalValue`, `itemWeight`); `nil` where the questionnaire does not
        /// say that of the option.
        public internal(set) var score: String?
    }

    /// The heading: the link id, with `group[2]/` before it in the second repetition of a group, `[2]`
    /// behind it for a second answer, `=code` for one of several that may be chosen together, `:text` for
    /// an answer in own words beside the options, `:unit` and `:comparator` of a quantity.
    public let name: String
    /// The same for programs: lower-case letters, digits and `_`, a letter first, at most 26; unique in its
    /// instrument.
    public let variable: String
    /// The question's link id.
    public let linkID: String
    /// What people read, with the option's label.
    public let label: String
    /// The texts of the groups around it.
    public let group: String
    /// What the values are.
    public let kind: Kind
    /// The unit that the questionnaire gives to numbers, a code of UCUM.
    public let unit: String?
    /// Of a choice.
    public let options: [Option]
    /// Whether the questionnaire requires an answer.
    public let isRequired: Bool
    /// The lowest number or date that the questionnaire allows.
    public let minimum: String?
    /// The highest number or date that the questionnaire allows.
    public let maximum: String?
    /// The most bytes of UTF-8 that a value has, and those of all values.
    let maximumLength: Int
    let totalLength: Int
    /// How many responses have a value.
    public let valueCount: Int
    let key: Key

    /// Which values of a response a column has.
    struct Key: Sendable, Hashable {
        enum Part: Sendable, Hashable {
            case value, text, unit, comparator
            case option(String)
        }
        var linkID: String
        /// The repetitions of what is around the question, as in `meds[2]/`.
        var prefix: String
        /// From 1.
        var index: Int
        var part: Part
    }

    /// The question's code of an option of which several may be chosen; `nil` for other columns.
    var option: String? { if case .option(let code) = key.part { code } else { nil } }
}

/// A response as a row of its instrument's table.
public struct InstrumentRow: Sendable, Hashable {
    /// The columns before those of the questions, and what they mean.
    public static let columns: [(name: String, meaning: String)] = [
        ("participant", "The pseudonym."),
        ("response", "Identifies the response: the same in each export."),
        ("authored", "When it was answered, with the participant's offset from UTC."),
        ("status", "completed, or amended for a correction."),
        ("version", "The questionnaire's version, as the response names it."),
    ]

    /// The pseudonym.
    public let participant: String
    /// A digest of what the response replaces or is replaced by.
    public let response: String
    /// As it was given; empty where the response has no date.
    public let authored: String
    /// `completed`, or `amended` for a correction.
    public let status: String
    /// The questionnaire's version, as the response names it.
    public let version: String
    /// The values of the instrument's columns; `nil` where there is none.
    public let cells: [String?]

    /// The values of ``columns``.
    public var head: [String] { [participant, response, authored, status, version] }
}
