import ArgumentParser
import Indivo
import OrderedJSON

struct CallsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls",
        abstract: "List the calls of the API, with the Swift methods that make them.",
        discussion: """
            Numbered are the 41 calls on a record that are open to a user app. No server is asked.

            --json prints an array of objects with number (null beyond the 41), name, method, path, swift and \
            deprecated.

            The exit status is 0 when there are such calls, 1 when there are none.
            """)

    @Flag(exclusivity: .exclusive)
    var form: OutputForm?

    @OptionGroup var talk: TalkOptions

    @Argument(help: "Only calls with this in their name, path or Swift method.")
    var text: String?

    func run() throws {
        let calls = IndivoCall.all.filter { call in
            guard let text = text?.lowercased() else { return true }
            return [call.name, call.path, call.swift].contains { $0.lowercased().contains(text) }
        }
        var output = OutputOptions()
        output.form = form
        output.talk = talk
        try output.print(Self.listing(of: calls), none: "No call has “\(text ?? "")” in it.")
    }

    private static func listing(of calls: [IndivoCall]) -> Listing {
        Listing(
            columns: [
                .init("number", "no."), .init("name", "name"), .init("method", "method"), .init("path", "path"),
                .init("swift", "Swift"), .init("deprecated", "deprecated"),
            ],
            rows: calls.map { call in
                [
                    call.number.map { "\($0)" } ?? "", call.name, call.method.rawValue, call.path, call.swift,
                    call.isDeprecated ? "deprecated" : "",
                ]
            },
            json: {
                JSONValue(
                    calls.map { call in
                        [
                            "number": JSONValue(call.number), "name": JSONValue(call.name),
                            "method": JSONValue(call.method.rawValue), "path": JSONValue(call.path),
                            "swift": JSONValue(call.swift), "deprecated": JSONValue(call.isDeprecated),
                        ]
                    }
                ).fileData
            },
            xml: {
                let root = XMLNode("Calls")
                for call in calls {
                    let element = XMLNode("Call", attributes: ["name": call.name])
                    if let number = call.number { element.attr("number", "\(number)") }
                    element.attr("method", call.method.rawValue)
                    element.attr("path", call.path)
                    element.attr("swift", call.swift)
                    element.attr("deprecated", call.isDeprecated.lexical)
                    root.append(element)
                }
                return try root.file()
            })
    }
}
