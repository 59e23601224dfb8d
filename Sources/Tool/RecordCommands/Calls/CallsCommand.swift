import ArgumentParser
import Indivo
import OrderedJSON

struct CallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "List the calls of the API, with the Swift methods that make them.",
        discussion: """
            Numbered are the 41 calls on a record that are open to a user app. No server is asked.

            --json prints an array of objects with number (null beyond the 41), name, method, path, \
            swift and deprecated.

            The exit status is 0 when there are such calls, 1 when there are none.
            """
    )

    @OptionGroup var output: OutputOptions

    @Argument(help: "Only calls with this in their name, path or Swift method.") var text: String?

    func run() throws {
        let calls = IndivoCall.all.filter { call in
            guard let text = text?.lowercased() else { return true }
            return [call.name, call.path, call.swift].contains { $0.lowercased().contains(text) }
        }
        let rows = calls.map { call in
            [
                JSONValue(call.number), JSONValue(call.name), JSONValue(call.method.rawValue),
                JSONValue(call.path),
                JSONValue(call.swift), JSONValue(call.isDeprecated),
            ]
        }
        try output.print(
            Listing(
                [
                    "number": "no.", "name": "name", "method": "method", "path": "path", "swift": "Swift",
                    "deprecated": "deprecated",
                ],
                rows
            ),
            none: "No call has “\(text ?? "")” in it."
        )
    }
}
