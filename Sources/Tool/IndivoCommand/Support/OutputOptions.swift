import ArgumentParser
import Foundation
import Indivo
import IndivoModel
import IndivoXML
import OrderedJSON

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
struct MessageOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print the result and errors only.") var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Print each call and the details of errors, which may quote documents."
    )
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// Tells a person how things stand.
    func note(_ text: String) { if !quiet { StandardStreams.printError(text) } }
}

/// How a command prints its result: a table for people, other forms for programs.
struct OutputOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive) var form: OutputForm?

    @OptionGroup var talk: MessageOptions

    /// Prints what was found. Where nothing was, it tells `none` and throws `ExitCode` 1.
    func print(_ listing: Listing, none: String = "") throws {
        switch form {
        case .json: try StandardStreams.write(listing.json())
        case .xml: try StandardStreams.write(listing.xml())
        case .csv: try StandardStreams.write(listing.csv)
        case nil:
            for line in listing.lines(width: StandardStreams.outputWidth) { try StandardStreams.say(line) }
        }
        if listing.rows.isEmpty {
            talk.note(none)
            throw ExitCode(ExitStatus.nothingFound.rawValue)
        }
    }

    /// Tells that something was done of which the server says no more.
    func printDone(_ note: String) throws {
        switch form {
        case .json: try StandardStreams.write((["status": "ok"] as JSONValue).fileData)
        case .xml: try StandardStreams.write(XMLNode("ok").file())
        case .csv: try StandardStreams.write(CSV.data(header: ["status"], rows: [["ok"]]))
        case nil: talk.note(note)
        }
    }
}

extension XMLNode {
    /// As a file: on lines of its own.
    func file() throws -> Data { try document.data(.pretty) }

    static func list(_ name: String, _ elements: [XMLNode]) -> XMLNode {
        let root = XMLNode(name)
        for element in elements { root.append(element) }
        return root
    }
}

/// What a command found, ready to be printed in each form.
struct Listing {
    /// What CSV calls the columns, each with its head in the table for people; `nil` leaves it out there.
    struct Columns: ExpressibleByDictionaryLiteral {
        var all: [(name: String, title: String?)]

        init(dictionaryLiteral all: (String, String?)...) { self.all = all }
    }

    let columns: Columns
    let rows: [[String]]
    /// A value alone is shown to people field by field, with those that a table leaves out.
    let isSingle: Bool
    let json: () throws -> Data
    let xml: () throws -> Data

    init(
        columns: Columns,
        rows: [[String?]],
        isSingle: Bool = false,
        json: @escaping () throws -> Data,
        xml: @escaping () throws -> Data
    ) {
        self.rows = rows.map { $0.map { $0 ?? "" } }
        self.columns = columns
        self.isSingle = isSingle
        self.json = json
        self.xml = xml
    }

    /// A table that JSON has as objects, and XML as elements with attributes.
    /// - Parameter attributes: The columns that XML has; all unless given. Of those behind a “?” only where
    ///   there is a value.
    init(
        _ columns: Columns,
        _ rows: [[JSONValue]],
        isSingle: Bool = false,
        list: String,
        element: String,
        attributes: [String]? = nil,
        jsonNames: [String: String] = [:]
    ) {
        let names = columns.all.map(\.name)
        let objects = rows.map {
            JSONValue(members: zip(names, $0).map { JSONMember(name: jsonNames[$0] ?? $0, value: $1) })
        }
        let elements = rows.map { row in
            let node = XMLNode(element)
            let values = Dictionary(uniqueKeysWithValues: zip(names, row))
            for attribute in attributes ?? names.map({ "?\($0)" }) {
                let name = String(attribute.trimmingPrefix("?"))
                let value = values[name].flatMap { $0.boolean?.lexical ?? $0.string ?? $0.number }
                if value != nil || name == attribute { node.attr(name, value ?? "") }
            }
            return node
        }
        self.init(
            columns: columns,
            rows: rows.map {
                zip(names, $0).map { $1.string ?? $1.number ?? ($1.boolean == true ? $0 : nil) }
            },
            isSingle: isSingle,
            json: { (isSingle ? objects[0] : JSONValue(objects)).fileData },
            xml: { try (isSingle ? elements[0] : XMLNode.list(list, elements)).file() }
        )
    }

    /// The table for people, one line after another: of a single value without a header; nothing where there
    /// is no row.
    func lines(width: Int?) -> [String] {
        guard let row = rows.first else { return [] }
        if isSingle {
            let fields = zip(columns.all, row).filter { !$1.isEmpty }
            let rows = fields.map { [$0.title ?? $0.name.replacing("_", with: " "), $1] }
            return Array(TextTable(header: ["", ""], rows: rows).lines(width: width).dropFirst(2))
        }
        let shown = columns.all.indices.filter { columns.all[$0].title != nil }
        let header = shown.map { columns.all[$0].title ?? "" }
        return TextTable(header: header, rows: rows.map { row in shown.map { row[$0] } }).lines(width: width)
    }

    var csv: Data { CSV.data(header: columns.all.map(\.name), rows: rows) }
}

/// Comma-separated values (RFC 4180): a header, lines that end in CRLF, quotation marks where they are
/// needed.
enum CSV {
    static func data(header: [String], rows: [[String]]) -> Data {
        Data(([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined().utf8)
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
    let rows: [[String]]

    /// The table's lines, the header underlined, the widest columns shortened where a line would be wider
    /// than `width`.
    func lines(width: Int? = nil) -> [String] {
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
    var onOneLine: String { shown() }

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

extension MessageOptions {
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
