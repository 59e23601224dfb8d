import FHIR
import Indivo

/// What a record holds, as an export takes it: of every document the newest version.
///
/// Made of a record, of a folder of files, or of documents that come from somewhere else.
public struct RecordContent: Sendable {
    /// A document.
    public struct Document: Sendable {
        /// The document's id in its record, or what names it elsewhere.
        public var id: String
        /// The content.
        public var content: FileContent
        /// What a server says of it.
        public var metadata: DocumentMetadata?
        /// The changes of its status, the earliest first.
        public var statusChanges: [DocumentStatus.Change] = []
        /// What it is to other documents of the record, by their ids.
        public var relations: [(relation: DocumentRelation, id: String)] = []

        /// A document that is not in a record.
        public init(id: String, content: FileContent, metadata: DocumentMetadata? = nil) {
            self.id = id
            self.content = content
            self.metadata = metadata
        }

        /// The id of the first version, which stays when the document is replaced.
        var firstID: String {
            if let id = metadata?.original?.id, !id.isEmpty { return id }
            return id
        }
    }

    /// The record's id, or what names it elsewhere.
    public var id: String
    /// The id of the document that says who the patient is.
    public var demographics: String?
    /// The documents.
    public var documents: [Document]
    /// Where documents are, without the id at the end; `nil` for those of no server.
    public var address: String?

    /// A record of documents.
    /// - Parameters:
    ///   - id: The record's id, which stays the same from export to export.
    ///   - demographics: The id of the document that says who the patient is.
    ///   - documents: The newest version of each document.
    public init(id: String, demographics: String? = nil, documents: [Document]) {
        self.id = id
        self.demographics = demographics
        self.documents = documents
    }
}

/// What an export gives: a bundle, and what of the record had no element in it.
public struct FHIRExport: Sendable {
    /// The kind of bundle.
    public enum Form: Sendable, Hashable {
        /// A bundle to read.
        case collection
        /// A bundle to send to a FHIR server, which creates what it does not have and updates what it has.
        ///
        /// Each entry is a `PUT` to an id made from the document's, so that a second export updates. Nothing is deleted:
        /// a document's status or fields change, resources stay.
        case transaction
    }

    /// The record as FHIR.
    public let bundle: FHIR.Bundle
    /// What had no element, in the order of the documents. Empty when the bundle says everything.
    public let unmapped: [UnmappedField]
}
