import IndivoBase

/// Reads the words of a command line from left to right.
package struct ArgumentReader {
    /// What is wrong with arguments.
    package struct Failure: Error {
        package let message: String

        package init(_ message: String) { self.message = message }
    }

    /// What a word is.
    package enum Word {
        /// An option, without the value that stands in the same word after `=`.
        case option(String)
        /// Any other word.
        case input(String)
    }

    private var remaining: ArraySlice<String>
    private var option = ""
    private var inlineValue: String?

    package init(_ words: [String]) { remaining = words[...] }

    /// The next word; nil at the end.
    package mutating func next() throws(Failure) -> Word? {
        if inlineValue != nil { throw Failure("\(option) takes no value.") }
        guard let word = remaining.popFirst() else { return nil }
        guard word.hasPrefix("-"), word != "-" else { return .input(word) }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        option = String(parts[0])
        inlineValue = parts.count > 1 ? String(parts[1]) : nil
        return .option(option)
    }

    /// The value of the option that was read last.
    ///
    /// - Parameter what: What it is, for the error when it is missing: `a folder`.
    package mutating func value(_ what: String) throws(Failure) -> String {
        defer { inlineValue = nil }
        if let value = inlineValue ?? remaining.popFirst() { return value }
        throw Failure("\(option) needs \(what) after it.")
    }

    /// The value of an option that is a level of access.
    package mutating func access() throws(Failure) -> GeneratorOptions.Access {
        let text = try value("public, package or internal")
        if let access = GeneratorOptions.Access(rawValue: text) { return access }
        throw Failure("'\(text)' is no access level: it is public, package or internal.")
    }

    /// Why an option is not one of those that a help text lists.
    package static func unknown(_ option: String, help: String) -> Failure {
        let names = help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
        return Failure("There is no option \(option).\(Spelling.hint(for: option, among: names))")
    }
}
