import IndivoBase

/// The parameters of a query string or a form, in order.
struct QueryItems: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        var name: String
        var value: String
    }

    var items: [Item]

    init(_ items: [(String, String)] = []) { self.items = items.map { Item(name: $0.0, value: $0.1) } }

    /// Reads `application/x-www-form-urlencoded` text. `+` is a space.
    ///
    /// - Throws: ``FHIRFailure`` for an invalid escape, and for bytes that are not UTF-8.
    init(parsing text: String) throws(FHIRFailure) {
        items = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let pieces = part.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            items.append(
                Item(
                    name: try Self.decode(pieces[0]),
                    value: pieces.count > 1 ? try Self.decode(pieces[1]) : ""
                )
            )
        }
    }

    /// Reads `If-None-Exist`: a query, which may follow a `?`, or the address of a search.
    init(condition text: String) throws(FHIRFailure) {
        let name = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let start = name.lastIndex(of: UInt8(ascii: "?")).map { text.utf8.index(after: $0) }
        try self.init(parsing: String(text[(start ?? text.startIndex)...]))
    }

    /// The value of the first parameter of a name.
    subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// The parameters but those of a name.
    func without(_ name: String) -> QueryItems {
        var copy = self
        copy.items.removeAll { $0.name == name }
        return copy
    }

    func adding(_ name: String, _ value: String) -> QueryItems {
        var copy = self
        copy.items.append(Item(name: name, value: value))
        return copy
    }

    /// Whether there is more than what says how to respond.
    var isCondition: Bool { items.contains { $0.name != "_format" && $0.name != "_pretty" } }

    /// The parameters as text for a URL.
    var text: String {
        items.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
    }

    /// Decodes the escapes of a path's segment or, with `+` as a space, of a query.
    static func decode(_ bytes: Substring.UTF8View, plusIsSpace: Bool = true) throws(FHIRFailure) -> String {
        let text: String
        do {
            text = try PercentEncoding.decode(String(Substring(bytes)), plusIsSpace: plusIsSpace)
        } catch {
            throw .invalid("the URL or form: \(error)")
        }
        guard !text.utf8.contains(0) else { throw .invalid("the URL or form has a NUL") }
        return text
    }

    /// Escapes all but what stands in a query for itself, so that links can be read.
    static func encode(_ text: String) -> String { PercentEncoding.encode(text, keeping: ":/,") }
}
