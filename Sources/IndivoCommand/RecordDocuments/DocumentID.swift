import ArgumentParser
import Foundation
import Indivo

/// An id as an argument: whatever a server can have in a path, and nothing else.
struct DocumentID: Hashable {
    let text: String

    /// - Throws: ``CommandFailure``.
    init(_ text: String) throws {
        let isPlausible =
            !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                    || $0 == 0x5F
            }
        guard isPlausible else {
            throw CommandFailure(
                "“\(text)” is no id of a document, which looks like 6f9619ff-8b86-4d01-b42d-00cf4fc964ff; "
                    + "“indivo documents list” lists the ids")
        }
        self.text = text
    }
}

/// Which document a command is about: by its id, or by the app's own.
struct DocumentChoice: ParsableArguments {
    @Argument(help: "The document's id.")
    var id: String?

    @Option(help: ArgumentHelp("The app's own id of the document, instead of its id.", valueName: "id"))
    var externalId: String?

    func validate() throws {
        if (id == nil) == (externalId == nil) {
            throw ValidationError("Name the document, by its id or with --external-id; “indivo documents list” lists the ids.")
        }
    }

    /// The document's id, looked up where the app's own is given.
    func find(in record: IndivoRecord) async throws -> FileDocument {
        if let id { return FileDocument(id: try DocumentID(id).text, in: record) }
        let external = externalId ?? ""
        guard let metadata = try await record.documentMetadata(externalID: external) else {
            throw CommandFailure(
                "this app has no document with the external id \(external); “indivo documents list” lists the ids",
                status: .nothingFound)
        }
        return FileDocument(id: metadata.id, in: record)
    }
}

extension DocumentStatus: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}

extension DocumentRelation: ExpressibleByArgument {
    public init?(argument: String) { self.init(rawValue: argument) }
}

/// The file that becomes a document.
struct DocumentFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the file is, such as application/xml; told from its name and content unless given.",
            valueName: "type"))
    var contentType: String?

    @Argument(help: "The file; - for standard input.", completion: .file())
    var path: String

    /// Reads the file that is to be sent.
    /// - Throws: ``CommandFailure``, with line and column for XML that is not well-formed.
    func read(_ talk: TalkOptions) throws -> FileContent {
        let input = InputFile(path: path)
        let data = try input.read()
        guard !data.isEmpty else { throw CommandFailure("\(input.name): this is empty, and nothing to send") }
        let type = contentType ?? Self.contentType(of: data, named: path)
        if type == "application/xml" || type == "text/xml" {
            do {
                _ = try XMLNode(parsing: data)
            } catch let error as XMLError {
                throw CommandFailure(
                    error.message + "; nothing was sent. --content-type says what it is, if it is no XML",
                    at: input.place(error.line, error.column))
            }
        } else if type == "application/json", (try? SDMXDocument(json: data)) != nil {
            talk.note(
                "warning: \(input.name) holds models in JSON, which a server stores without understanding them; "
                    + "“indivo document convert --to sdmx” writes what it reads")
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
        var start = data.prefix(64)[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        let first = start.first { !($0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D) }
        if first == UInt8(ascii: "<") { return "application/xml" }
        guard String(validating: data, as: UTF8.self) != nil, !data.contains(0) else {
            return "application/octet-stream"
        }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? "application/json" : "text/plain"
    }
}

/// Where a document's bytes go.
struct ContentOutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write; standard output when left out or -.", valueName: "file"),
        completion: .file())
    var path: String?

    /// Writes the bytes just as they are.
    func write(_ content: FileContent) throws {
        guard let path, path != "-" else {
            if StandardStreams.outputIsTerminal,
                content.data.contains(0) || String(validating: content.data, as: UTF8.self) == nil
            {
                throw CommandFailure("the content is binary, and would confuse the terminal; name a file with --output")
            }
            return try StandardStreams.write(content.data)
        }
        do {
            try content.data.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure("\(path): the file cannot be written: \(error.localizedDescription)")
        }
    }
}
