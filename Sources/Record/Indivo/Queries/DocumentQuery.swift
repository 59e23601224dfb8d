/// Which documents of a list are wanted, in which order.
///
/// ```swift
/// DocumentQuery(type: .equipment)
/// DocumentQuery(status: .archived, order: .ascending(.createdAt), limit: 20)
/// ```
public struct DocumentQuery: Sendable, Hashable {
    /// Only documents with this root element. A server then gives them all at once, whatever the page.
    public var type: DocumentType?
    /// A server lists the documents of one status at a time.
    public var status: DocumentStatus
    /// `nil` leaves it to the server: the newest first.
    public var order: Order?
    /// How many at most; `nil` for all.
    public var limit: Int?
    /// How many to leave out at the beginning.
    public var offset: Int
    /// How many are fetched at once.
    public var pageSize: Int

    /// All active documents, by default.
    public init(
        type: DocumentType? = nil,
        status: DocumentStatus = .active,
        order: Order? = nil,
        limit: Int? = nil,
        offset: Int = 0,
        pageSize: Int = 100
    ) {
        self.type = type
        self.status = status
        self.order = order
        self.limit = limit
        self.offset = offset
        self.pageSize = pageSize
    }

    fileprivate func parameters(for call: IndivoCall) -> FormParameters {
        var parameters = FormParameters()
        if let type { parameters.append(name: "type", value: type.uri) }
        // A carenet's list takes no more than paging.
        guard call.query == .documents else { return parameters }
        parameters.append(name: "status", value: status.rawValue)
        if let order {
            parameters.append(name: "order_by", value: (order.isDescending ? "-" : "") + order.key.rawValue)
        }
        return parameters
    }

    /// In which order documents are listed.
    public struct Order: Sendable, Hashable {
        /// By what documents can be ordered; a server fails on anything else.
        public enum Key: String, Sendable, Hashable, CaseIterable {
            /// When the document was stored.
            case createdAt = "created_at"
            case label
            /// Its size in bytes.
            case size
        }

        public let key: Key
        /// Whether the greatest, or the latest, comes first.
        public let isDescending: Bool

        /// The least, or the earliest, first.
        public static func ascending(_ key: Key) -> Order { Order(key: key, isDescending: false) }
        /// The greatest, or the latest, first.
        public static func descending(_ key: Key) -> Order { Order(key: key, isDescending: true) }
    }

    /// A document's type: namespace and name of its root element.
    public struct DocumentType: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The namespace directly followed by the name, as servers write it.
        public let uri: String

        /// - Parameter uri: The namespace, directly followed by the name. A bare name is one of Indivo's own.
        public init(_ uri: String) {
            self.uri =
                uri.contains(":") || uri.contains("/") ? uri : "http://indivo.org/vocab/xml/documents#" + uri
        }

        public init(stringLiteral uri: String) { self.init(uri) }

        /// SDMX of any model: a server does not list documents by their model. Use the record's
        /// `reports(of:matching:)`.
        public static let models: DocumentType = "Models"
        /// A document of the Indivo schema with that name.
        public static let equipment: DocumentType = "Equipment", procedure: DocumentType = "Procedure",
            simpleClinicalNote: DocumentType = "SimpleClinicalNote",
            demographics: DocumentType = "Demographics",
            annotation: DocumentType = "Annotation"
    }
}

extension CallScope {
    /// A list of documents' metadata.
    func metadataList<Element>(
        _ call: IndivoCall,
        path: [String: String] = [:],
        _ query: DocumentQuery,
        _ make: @escaping @Sendable (DocumentMetadata) -> Element
    ) -> PagedList<Element> {
        PagedList(
            scope: self,
            call: call,
            path: path,
            paging: Paging(limit: query.limit, offset: query.offset, pageSize: query.pageSize),
            // With a type everything comes at once.
            isWhole: query.type != nil,
            parameters: { query.parameters(for: call) }
        ) { answer in
            let list = try answer.value(DocumentList.self)
            return FetchedPage(
                elements: list.documents.map(make),
                keys: list.documents.map(\.id),
                total: try answer.total(list.total)
            )
        }
    }
}
