import ArgumentParser
import Foundation
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

    @Flag(
        name: .shortAndLong, help: "Tell each call, and more of what went wrong; it may name what is in documents.")
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
