import FHIR
import Indivo

/// The content of a record for an export: the newest version of every document.
///
/// It is made from a record, from a folder of files, or from documents that come from somewhere else.
public struct RecordContent: Sendable {
    /// A document.
    public struct Document: Sendable {
        /// The document's id in its record, or what names it elsewhere.
        public var id: String
        public var content: FileContent
        /// The server's metadata of it.
        public var metadata: DocumentMetadata?
        /// The changes of its status, the earliest first.
        public var statusChanges: [DocumentStatus.Change] = []
        /// Its relations to other documents of the record, by their ids.
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
    /// The id of the document with the patient's demographics.
    public var demographics: String?
    public var documents: [Document]
    /// The URL of the documents, without the id at the end; `nil` for documents that are not on a server.
    public var address: String?

    /// A record of documents.
    /// - Parameters:
    ///   - id: The record's id, which stays the same from export to export.
    ///   - demographics: The id of the document with the patient's demographics.
    ///   - documents: The newest version of each document.
    public init(id: String, demographics: String? = nil, documents: [Document]) {
        self.id = id
        self.demographics = demographics
        self.documents = documents
    }
}

/// The result of an export: a bundle, and the fields of the record that it has no element for.
public struct FHIRExport: Sendable {
    /// The kind of bundle.
    public enum Form: Sendable, Hashable {
        /// A bundle to read.
        case collection
        /// A bundle to send to a FHIR server, which creates what it does not have and updates what it has.
        ///
        /// Each entry is a `PUT` to an id made from the document's, so that a second export updates. Nothing
        /// is deleted: a document's status or fields change, resources stay.
        case transaction
    }

    /// The record as FHIR.
    public let bundle: FHIR.Bundle
    /// The fields that are not, or not wholly, in the bundle, in the order of the documents.
    public let unmapped: [UnmappedField]
}
