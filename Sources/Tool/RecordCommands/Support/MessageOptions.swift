import ArgumentParser
import Indivo

/// How much a command tells beside its result, on standard error.
package struct MessageOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print the result and errors only.") package var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Print each call and the details of errors, which may quote documents."
    )
    package var verbose = false

    package init() {}

    package func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// Tells a person how things stand.
    package func note(_ text: String) { if !quiet { StandardStreams.printError(text) } }
}

extension MessageOptions {
    /// Everything in a list, with the progress on standard error where a person looks at it.
    package func fetch<Element>(_ list: PagedList<Element>, _ noun: String) async throws -> [Element] {
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
