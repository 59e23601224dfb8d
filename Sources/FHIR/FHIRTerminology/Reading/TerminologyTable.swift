import FHIR
import IndivoBase

/// A table of R4's code systems or value sets, in which each is found by its URL and read when it is asked
/// for; `schemas/terminology/README.md` describes the format.
struct TerminologyTable: Sendable {
    private let text: String
    /// Where in the text's UTF-8 the lines of each begin and end, by URL.
    private let ranges: [String: Range<Int>]

    /// Finds the beginnings: the lines that are not indented.
    init(_ text: String) {
        var text = text
        ranges = text.withUTF8(Self.ranges)
        self.text = text
    }

    private static func ranges(_ bytes: UnsafeBufferPointer<UInt8>) -> [String: Range<Int>] {
        var ranges: [String: Range<Int>] = [:]
        var head: (url: String, start: Int)?
        var start = 0
        let raw = UnsafeRawBufferPointer(bytes)
        while start < bytes.count {
            let end = raw.index(of: UInt8(ascii: "\n"), in: start..<bytes.count) ?? bytes.count
            let first = bytes[start]
            if first != UInt8(ascii: " "), first != UInt8(ascii: "#"), first != UInt8(ascii: "\n") {
                if let head { ranges[head.url] = head.start..<start }
                let url = raw.index(of: UInt8(ascii: "\t"), in: start..<end) ?? end
                head = (String(decoding: bytes[start..<url], as: UTF8.self), start)
            }
            start = end + 1
        }
        if let head { ranges[head.url] = head.start..<bytes.count }
        return ranges
    }

    /// The URLs, in alphabetical order.
    var urls: [String] { ranges.keys.sorted() }

    /// The lines of one, without those that are empty.
    private func lines(_ url: String) -> [Substring]? {
        ranges[url].map { range in
            let utf8 = text.utf8
            let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
            let end = utf8.index(start, offsetBy: range.count)
            return utf8[start..<end].split(separator: UInt8(ascii: "\n")).map(Substring.init)
        }
    }

    private static func columns(_ line: Substring) -> [String] {
        line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
    }

    /// The facts of a line: `name=value`, or only a name.
    private static func facts(_ columns: some Sequence<String>) -> [(name: String, value: String)] {
        columns.map { column in
            let parts = column.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    // MARK: Code systems

    func codeSystem(_ url: String) -> CodeSystemContent? {
        guard let lines = lines(url), let first = lines.first else { return nil }
        let columns = Self.columns(first)
        let completeness = columns.count > 3 ? CodeSystemContent.Completeness(rawValue: columns[3]) : nil
        var head = CodeSystemContent.Head(
            url: columns[0],
            version: columns.count > 1 && !columns[1].isEmpty ? columns[1] : nil,
            name: columns.count > 2 ? columns[2] : nil,
            completeness: completeness ?? .notPresent
        )
        for fact in Self.facts(columns.dropFirst(4)) {
            switch fact.name {
            case "ignoresCase": head.ignoresCase = true
            case "supplements": head.supplements = fact.value
            case "valueSet": head.valueSet = fact.value
            default: break
            }
        }
        return CodeSystemContent(head, lines.dropFirst().map(Self.concept))
    }

    private static func concept(_ line: Substring) -> CodeSystemContent.Row {
        let text = line.drop { $0 == " " }
        let columns = columns(text)
        return CodeSystemContent.Row(
            depth: line.utf8.count - text.utf8.count - 1,
            code: columns[0],
            display: columns.count > 1 && !columns[1].isEmpty ? columns[1] : nil,
            properties: facts(columns.dropFirst(2)).map {
                CodeSystemContent.Property(name: $0.name, value: $0.value)
            }
        )
    }

    // MARK: Value sets

    func valueSet(_ url: String) -> ValueSetDefinition? {
        guard let lines = lines(url), let first = lines.first else { return nil }
        let columns = Self.columns(first)
        var definition = ValueSetDefinition(
            url: columns[0],
            version: columns.count > 1 && !columns[1].isEmpty ? columns[1] : nil,
            name: columns.count > 2 ? columns[2] : nil
        )
        for fact in Self.facts(columns.dropFirst(3)) where fact.name == "inactive" {
            definition.hasInactive = fact.value == "true"
        }
        var part: ValueSetDefinition.Part?
        var isIncluded = true
        func close() {
            guard let part else { return }
            if isIncluded { definition.included.append(part) } else { definition.excluded.append(part) }
        }
        for line in lines.dropFirst() {
            let text = line.drop { $0 == " " }
            let columns = Self.columns(text.dropFirst())
            switch text.first {
            case "+", "-":
                close()
                isIncluded = text.first == "+"
                part = ValueSetDefinition.Part(
                    system: columns[0].isEmpty ? nil : columns[0],
                    version: columns.count > 1 ? columns[1] : nil
                )
            case "=":
                let display = columns.count > 1 ? columns[1] : nil
                part?.concepts.append(ValueSetDefinition.Listed(code: columns[0], display: display))
            case "?" where columns.count == 3:
                part?.filters.append(
                    ValueSetDefinition.Filter(
                        property: columns[0],
                        operation: FilterOperator(columns[1]),
                        value: columns[2]
                    )
                )
            default: part?.valueSets.append(columns[0])
            }
        }
        close()
        return definition
    }
}

/// A canonical URL with the version behind `|`.
struct CanonicalURL {
    let url: String
    let version: String?

    init(_ text: String) {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        url = parts.first.map(String.init) ?? ""
        version = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
    }
}
