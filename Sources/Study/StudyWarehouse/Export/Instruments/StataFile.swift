import FHIR
import Foundation

/// An instrument as a data set of Stata: format 118, which Stata 14 and later read, with labels of variables
/// and of values.
///
/// Numbers are doubles; choices are numbers with labels; dates count days, moments milliseconds since 1960 in
/// UTC (`%td`, `%tc`). Texts of more than 2045 bytes are `strL`s, which stand behind the data: the rows are
/// given twice, first to `row`, then to ``longTexts(_:observation:)``.
public struct StataFile: Sendable {
    /// How a variable is stored.
    private enum Storage {
        case byte, long, double
        case text(Int)
        case longText

        var code: UInt16 {
            switch self {
            case .byte: 65530
            case .long: 65528
            case .double: 65526
            case .text(let length): UInt16(length)
            case .longText: 32768
            }
        }

        var width: Int {
            switch self {
            case .byte: 1
            case .long: 4
            case .double, .longText: 8
            case .text(let length): length
            }
        }
    }

    private struct Variable {
        let name: String
        let label: String
        let storage: Storage
        let format: String
        let kind: InstrumentColumn.Kind
        /// The codes of a choice with their numbers.
        let numbers: [String: Int]
        let valueLabel: String
    }

    private static let maximumText = 2045
    private let instrument: Instrument
    private let title: String
    private let variables: [Variable]
    private let rowCount: Int

    /// The most variables that Stata's edition SE takes.
    public static let maximumVariables = 32_767

    /// - Parameter provenance: Of which the data set's label has the beginning.
    public init(_ instrument: Instrument, _ provenance: ExportProvenance) {
        self.instrument = instrument
        title = "\(instrument.title). \(provenance.summary)"
        rowCount = instrument.responseCount
        let head = InstrumentRow.columns.map { column in
            let isTime = column.name == "authored"
            return Variable(
                name: column.name,
                label: isTime ? "When it was answered, in UTC" : column.meaning,
                // Of a participant and a response: digests, and a version of any length.
                storage: isTime ? .double : column.name == "version" ? .text(255) : .text(64),
                format: isTime ? "%tc" : "%20s",
                kind: isTime ? .dateTime : .text,
                numbers: [:],
                valueLabel: ""
            )
        }
        variables = head + instrument.columns.enumerated().map { Self.variable($1, number: $0) }
    }

    private static func variable(_ column: InstrumentColumn, number: Int) -> Variable {
        var storage = Storage.double
        var format = "%10.0g"
        var valueLabel = ""
        switch column.kind {
        case .boolean:
            storage = .byte
            valueLabel = "yesno"
        case .choice where !column.options.isEmpty:
            storage = .long
            valueLabel = "label\(number + 1)"
        case .date: format = "%td"
        case .dateTime: format = "%tc"
        case .integer, .decimal: break
        case .choice, .time, .text:
            storage = column.maximumLength > maximumText ? .longText : .text(max(1, column.maximumLength))
            format = "%20s"
        }
        return Variable(
            name: column.variable,
            label: column.label,
            storage: storage,
            format: format,
            kind: column.kind,
            numbers: Dictionary(firstOf: zip(column.options.map(\.code), column.optionNumbers)),
            valueLabel: valueLabel
        )
    }

    // MARK: What is before the data

    /// The beginning of the file.
    public var head: Data {
        var data = Self.tag("stata_dta><header><release>118</release><byteorder>LSF</byteorder><K")
        data.append(Self.bytes(UInt16(variables.count)))
        data.append(Self.tag("/K><N"))
        data.append(Self.bytes(UInt64(rowCount)))
        data.append(Self.tag("/N><label"))
        let label = Self.text(title, atMost: 320, characters: 80)
        data.append(Self.bytes(UInt16(label.count)))
        data.append(label)
        // No time: a data set of the same rows has the same bytes.
        data.append(Self.tag("/label><timestamp"))
        data.append(Data([0]))
        data.append(Self.tag("/timestamp></header><map"))
        let description = described
        let mapEnd = data.count + 14 * 8 + "</map>".utf8.count
        var offsets = [0, data.count - "<map>".utf8.count, mapEnd]
        for part in description { offsets.append((offsets.last ?? 0) + part.count) }
        let dataEnd =
            (offsets.last ?? 0) + "<data></data>".utf8.count + rowCount
            * variables.reduce(0) { $0 + $1.storage.width }
        offsets.append(dataEnd)
        let textsEnd = dataEnd + "<strls></strls>".utf8.count + longTextLength
        offsets.append(textsEnd)
        let labelsEnd = textsEnd + valueLabels.count
        offsets += [labelsEnd, labelsEnd + "</stata_dta>".utf8.count]
        for offset in offsets { data.append(Self.bytes(UInt64(offset))) }
        data.append(Self.tag("/map"))
        for part in description { data.append(part) }
        data.append(Self.tag("data"))
        return data
    }

    /// The sections between map and data, each with its tags.
    private var described: [Data] {
        func section(_ name: String, _ content: Data) -> Data {
            Self.tag(name) + content + Self.tag("/" + name)
        }
        func fields(_ width: Int, _ text: (Variable) -> String, characters: Int) -> Data {
            variables.reduce(into: Data()) { data, variable in
                let bytes = Self.text(text(variable), atMost: width - 1, characters: characters)
                data.append(bytes + Data(count: width - bytes.count))
            }
        }
        return [
            section(
                "variable_types",
                variables.reduce(into: Data()) { $0.append(Self.bytes($1.storage.code)) }
            ),
            section("varnames", fields(129, \.name, characters: 32)),
            section("sortlist", Data(count: 2 * (variables.count + 1))),
            section("formats", fields(57, \.format, characters: 56)),
            section("value_label_names", fields(129, \.valueLabel, characters: 32)),
            section("variable_labels", fields(321, \.label, characters: 80)),
            section("characteristics", Data()),
        ]
    }

    private var longTextLength: Int {
        zip(variables.dropFirst(InstrumentRow.columns.count), instrument.columns).reduce(0) { sum, pair in
            guard case .longText = pair.0.storage else { return sum }
            return sum + pair.1.valueCount * (3 + 4 + 8 + 1 + 4 + 1) + pair.1.totalLength
        }
    }

    // MARK: The data

    /// A row of the data.
    ///
    /// - Parameter observation: From 1.
    public func row(_ row: InstrumentRow, observation: Int) -> Data {
        var data = Data()
        let cells = row.head.map { $0.isEmpty ? nil : $0 } + row.cells
        for (index, (variable, cell)) in zip(variables, cells).enumerated() {
            switch variable.storage {
            case .byte: data.append(cell.map { $0 == "true" ? 1 : 0 } ?? 101)
            case .long:
                let number = cell.flatMap { variable.numbers[$0] }.flatMap(Int32.init(exactly:))
                data.append(Self.bytes(UInt32(bitPattern: number ?? 2_147_483_621)))
            case .double:
                data.append(Self.bytes((Self.number(cell, variable.kind) ?? Self.missing).bitPattern))
            case .text(let length):
                let bytes = Self.text(cell ?? "", atMost: length, characters: .max)
                data.append(bytes + Data(count: length - bytes.count))
            case .longText:
                // Variable and observation of the text: two and six bytes.
                let reference = cell == nil ? 0 : UInt64(index + 1) | UInt64(observation) << 16
                data.append(Self.bytes(reference))
            }
        }
        return data
    }

    /// What stands between the data and the long texts.
    public let middle = tag("/data><strls")

    /// Whether the rows have to be given a second time.
    public var hasLongTexts: Bool {
        variables.contains { if case .longText = $0.storage { true } else { false } }
    }

    /// The long texts of a row.
    ///
    /// - Parameter observation: From 1.
    public func longTexts(_ row: InstrumentRow, observation: Int) -> Data {
        var data = Data()
        let first = InstrumentRow.columns.count
        for (index, variable) in variables.enumerated().dropFirst(first) {
            guard case .longText = variable.storage, let cell = row.cells[index - first] else { continue }
            data.append(Data("GSO".utf8))
            data.append(Self.bytes(UInt32(index + 1)))
            data.append(Self.bytes(UInt64(observation)))
            data.append(130)
            data.append(Self.bytes(UInt32(cell.utf8.count + 1)))
            data.append(Data(cell.utf8))
            data.append(0)
        }
        return data
    }

    /// The end of the file.
    public var end: Data { Self.tag("/strls") + valueLabels + Self.tag("/stata_dta") }

    private var valueLabels: Data {
        var data = Self.tag("value_labels")
        data.append(Self.valueLabel("yesno", [(0, "no"), (1, "yes")]))
        for (variable, column) in zip(variables.dropFirst(InstrumentRow.columns.count), instrument.columns)
        where !column.options.isEmpty {
            data.append(
                Self.valueLabel(
                    variable.valueLabel,
                    Array(zip(column.optionNumbers, column.options.map(\.label)))
                )
            )
        }
        return data + Self.tag("/value_labels")
    }

    private static func valueLabel(_ name: String, _ labels: [(number: Int, label: String)]) -> Data {
        let sorted = labels.sorted { $0.number < $1.number }
        let texts = sorted.map { text($0.label, atMost: 32_000, characters: .max) + Data([0]) }
        var table = bytes(UInt32(sorted.count))
        table.append(bytes(UInt32(texts.reduce(0) { $0 + $1.count })))
        var offset = 0
        for text in texts {
            table.append(bytes(UInt32(offset)))
            offset += text.count
        }
        for label in sorted {
            table.append(bytes(UInt32(bitPattern: Int32(exactly: label.number) ?? 0)))
        }
        for text in texts { table.append(text) }
        var data = tag("lbl")
        data.append(bytes(UInt32(table.count)))
        let shown = text(name, atMost: 128, characters: 32)
        data.append(shown + Data(count: 129 - shown.count) + Data(count: 3))
        return data + table + tag("/lbl")
    }

    // MARK: Bytes

    /// Stata's missing number.
    private static let missing = Double(bitPattern: 0x7FE0_0000_0000_0000)
    private static let daysTo1960 = 3653.0

    private static func number(_ text: String?, _ kind: InstrumentColumn.Kind) -> Double? {
        guard let text else { return nil }
        switch kind {
        case .date:
            guard let date = FHIRDate(text: text), date.day != nil,
                let moment = FHIRDateTime(text: text + "T00:00:00Z")?.instant
            else { return nil }
            return (moment.timeIntervalSince1970 / 86_400).rounded() + daysTo1960
        case .dateTime:
            guard let moment = FHIRDateTime(text: text)?.instant else { return nil }
            return (moment.timeIntervalSince1970 * 1000).rounded() + daysTo1960 * 86_400_000
        default:
            // Larger ones are Stata's missing numbers.
            return Double(text).flatMap { abs($0) < missing ? $0 : nil }
        }
    }

    private static func tag(_ name: String) -> Data { Data("<\(name)>".utf8) }

    /// A text without zero bytes, cut at a character.
    private static func text(_ text: String, atMost length: Int, characters: Int) -> Data {
        var data = Data()
        for (number, character) in text.unicodeScalars.enumerated() where character != "\0" {
            let bytes = String(character).utf8
            guard number < characters, data.count + bytes.count <= length else { break }
            data.append(contentsOf: bytes)
        }
        return data
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }
}
