/// A compiled CSS selector: a value that can be kept, shared between tasks, and used on any document.
///
/// A literal goes straight to the verbs. One that is not a selector stops the program, with the file, the
/// line and the column. A string that is known only at run time is compiled first, which throws
/// `XMLSelectorError` where it is wrong:
///
/// ```swift
/// root.find("Report > Item Field[name^='drug']")
/// root.find(try XMLSelector("Field[name=\(name)]"))
/// ```
///
/// Compiled once it costs nothing to use again:
///
/// ```swift
/// let fields = try XMLSelector(
///     "d|Model > d|Field",
///     namespaces: ["d": "http://indivo.org/vocab/xml/documents#"]
/// )
/// for report in reports.children() { print(report.find(fields).count) }
/// ```
///
/// It supports names, `*`, `ns|name`, `#id` (`xml:id` and `id`), `.class`, `[attr]` with all operators and
/// the flags `i` and `s`, jQuery's `[attr!=value]`; the combinators ` `, `>`, `+`, `~`; `:root`, `:scope`,
/// `:empty`, `:first-child`, `:last-child`, `:only-child`, `:nth-child(an+b of S)`, `:nth-last-child()`,
/// `:first-of-type`, `:last-of-type`, `:only-of-type`, `:nth-of-type()`, `:nth-last-of-type()`, `:not()`,
/// `:is()`, `:where()`, `:has()`, `:contains()`; and jQuery's positions in the set matched so far, `:first`,
/// `:last`, `:eq()`, `:gt()`, `:lt()`, `:even`, `:odd`. Groups are separated by commas, comments and escapes
/// are CSS's.
///
/// Names match case-sensitively. A name without a prefix matches in every namespace, unless the prefix table
/// has an entry for `""`, the default; an attribute's name without a prefix is in no namespace.
public struct XMLSelector: Hashable, Sendable, CustomStringConvertible {
    /// The selector as it was written.
    public let text: String
    let alternatives: [ComplexSelector]
    let nameTests: [NameTest]
    /// How many conditions count siblings, each with a cache of its own.
    let cacheCount: Int

    /// Compiles a selector.
    ///
    /// - Parameters:
    ///   - text: The selector.
    ///   - namespaces: URIs by the prefixes that the selector uses; `""` is the namespace of names without a
    ///     prefix.
    /// - Throws: `XMLSelectorError`, with the column and what was expected there.
    public init(_ text: String, namespaces: [String: String] = [:]) throws {
        var parser = SelectorParser(text, namespaces: namespaces)
        alternatives = try parser.parse()
        self.text = text
        nameTests = parser.nameTests
        cacheCount = parser.cacheCount
    }

    public static func == (left: XMLSelector, right: XMLSelector) -> Bool {
        left.alternatives == right.alternatives && left.nameTests == right.nameTests
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(alternatives)
        hasher.combine(nameTests)
    }

    public var description: String { text }
}

/// A selector that cannot be understood.
public struct XMLSelectorError: Error, Hashable, Sendable, CustomStringConvertible {
    public var selector: String
    /// The column where it goes wrong, in characters from 1.
    public var column: Int
    /// What was expected there.
    public var expected: String

    /// `column 3: expected a name, found ">" in "a >> b"`
    public var description: String {
        let rest = selector.dropFirst(column - 1)
        let found = rest.first.map { "\"\($0)\"" } ?? "the end"
        return "column \(column): expected \(expected), found \(found) in \"\(selector.prefix(200))\""
    }
}
