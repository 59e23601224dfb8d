/// Where each type is defined in tables of types: read by the indents of lines alone.
struct TypeIndex {
    /// A type, or an element with elements of its own, which is a type too.
    struct Entry: Sendable {
        /// Of a nested type the path.
        let name: String
        let table: Int
        /// The type's or element's own line, and the lines of its elements.
        let head: Range<Int>
        var body: Range<Int>
        /// How far the own line is indented: 0 for a type.
        let indent: Int
        /// The type that a nested one is in.
        let parent: Int?
    }

    private struct Open {
        var id: Int?
        let name: Substring
        let line: Range<Int>
    }

    private(set) var entries: [Entry] = []
    private var open: [Open] = []
    private var problem: TableError?

    /// - Throws: ``TableError`` for a line that is indented too far.
    mutating func read(_ table: String, number: Int) throws(TableError) {
        open = []
        table.forEachLine { line, offset in
            guard line[0] != UInt8(ascii: "#"), problem == nil else { return }
            add(line, at: offset, in: table, number: number)
        }
        close(to: 0, at: table.utf8.count)
        if let problem { throw problem }
    }

    private mutating func add(
        _ line: UnsafeBufferPointer<UInt8>,
        at offset: Int,
        in table: String,
        number: Int
    ) {
        let indent = line.prefix { $0 == UInt8(ascii: " ") }.count
        let range = offset..<offset + line.count
        guard indent <= open.count else {
            let reason = open.isEmpty ? "an element without a type" : "an element indented too far"
            problem = TableError(line: String(table.bytes(range)), reason: reason)
            return
        }
        close(to: indent, at: offset)
        if indent == 0 {
            let words = table.bytes(range).words
            guard words.count >= 3 else {
                problem = TableError(line: String(table.bytes(range)), reason: "not a type")
                return
            }
            begin(
                Entry(
                    name: String(words[1]),
                    table: number,
                    head: range,
                    body: range.upperBound..<range.upperBound,
                    indent: 0,
                    parent: nil
                )
            )
            open.append(Open(id: entries.count - 1, name: words[1], line: range))
            return
        }
        if open[indent - 1].id == nil { nest(indent - 1, number) }
        let name = line[indent...].prefix { $0 != UInt8(ascii: " ") }
        open.append(Open(id: nil, name: Substring(decoding: name, as: UTF8.self), line: range))
    }

    /// Makes an element a type, because it has elements.
    private mutating func nest(_ depth: Int, _ number: Int) {
        // What is open above it has elements, and so is a type.
        guard let parent = open[depth - 1].id else { return }
        let element = open[depth]
        open[depth].id = entries.count
        begin(
            Entry(
                name: "\(entries[parent].name).\(element.name)",
                table: number,
                head: element.line,
                body: element.line.upperBound..<element.line.upperBound,
                indent: depth,
                parent: parent
            )
        )
    }

    private mutating func begin(_ entry: Entry) { entries.append(entry) }

    private mutating func close(to depth: Int, at offset: Int) {
        while open.count > depth {
            if let id = open.removeLast().id { entries[id].body = entries[id].head.upperBound..<offset }
        }
    }
}
