import IndivoXML

/// A server's metadata of a document (element `Document`): who made it and when, its versions, label and
/// status.
public struct DocumentMetadata: ServerResponse {
    package static let elementName = "Document"

    /// Who made a document.
    public struct Principal: CompoundValue {
        /// An account's e-mail address, or an app's id; empty for sample data.
        @Field(in: .attribute) public var id: String?
        /// `Account`, `PHA` (a user app) or `MachineApp`.
        @Field(in: .attribute) public var type: String?
        /// The name of the person or the app.
        @Field("fullname") public var fullName: String?

        public init() {}
    }

    /// Another version of the document.
    public struct Version: CompoundValue {
        /// The version's document id.
        @Field(in: .attribute) public var id: String?
        /// When it was made, where the server reports it.
        @Field(in: .attribute) public var createdAt: XMLDateTime?
        /// The e-mail address of whoever made it.
        @Field(in: .attribute) public var createdBy: String?

        public init() {}
    }

    /// How many documents stand in a relation to this one.
    public struct Relation: CompoundValue {
        /// The relation's URI.
        @Field(in: .attribute) public var type: String?
        /// How many documents stand in the relation.
        @Field(in: .attribute) public var count: Int?

        public init() {}
    }

    /// Relations of one direction.
    public struct Relations: CompoundValue {
        /// The relations, in the server's order.
        @Field("relation") public var all: [Relation]

        public init() {}
    }

    /// The document's id; empty in the shells that audits and aggregates carry.
    @Field(in: .attribute) public var id: String
    /// The content's type; servers of version 2.0 leave it empty.
    @Field(in: .attribute) public var type: String?
    /// In bytes.
    @Field(in: .attribute) public var size: Int?
    /// Hexadecimal: SHA-256 of a text, SHA-1 of a binary document.
    @Field(in: .attribute) public var digest: String?
    /// The record's id; `nil` for a document of an app alone.
    @Field("record_id", in: .attribute) public var recordID: String?
    /// When the document came to the server.
    @Field public var createdAt: XMLDateTime?
    /// Who made it.
    @Field public var creator: Principal?
    @Field public var replacedBy: Version?
    @Field public var replaces: Version?
    /// The first version.
    @Field public var original: Version?
    /// The newest version, where the server reports it.
    @Field public var latest: Version?
    /// What people call the document.
    @Field public var label: String?
    /// Where the document stands.
    @Field public var status: DocumentStatus?
    /// Whether the document is never shared with carenets.
    @Field("nevershare") public var neverShare: Bool?
    /// The documents that this one says something about.
    @Field public var relatesTo: Relations?
    /// The documents that say something about this one.
    @Field public var isRelatedFrom: Relations?

    public init() {}
}

/// Where a document stands: in use, put away, or made in error.
public enum DocumentStatus: String, LexicalValue, CaseIterable {
    /// In use.
    case active
    /// No longer current, but right.
    case archived
    /// Made in error.
    case void

    /// A change of a document's status.
    public struct Change: CompoundValue {
        /// The e-mail address of whoever made it.
        @Field(in: .attribute) public var by: String?
        /// When it was made.
        @Field(in: .attribute) public var at: XMLDateTime?
        /// The status from then on.
        @Field(in: .attribute) public var status: DocumentStatus?
        /// Why, in words.
        @Field public var reason: String?

        public init() {}
    }
}

/// A page of documents' metadata (element `Documents`).
package struct DocumentList: ServerResponse {
    package static let elementName = "Documents"
    @Field("record_id", in: .attribute) package var recordID: String?
    /// How many there are in all, before paging.
    @Field("total_document_count", in: .attribute) package var total: Int?
    @Field("Document") package var documents: [DocumentMetadata]

    package init() {}
}

/// The changes of a document's status (element `DocumentStatusHistory`).
package struct DocumentStatusHistory: ServerResponse {
    @Field("document_id", in: .attribute) package var documentID: String?
    @Field("DocumentStatus") package var changes: [DocumentStatus.Change]

    package init() {}
}
