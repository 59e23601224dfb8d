/// Reads tables of types into what their lines say, line by line; names are not resolved yet.
struct TypeTableReader {
    /// A type as its line and those below it define it.
    struct RawType {
        let kind: DefinedType.Kind
        let name: String
        let base: String?
        let isAbstract: Bool
        let isPartial: Bool
        let rules: [String]
        var elements: [RawElement] = []
    }

    /// An element as its line defines it.
    struct RawElement {
        let name: String
        let cardinality: (minimum: Int, maximum: Int?)
        let types: Substring
        let flags: Substring
        let facts: [Substring: Substring]
        let pattern: String?
        var elements: [RawElement] = []
    }

    private(set) var types: [RawType] = []
    private(set) var otherResources: Set<String> = []

    mutating func read(_ table: String) throws(TableError) {
        for line in table.tableLines {
            let text = line.drop { $0 == " " }
            let indent = line.utf8.count - text.utf8.count
            if indent > 0 {
                guard !types.isEmpty else {
                    throw TableError(line: String(line), reason: "an element without a type")
                }
                let element = try Self.element(text)
                guard Self.append(element, to: &types[types.count - 1].elements, depth: indent - 1) else {
                    throw TableError(line: String(line), reason: "an element indented too far")
                }
            } else {
                try readHead(text)
            }
        }
    }

    private mutating func readHead(_ line: Substring) throws(TableError) {
        let words = line.words
        if words[0] == "others" {
            otherResources.formUnion(words.dropFirst().map(String.init))
            return
        }
        guard let kind = DefinedType.Kind(rawValue: String(words[0])), words.count >= 3 else {
            throw TableError(line: String(line), reason: "not a type")
        }
        let facts = words.dropFirst(3)
        types.append(
            RawType(
                kind: kind,
                name: String(words[1]),
                base: words[2] == "-" ? nil : String(words[2]),
                isAbstract: facts.contains("abstract"),
                isPartial: facts.contains("partial"),
                rules: facts.last.map(Self.rules) ?? []
            )
        )
    }

    private static func rules(_ word: Substring) -> [String] {
        word.hasPrefix("rules=") ? word.dropFirst(6).listed : []
    }

    private static func element(_ line: Substring) throws(TableError) -> RawElement {
        var pattern: String?
        var line = line
        // A regular expression may have spaces; it is the last fact.
        if let range = line.utf8.firstRange(of: " regex=".utf8) {
            pattern = String(line[range.upperBound...])
            line = line[..<range.lowerBound]
        }
        let words = line.words
        guard words.count >= 3, let cardinality = cardinality(words[1]) else {
            throw TableError(line: String(line), reason: "not an element")
        }
        var facts: [Substring: Substring] = [:]
        var flags: Substring = ""
        for word in words.dropFirst(3) {
            if let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
                facts[word[..<equals]] = word[word.index(after: equals)...]
            } else {
                flags = word
            }
        }
        return RawElement(
            name: String(words[0]),
            cardinality: cardinality,
            types: words[2],
            flags: flags,
            facts: facts,
            pattern: pattern
        )
    }

    private static func cardinality(_ word: Substring) -> (minimum: Int, maximum: Int?)? {
        let bounds = word.parts(separatedBy: UInt8(ascii: "."))
        guard bounds.count == 2, let minimum = Int(bounds[0]) else { return nil }
        let maximum = bounds[1]
        if maximum == "*" { return (minimum, nil) }
        return Int(maximum).map { (minimum, $0) }
    }

    private static func append(_ element: RawElement, to elements: inout [RawElement], depth: Int) -> Bool {
        if depth == 0 {
            elements.append(element)
            return true
        }
        guard !elements.isEmpty else { return false }
        return append(element, to: &elements[elements.count - 1].elements, depth: depth - 1)
    }
}
