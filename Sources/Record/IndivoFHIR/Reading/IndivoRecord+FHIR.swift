import FHIR
import Indivo

extension IndivoRecord {
    /// The whole record as FHIR R4: the newest version of each document, whatever its status.
    ///
    /// ```swift
    /// let export = try await record.fhirBundle(.transaction)
    /// try export.bundle.json().write(to: file)
    /// for field in export.unmapped { print(field) }            // what had no element
    /// ```
    /// The mapping is in the module's documentation. Documents that are not facts, such as scans, are
    /// attached as they are.
    ///
    /// - Throws: ``/Indivo/IndivoError``.
    public func fhirBundle(_ form: FHIRExport.Form = .collection) async throws -> FHIRExport {
        try await content().fhirBundle(form)
    }

    /// The content of the record for an export: all documents with their metadata and relations.
    ///
    /// It takes a request for each document, one more for each document that is not active, and three for
    /// each kind of relation that other documents have to a document.
    /// - Throws: ``/Indivo/IndivoError``.
    public func content() async throws -> RecordContent {
        var content = RecordContent(id: id, documents: [])
        content.address = server.api.absoluteString.trimmingSlash + "/records/\(id)/documents/"
        var found: [FileDocument] = []
        for status in DocumentStatus.allCases {
            found += try await documents(DocumentQuery(status: status, order: .ascending(.createdAt))).all()
        }
        content.demographics = try await information().demographics?.documentID
        if let id = content.demographics, !id.isEmpty, !found.contains(where: { $0.id == id }) {
            found.append(try await document(id))
        }
        let relations = try await relations(among: found)
        for document in found {
            guard let id = document.id, let metadata = document.metadata else { continue }
            var taken = RecordContent.Document(
                id: id,
                content: try await document.loaded(),
                metadata: metadata
            )
            if metadata.status != .active { taken.statusChanges = try await document.statusHistory() }
            taken.relations = relations[taken.firstID] ?? []
            content.documents.append(taken)
        }
        return content
    }

    /// What documents are to others, by the ids of first versions.
    ///
    /// A document's metadata counts the relations of that version alone, so that one which replaced another
    /// is asked for every kind of relation that there is in the record.
    private func relations(
        among documents: [FileDocument]
    ) async throws -> [String: [(relation: DocumentRelation, id: String)]] {
        let present = Set(
            documents.compactMap(\.metadata).flatMap { $0.relatesTo.uris + $0.isRelatedFrom.uris }
        )
        var relations: [String: [(relation: DocumentRelation, id: String)]] = [:]
        for document in documents {
            let isReplacement = document.metadata?.replaces != nil
            let asked = isReplacement ? present : Set(document.metadata?.relatesTo.uris ?? [])
            for relation in DocumentRelation.allCases where asked.contains(relation.uri) {
                var others: Set<String> = []
                for status in DocumentStatus.allCases {
                    // Older versions of related documents are listed too.
                    others.formUnion(try await document.related(as: relation, status: status).map(\.firstID))
                }
                for other in others { relations[other, default: []].append((relation, document.firstID)) }
            }
        }
        return relations
    }
}

extension DocumentMetadata.Relations? {
    /// The kinds of the relations.
    fileprivate var uris: [String] { self?.all.compactMap(\.type) ?? [] }
}

extension FileDocument {
    fileprivate var firstID: String { metadata?.original?.id.nonEmpty ?? id ?? "" }

    fileprivate func loaded() async throws -> FileContent {
        if let content { return content }
        return try await fetchContent()
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
