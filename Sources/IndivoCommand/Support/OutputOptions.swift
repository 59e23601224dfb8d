import ArgumentParser
import Foundation
import Indivo
import IndivoModel
import IndivoXML

/// The form in which a command prints its result.
enum OutputForm: String, EnumerableFlag {
    case json, xml, csv

    static func help(for value: OutputForm) -> ArgumentHelp? {
        switch value {
        case .json: "Print JSON."
        case .xml: "Print XML."
        case .csv: "Print comma-separated values (RFC 4180) with a header."
        }
    }
}

/// How much a command tells beside its result, on standard error.
struct TalkOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Tell nothing but errors beside the result.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell each call, and more of what went wrong; it may name what is in documents.")
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// Tells a person how things stand.
    func note(_ text: String) {
        if !quiet { StandardStreams.complain(text) }
    }
}

/// How a command prints its result: a table for people, other forms for programs.
struct OutputOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive)
    var form: OutputForm?

    @OptionGroup var talk: TalkOptions

    /// Prints what was found.
    /// - Parameter none: What to tell where nothing was.
    /// - Throws: `ExitCode` 1 where nothing was found, after it was printed.
    func print(_ listing: Listing, none: String) throws {
        switch form {
        case .json: try StandardStreams.write(listing.json())
        case .xml: try StandardStreams.write(listing.xml())
        case .csv: try StandardStreams.write(listing.csv)
        case nil where !listing.isEmpty:
            for line in listing.lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
        case nil: break
        }
        if listing.isEmpty {
            talk.note(none)
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
    }
}

extension XMLNode {
    /// As a file: on lines of its own.
    func file() throws -> Data { try document.data(.pretty) }
}

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
        return TextTable(header: shown.map { columns[$0].title ?? "" }, rows: rows.map { row in shown.map { row[$0] } })
    }

    /// One line after another: of a single value without a header.
    func lines(width: Int?) -> [String] {
        let lines = table.lines(width: width)
        return isSingle ? Array(lines.dropFirst(2)) : lines
    }

    var csv: Data { CSV.data(header: columns.map(\.name), rows: rows) }
}

/// Comma-separated values (RFC 4180): a header, lines that end in CRLF, quotation marks where they are needed.
enum CSV {
    static func data(header: [String], rows: [[String]]) -> Data {
        var text = ""
        for row in [header] + rows {
            text += row.map(field).joined(separator: ",")
            text += "\r\n"
        }
        return Data(text.utf8)
    }

    private static func field(_ text: String) -> String {
        // Bytes, since Swift takes CRLF for one character.
        let special: Set<UInt8> = [UInt8(ascii: "\""), UInt8(ascii: ","), 13, 10]
        guard text.utf8.contains(where: special.contains) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
    }
}

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

extension TalkOptions {
    /// Everything in a list, with the progress on standard error where a person looks at it.
    func fetch<Element>(_ list: PagedList<Element>, _ noun: String) async throws -> [Element] {
        guard StandardStreams.errorIsTerminal, !quiet, !verbose else { return try await list.all() }
        var isShown = false
        defer { if isShown { StandardStreams.hint("\r\u{1B}[K") } }
        var all: [Element] = []
        var pages = list.pages.makeAsyncIterator()
        while let page = try await pages.next() {
            all += page.elements
            StandardStreams.hint("\r\(all.count)\(page.total.map { " of \($0)" } ?? "") \(noun)\u{1B}[K")
            isShown = true
        }
        return all
    }
}
