import Foundation
import Indivo
import TestSupport
import Testing

/// What a recorded answer says, read without the library's types.
struct Expectation {
    let exchange: ServerExchange

    func root() throws -> XMLNode { try FileContent(exchange.responseBody, contentType: "").xml() }

    /// Whether metadata says what an element does.
    func check(
        _ metadata: DocumentMetadata?,
        _ element: XMLNode,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let metadata = try #require(metadata, "\(exchange)", sourceLocation: sourceLocation)
        func expect(_ found: String?, _ expected: String?, _ what: String) {
            #expect(found ?? "" == expected ?? "", "\(exchange): \(what)", sourceLocation: sourceLocation)
        }
        expect(metadata.id, element.attr("id"), "id")
        expect(metadata.recordID, element.attr("record_id"), "record")
        expect(metadata.createdAt?.lexical, element.child(named: "createdAt")?.text(), "createdAt")
        expect(metadata.creator?.id, element.child(named: "creator")?.attr("id"), "creator")
        expect(metadata.creator?.type, element.child(named: "creator")?.attr("type"), "creator's type")
        expect(metadata.original?.id, element.child(named: "original")?.attr("id"), "original")
        expect(metadata.latest?.id, element.child(named: "latest")?.attr("id"), "latest")
        expect(
            metadata.latest?.createdAt?.lexical,
            element.child(named: "latest")?.attr("createdAt"),
            "latest's time"
        )
        expect(metadata.replaces?.id, element.child(named: "replaces")?.attr("id"), "replaces")
        expect(metadata.replacedBy?.id, element.child(named: "replacedBy")?.attr("id"), "replacedBy")
        expect(metadata.label, element.child(named: "label")?.text(), "label")
        expect(metadata.status?.rawValue, element.child(named: "status")?.text(), "status")
        expect(metadata.neverShare.map { "\($0)" }, element.child(named: "nevershare")?.text(), "nevershare")
        for (relations, name) in [
            (metadata.relatesTo, "relatesTo"), (metadata.isRelatedFrom, "isRelatedFrom"),
        ] {
            let expected =
                element.child(named: name)?.children(named: "relation").map { $0.attr("count") ?? "" } ?? []
            #expect(
                relations?.all.map { $0.count.map(String.init) ?? "" } ?? [] == expected,
                "\(exchange): \(name)",
                sourceLocation: sourceLocation
            )
        }
    }

    /// The same with digest and size, which are others where the document was written anew.
    func checkStored(
        _ metadata: DocumentMetadata?,
        _ element: XMLNode,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try check(metadata, element, sourceLocation: sourceLocation)
        #expect(
            metadata?.digest ?? "" == element.attr("digest") ?? "",
            "\(exchange)",
            sourceLocation: sourceLocation
        )
        #expect(
            metadata?.size.map(String.init) == element.attr("size"),
            "\(exchange)",
            sourceLocation: sourceLocation
        )
    }

    func check(_ list: [DocumentMetadata?], total: Int??, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let root = try root()
        let elements = Array(root.children(named: "Document"))
        #expect(list.count == elements.count, "\(exchange)", sourceLocation: sourceLocation)
        for (metadata, element) in zip(list, elements) {
            try checkStored(metadata, element, sourceLocation: sourceLocation)
        }
        if let total {
            #expect(
                total.map(String.init) == root.attr("total_document_count"),
                "\(exchange)",
                sourceLocation: sourceLocation
            )
        }
    }

    // MARK: Reports

    /// The models of a report, each by its fields' names; what is null or empty left out, relations by their
    /// number.
    func models() throws -> [[String: String]] {
        if let items = try? JSONSerialization.jsonObject(with: exchange.responseBody) as? [[String: Any]] {
            return items.map { item in
                var fields: [String: String] = [:]
                for (name, value) in item {
                    switch value {
                    case is NSNull: break
                    case let text as String: fields[name] = text.isEmpty ? nil : text
                    case let list as [Any]: fields[name] = list.isEmpty ? nil : "\(list.count) related"
                    case is [String: Any]: fields[name] = "1 related"
                    case let number as NSNumber: fields[name] = "\(number)"
                    default: fields[name] = "?"
                    }
                }
                return fields
            }
        }
        return try root().children(named: "Model").map { model in
            var fields = [
                "__modelname__": model.attr("name") ?? "", "__documentid__": model.attr("documentId") ?? "",
            ]
            for field in model.children(named: "Field") {
                guard let name = field.attr("name") else { continue }
                if let list = field.child(named: "Models") {
                    let count = list.children(named: "Model").count
                    fields[name] = count == 0 ? nil : "\(count) related"
                } else if field.child(named: "Model") != nil {
                    fields[name] = "1 related"
                } else {
                    fields[name] = field.text().isEmpty ? nil : field.text()
                }
            }
            return fields.filter { !$0.value.isEmpty }
        }
    }

    /// Whether documents say what the recorded report does.
    func check(_ documents: [IndivoDocument], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try models()
        #expect(documents.count == expected.count, "\(exchange)", sourceLocation: sourceLocation)
        for (document, fields) in zip(documents, expected) {
            #expect(document.id == fields["__documentid__"], "\(exchange)", sourceLocation: sourceLocation)
            #expect(
                document.modelName == fields["__modelname__"],
                "\(exchange)",
                sourceLocation: sourceLocation
            )
            #expect(document.state == .pushed, "\(exchange)", sourceLocation: sourceLocation)
            // A new document of the same properties: what was not understood is not in it.
            let said = try TypedContent.fields(of: document)
            for (name, value) in said {
                #expect(
                    TypedContent.isSame(fields[name], value),
                    "\(exchange): \(name) is \(fields[name] ?? "nothing")",
                    sourceLocation: sourceLocation
                )
            }
            let known = TypedContent.names(of: document)
            let unread = fields.keys.filter { known.contains($0) && said[$0] == nil }
            #expect(unread.isEmpty, "\(exchange)", sourceLocation: sourceLocation)
        }
    }
}
