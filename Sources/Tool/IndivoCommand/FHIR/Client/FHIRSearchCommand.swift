import ArgumentParser
import FHIR
import FHIRClient
import FHIRTables
import FHIRValidation
import IndivoBase
import OrderedJSON
import RecordCommands

struct FHIRSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search a FHIR server, page after page.",
        discussion: """
            indivo fhir search Patient family=Miller birthdate=ge1970
            indivo fhir search Observation 'code=http://loinc.org|29463-7' \\
                patient=Patient/7 _sort=-date --limit 10
            indivo fhir search Observation _include=Observation:patient --all

            A parameter is written as in a URL, but without percent-escapes: NAME=VALUE, \
            with “,” between alternatives and “\\” before a “,”, “|” or “$” that belongs to a value. \
            Each resource that is found is a line of JSON. Warnings of the server are printed \
            on standard error.

            \(FHIRClientHelp.connection)
            """
    )

    @Argument(help: "The type of resource.")
    var type: String

    @Argument(help: .value("name=value", "Conditions, and how the result is given."))
    var parameters: [String] = []

    @Flag(help: "Print included resources too.")
    var all = false

    @Flag(
        help: "Send the parameters in the body of a POST, where no server or proxy logs them."
    )
    var post = false

    @Flag(help: "Print only how many there are.")
    var count = false

    @Option(help: .value("number", "Print so many resources at most."))
    var limit: Int?

    @OptionGroup var connection: FHIRConnectionOptions

    func run() async throws {
        do {
            try await search()
        } catch let error as FHIRClientError
            where [.invalid, .notFound, .notSupported].contains(error.reason)
        {
            throw CommandFailure(error, hints: FHIRSearchHints.hints(type: type, parameters: parameters))
        }
    }

    private func search() async throws {
        var search = try FHIRSearch(parameters.map(Self.parameter))
        let client = try connection.client()
        if count {
            search.parameters.append(.summary(.count))
            for try await page in client.search(type, search, by: post ? .post : .automatic) {
                guard let total = page.total else {
                    throw CommandFailure("the server does not say how many there are", status: .refused)
                }
                try StandardStreams.say("\(total)")
                return
            }
        }
        let entries = client.search(type, search, by: post ? .post : .automatic).entries
        try await entries.printLines(limit: limit, none: "nothing was found", connection.console) { entry in
            if let outcome = entry.resource?.as(OperationOutcome.self), entry.search?.mode != .match {
                for issue in outcome.issue { connection.console.note(issue.message) }
                return nil
            }
            return all || entry.search?.mode != .include ? entry.resource?.tree : nil
        }
    }

    private static func parameter(_ text: String) throws -> FHIRSearchParameter {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
            throw CommandFailure("“\(text)” is no condition; write NAME=VALUE, as in family=Miller")
        }
        return .raw(String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }
}

extension FHIREntries {
    /// Prints a line of JSON for each entry that has one.
    /// - Throws: `ExitCode` 1 where there was none.
    func printLines(
        limit: Int?,
        none: String,
        _ console: MessageOptions,
        _ tree: (FHIRBundle.Entry) throws -> JSONValue?
    ) async throws {
        if let limit, limit < 1 { throw CommandFailure("--limit: a number above 0 is meant") }
        var printed = 0
        for try await entry in self {
            guard let tree = try tree(entry) else { continue }
            try StandardStreams.say(tree.text())
            printed += 1
            if printed == limit { return }
        }
        guard printed == 0 else { return }
        console.note(none)
        throw ExitCode.nothingFound
    }
}

/// What may be wrong with a search that a server refused: names that R4 does not have. A server may have
/// others of its own, so that nothing is said before it refuses.
enum FHIRSearchHints {
    /// - Parameter parameters: As they are given to the tool, `NAME=VALUE`.
    static func hints(type: String, parameters: [String]) -> [String] {
        let types = Definitions.r4.resourceNames
        guard types.contains(type) else {
            return [
                "R4 has no resource “\(type)”".shown() + Spelling.question(about: type, among: types.sorted())
            ]
        }
        let common = SearchParameter.r4.filter {
            $0.resource == "Resource" || $0.resource == "DomainResource"
        }.map(\.name)
        let own = SearchParameter.r4.filter { $0.resource == type }.map(\.name)
        // R4 has the parameters of some types in tables that are not here: then nothing is known of them.
        guard !own.isEmpty else { return [] }
        return parameters.compactMap { parameter in
            // Of a chain or a modifier the part before.
            let name = String(parameter.prefix { !"=:.".contains($0) })
            guard !(own + common + results).contains(name) else { return nil }
            return "R4 has no search parameter “\(name)” of \(type)".shown()
                + Spelling.question(about: name, among: own + common + results)
        }
    }

    /// How a result is given, and what is searched in other ways (FHIR R4, search).
    private static let results = [
        "_sort", "_count", "_include", "_revinclude", "_summary", "_total", "_elements", "_contained",
        "_containedType", "_format",
        "_pretty", "_has", "_text", "_content", "_list", "_type", "_query", "_filter",
    ]
}
