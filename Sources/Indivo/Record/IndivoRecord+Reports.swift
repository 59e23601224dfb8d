import Foundation
import IndivoModel
import OAuth1

extension IndivoRecord {
    /// Every document of a model (`generic_list`), the newest first.
    ///
    /// Fetched in pages of a hundred. A report leaves some things out (fields the model does not have, a vital signs'
    /// encounter); replacing such a document keeps them all the same, see ``IndivoModel/IndivoDocument/replace()``.
    ///
    /// - Parameters:
    ///   - type: The class; its model must be known to the server.
    ///   - status: Documents of which status.
    /// - Throws: ``IndivoError``.
    public func reports<Document: IndivoDocument>(
        of type: Document.Type, status: DocumentStatus = .active
    ) async throws -> [Document] {
        let pageSize = 100
        var documents: [Document] = []
        while true {
            let answer = try await send(
                .genericList, path: ["model": type.modelName],
                query: [
                    "response_format": "application/xml", "status": status.rawValue,
                    "limit": String(pageSize), "offset": String(documents.count),
                ])
            let page = try await Self.read(type, from: answer)
            for document in page { document.home = self }
            documents += page
            if page.count < pageSize { return documents }
        }
    }

    /// Reads a report, away from the caller's actor.
    @concurrent
    private static func read<Document: IndivoDocument>(
        _ type: Document.Type, from answer: Answer
    ) async throws -> sending [Document] {
        let root = try answer.xml()
        guard root.name == "Models" else {
            throw answer.malformed("its root is <\(root.name)>, not <Models>")
        }
        return try answer.reading { try root.children(named: "Model").map { try Document.read(from: $0) } }
    }
}
