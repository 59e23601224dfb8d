import ArgumentParser
import OrderedJSON

/// How a command prints its result: a table for people, JSON for programs.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs.") package var json = false

    @OptionGroup package var console: MessageOptions

    package init() {}

    /// Prints what was found. Where nothing was, it tells `none` and throws `ExitCode` 1.
    package func print(_ listing: Listing, none: String = "") throws {
        try listing.print(asJSON: json)
        if listing.rows.isEmpty {
            console.note(none)
            throw ExitCode.nothingFound
        }
    }

    /// Tells that something was done of which the server says no more.
    package func printDone(_ note: String) throws {
        if json {
            try StandardStreams.write((["status": "ok"] as JSONValue).fileData)
        } else {
            console.note(note)
        }
    }
}
