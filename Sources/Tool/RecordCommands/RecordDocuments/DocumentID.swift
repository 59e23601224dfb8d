import ArgumentParser
import Foundation
import Indivo

/// An id as an argument: whatever a server can have in a path, and nothing else.
func documentID(_ text: String) throws -> String {
    let fits = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard fits, !text.isEmpty else {
        throw CommandFailure(
            "“\(text)” is no id of a document, which looks like 6f9619ff-8b86-4d01-b42d-00cf4fc964ff; "
                + "“indivo documents list” lists the ids"
        )
    }
    return text
}

/// Commands on documents of one place: those of the record, or those that the app keeps for itself.
protocol DocumentAddress { static var command: String { get } }

/// Which document a command is about: by its id, or by the app's own.
struct DocumentChoice<Place: DocumentAddress>: ParsableArguments {
    @Argument(help: "The document's id.") var id: String?

    @Option(help: .value("id", "The app's own id of the document, instead of its id.")) var externalId:
        String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError(
                """
                Name the document, by its id or with --external-id; “indivo \(Place.command) \
                list” lists the ids.
                """
            )
        }
    }

    /// The document, looked up where the app's own id is given.
    func find<Document>(_ byID: (String) -> Document, _ byExternalID: (String) async throws -> Document?)
        async throws -> Document
    {
        if let id { return byID(try documentID(id)) }
        let external = externalId ?? ""
        return try await byExternalID(external).orFail(
            """
            this app has no document with the external id \(external); “indivo \(Place.command) \
            list” lists the ids
            """,
            .nothingFound
        )
    }
}

extension DocumentStatus: ExpressibleByArgument {}

extension DocumentRelation: ExpressibleByArgument {}

/// The file that becomes a document.
struct DocumentFileOptions: ParsableArguments {
    @Option(
        help: .value(
            "type",
            "The content type, such as application/xml; by default guessed from name and content."
        )
    )
    var contentType: String?

    @Argument(help: "The file; - for standard input.", completion: .file()) var path: String

    func read(_ console: MessageOptions) throws -> FileContent {
        let input = InputFile(path: path)
        let data = try input.read()
        guard !data.isEmpty else { throw CommandFailure("\(input.name): this is empty, and nothing to send") }
        let type = contentType ?? Self.contentType(of: data, named: path)
        if type == "application/xml" || type == "text/xml" {
            let advice = "; nothing was sent. --content-type says what it is, if it is no XML"
            _ = try input.locating(advice: advice) { try XMLNode(parsing: data) }
        } else if type == "application/json", (try? SDMXDocument(json: data)) != nil {
            console.note(
                "warning: \(input.name) holds models in JSON, which a server stores without "
                    + "understanding them; “indivo document convert --to sdmx” writes what it reads"
            )
        }
        return FileContent(data, contentType: type)
    }

    private static let types = [
        "xml": "application/xml", "txt": "text/plain", "text": "text/plain", "html": "text/html",
        "htm": "text/html",
        "json": "application/json", "pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif", "dcm": "application/dicom",
    ]

    /// By its name; of a name that says nothing by what it begins with.
    static func contentType(of data: Data, named path: String) -> String {
        if let type = types[URL(filePath: path).pathExtension.lowercased()] { return type }
        let first = data.prefix(64).trimmingPrefix([0xEF, 0xBB, 0xBF]).first {
            ![0x20, 0x09, 0x0A, 0x0D].contains($0)
        }
        if first == UInt8(ascii: "<") { return "application/xml" }
        if !data.isText { return "application/octet-stream" }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? "application/json" : "text/plain"
    }
}

extension Data {
    fileprivate var isText: Bool { !contains(0) && String(validating: self, as: UTF8.self) != nil }
}

/// Where a document's bytes go.
struct ContentOutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value("file", "The file to write; standard output when left out or -."),
        completion: .file()
    )
    var path: String?

    /// Writes the bytes just as they are.
    func write(_ content: FileContent) throws {
        guard let path, path != "-" else {
            if StandardStreams.outputIsTerminal, !content.data.isText {
                throw CommandFailure(
                    "the content is binary, and would confuse the terminal; name a file with --output"
                )
            }
            return try StandardStreams.write(content.data)
        }
        do {
            try content.data.write(toFileNamed: path)
        } catch {
            throw CommandFailure("\(path): the file cannot be written: \(error.localizedDescription)")
        }
    }
}
