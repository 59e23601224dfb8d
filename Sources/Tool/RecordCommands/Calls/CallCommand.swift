import ArgumentParser
import Foundation
import Indivo
import OrderedJSON

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        asking: "call",
        "Make any call, and print the answer as it came.",
        discussion: """
            indivo call GET /version
            indivo call GET '/records/{record}/documents/?limit=5'
            indivo call PUT /records/{record}/documents/ID/label \\
                --body label.txt --content-type text/plain
            indivo call POST /records/{record}/notifications/ --form content=Hello

            {record} and {app} in the path stand for the record's and the app's id; \
            indivo calls lists the paths. Who signs is known for the calls that indivo calls lists, \
            and the token's owner for others.
            """
    )

    enum Signer: String, ExpressibleByArgument, CaseIterable { case token, app, nobody }

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var console: MessageOptions
    @OptionGroup var destination: ContentOutputOptions

    @Argument(help: "GET, POST, PUT or DELETE.", completion: .list(["GET", "POST", "PUT", "DELETE"]))
    var method: String

    @Argument(
        help: "The path, not percent-encoded, with or without a query.",
        completion: .list(IndivoCall.all.map(\.path))
    )
    var path: String

    @Option(help: .value("file", "The file to send; - for standard input."), completion: .file()) var body:
        String?

    @Option(help: .value("type", "What the body is; told from the file's name and content unless given."))
    var contentType: String?

    @Option(help: .value("name=value", "A field of the form to send; may be given several times.")) var form:
        [String] = []

    @Option(help: .value("name=value", "A parameter of the query; may be given several times.")) var query:
        [String] = []

    @Option(name: .customLong("as"), help: "Who signs: the token's owner, the app alone, or nobody.")
    var signer: Signer?

    func validate() throws {
        guard Self.method(method) != nil else {
            throw ValidationError("“\(method)” is no method of the API; it is GET, POST, PUT or DELETE.")
        }
        if body != nil && !form.isEmpty { throw ValidationError("--body and --form exclude each other.") }
        if contentType != nil && body == nil { throw ValidationError("--content-type goes with --body.") }
        guard path.hasPrefix("/") else {
            throw ValidationError(
                "The path “\(path)” does not begin with “/”; “indivo calls” lists the paths."
            )
        }
    }

    private static func method(_ name: String) -> HTTPRequest.Method? {
        [.get, .post, .put, .delete].first { $0.rawValue == name.uppercased() }
    }

    func run() async throws {
        let method = Self.method(method) ?? .get
        let content = try content()
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        var parameters = parts.count > 1 ? FormParameters(decoding: parts[1]) : FormParameters()
        for parameter in try Self.fields(query, "--query") {
            parameters.append(name: parameter.name, value: parameter.value)
        }
        let opened = try connection.open(console)
        let answer: FileContent
        let signer =
            signer ?? IndivoCall.matching(method, parts[0]).flatMap { Signer(rawValue: $0.signer.rawValue) }
            ?? .token
        if signer == .token {
            let record = try await opened.record()
            let path = try Self.fill(parts[0], app: record.server.app.id, record: record.id)
            answer = try await record.call(method, path, query: parameters, body: content)
        } else {
            let server = try await opened.server(isSigned: signer == .app)
            let path = try Self.fill(parts[0], app: server.app.id, record: opened.settings[.record])
            answer = try await server.call(
                method,
                path,
                query: parameters,
                body: content,
                signed: signer == .app
            )
        }
        try destination.write(answer)
    }

    /// The path with the ids in place, and nothing escaped, as the library wants it.
    private static func fill(_ path: String, app: String, record: String?) throws -> String {
        var path = path.contains("%") ? path.removingPercentEncoding ?? path : path
        if path.contains("{record}") {
            guard let record else {
                throw CommandFailure("the record is not known; set INDIVO_RECORD, or give --record")
            }
            path = path.replacing("{record}", with: record)
        }
        path = path.replacing("{app}", with: app)
        if let brace = path.firstIndex(of: "{") {
            throw CommandFailure(
                "the path still has \(path[brace...].prefix { $0 != "/" }); put an id in its place"
            )
        }
        return path
    }

    private func content() throws -> FileContent? {
        if !form.isEmpty {
            let fields = try Self.fields(form, "--form")
            return FileContent(text: FormParameters(fields).encoded, contentType: FormParameters.contentType)
        }
        guard let body else { return nil }
        let data = try InputFile(path: body).read()
        return FileContent(
            data,
            contentType: contentType ?? DocumentFileOptions.contentType(of: data, named: body)
        )
    }

    private static func fields(_ texts: [String], _ option: String) throws -> [FormParameters.Element] {
        try texts.map { try $0.pair("=", after: option, "NAME=value") }.map {
            FormParameters.Element(name: $0, value: $1)
        }
    }
}
