import Indivo

extension Listing {
    /// What a server says of documents; of a single one all there is to say.
    static func documents(_ documents: [DocumentMetadata], isSingle: Bool = false) -> Listing {
        Listing(
            columns: [
                "id": "document", "label": "label", "status": "status", "created_at": "created",
                "creator": "by", "size": "bytes",
                "type": nil, "digest": nil, "record_id": nil, "creator_type": nil, "replaces": nil,
                "replaced_by": nil,
                "original": nil, "latest": nil, "never_share": nil,
            ],
            rows: documents.map { document in
                [
                    document.id, document.label, document.status?.rawValue, document.createdAt?.lexical,
                    document.creator?.id,
                    document.size.map { "\($0)" }, document.type, document.digest, document.recordID,
                    document.creator?.type,
                    document.replaces?.id, document.replacedBy?.id, document.original?.id,
                    document.latest?.id,
                    document.neverShare?.lexical,
                ]
            },
            isSingle: isSingle,
            json: { try isSingle ? documents[0].json() : documents.json() }
        )
    }
}

extension OutputOptions {
    func print(_ metadata: DocumentMetadata?) throws {
        try print(.documents([metadata.orFail("the server told nothing of the document")], isSingle: true))
    }
}
