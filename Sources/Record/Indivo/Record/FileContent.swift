import Foundation
import IndivoBase

/// Bytes with their content type: the content of any document.
///
/// ```swift
/// let scan = FileDocument(FileContent(pdf, contentType: "application/pdf"))
/// try await record.add(scan)
/// ```
/// A server decides by the exact content type: `application/xml` and `text/xml` are XML, which it checks;
/// `text/plain`, `text/html` and `application/json` are text, which it hands back as `application/xml`;
/// anything else is binary.
public struct FileContent: Sendable, Hashable {
    /// The bytes.
    public var data: Data
    /// The media type, without parameters unless it is a binary one.
    public var contentType: String

    /// Bytes of a media type.
    public init(_ data: Data, contentType: String) {
        self.data = data
        self.contentType = contentType
    }

    /// Text in UTF-8.
    public init(text: String, contentType: String = "text/plain") {
        self.init(Data(text.utf8), contentType: contentType)
    }

    /// An element as a document of its own.
    /// - Throws: `XMLError` when the tree cannot be written.
    public init(_ root: XMLNode) throws { try self.init(root.data(), contentType: "application/xml") }

    /// A document that was written out.
    package init(_ document: PreparedDocument) throws {
        try self.init(document.data(), contentType: "application/xml")
    }

    /// The bytes as text; what is not UTF-8 becomes U+FFFD.
    public var text: String { String(decoding: data, as: UTF8.self) }

    /// The root element. White space before the declaration, which servers put there now and then, does no
    /// harm.
    /// - Throws: `XMLError` when the content is not XML.
    public func xml() throws -> XMLNode {
        try XMLNode(parsing: data.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 })
    }

    /// The models of an SDMX or SDMJ document, by what the content begins with.
    /// - Throws: `XMLError`, `SDMJError`, `DocumentError`.
    public func models() throws -> SDMXDocument {
        SDMJ.isLikely(data) ? try SDMXDocument(json: data) : try SDMXDocument(xml())
    }

    /// The models that a server has stored. Values that cannot be read are left out, and the models'
    /// `readingProblems` list them.
    func storedModels() throws -> SDMXDocument {
        SDMJ.isLikely(data)
            ? try SDMXDocument(stored: SDMJ.models(parsing: data)) : try SDMXDocument(stored: xml())
    }

    /// The types a server keeps as text, compared to the letter.
    private static let xmlTypes: Set = ["application/xml", "text/xml"]
    private static let textTypes: Set = ["text/plain", "text/html", "application/json"]

    /// Whether a server keeps it as text, and its digest is SHA-256.
    var isText: Bool { Self.xmlTypes.contains(contentType) || Self.textTypes.contains(contentType) }

    /// Why a server would refuse the content, or store it as another kind of content; `nil` if it would do
    /// neither.
    /// - Parameter isWritten: Whether it was written from a tree, and so is well-formed.
    package func problem(xmlOnly: Bool = false, isWritten: Bool = false) -> String? {
        let bare = contentType.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if bare.isEmpty { return "the document has no content type; give one, such as application/xml" }
        if contentType.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value > 0x7E }) {
            return "a content type is written in printable ASCII characters, such as application/xml"
        }
        if bare == "application/x-www-form-urlencoded" {
            return
                """
                a server takes a document of type \(bare) for a form; give it another type, such as text/plain
                """
        }
        if contentType.unicodeScalars.count > 100 {
            return "a content type has at most 100 characters, this one \(contentType.unicodeScalars.count)"
        }
        let known = Self.xmlTypes.contains(bare) || Self.textTypes.contains(bare)
        if known, contentType != bare {
            return
                "a server keeps “\(contentType)” as a binary file, unread; say \(bare) and encode it in UTF-8"
        }
        if xmlOnly, !Self.xmlTypes.contains(bare) {
            return "only XML can go here, and this is “\(contentType)”"
        }
        if isText, data.isEmpty { return "a server does not keep an empty text; give the document a content" }
        if isText, String(validating: data, as: UTF8.self) == nil {
            return "a document of type \(bare) has to be in UTF-8, and this one is not"
        }
        do { if !isWritten, Self.xmlTypes.contains(bare) { _ = try xml() } } catch {
            return "the document is no well-formed XML: \(error)"
        }
        return nil
    }

    /// The content as a call's body, if no server would refuse or misunderstand it.
    func body(for call: IndivoCall, isWritten: Bool = false) throws -> CallClient.Body {
        if let problem = problem(xmlOnly: call.body == .xml, isWritten: isWritten) {
            throw call.refused(problem)
        }
        return .data(data, type: contentType)
    }
}

extension DocumentMetadata {
    /// Checks content against the digest and size that the server reported.
    func verify(_ response: CallResponse) throws {
        guard let mismatch = mismatch(with: response.body) else { return }
        throw IndivoError(
            .malformedResponse(
                "the content is not what was stored: its \(mismatch.what) differs; fetch it again"
            ),
            call: response.call,
            status: 200,
            details: [mismatch.details]
        )
    }

    /// Checks that the server stored what was sent to it.
    func verify(_ content: FileContent, sentWith call: IndivoCall) throws {
        guard let mismatch = mismatch(with: content.data) else { return }
        let what =
            """
            the document was stored, but not as it was sent: its \(mismatch.what) differs; \
            look at what is there
            """
        var error = IndivoError(
            .malformedResponse(what),
            call: call,
            status: 200,
            details: ["it was stored under the id \(id)", mismatch.details]
        )
        // It is there: to send it again would store it twice.
        error.isSafeToRetry = false
        throw error
    }

    /// Whether the metadata has a size or a digest, by which content can be checked.
    var identifiesContent: Bool {
        size != nil || digest.flatMap { DocumentDigest(matchingFormOf: $0) } != nil
    }

    /// How content differs from what the server says of it, if it does.
    func mismatch(with data: Data) -> (what: String, details: String)? {
        if let digest, let hash = DocumentDigest(matchingFormOf: digest) {
            let found = hash.hex(of: data)
            if found != digest.lowercased() {
                return ("digest", "the digest is \(found), the server says \(digest)")
            }
        }
        if let size, size != data.count {
            return ("size", "there are \(data.count) bytes, the server says \(size)")
        }
        return nil
    }
}
