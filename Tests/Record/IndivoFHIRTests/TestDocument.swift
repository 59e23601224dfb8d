import FHIR
import Foundation
import Indivo

@testable import IndivoFHIR

/// Documents and records for tests.
enum TestDocument {
    /// SDMX with a fact.
    static func sdmx(_ model: String, _ fields: String) -> FileContent {
        file(
            """
            <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
            name=\"\(model)\">\(fields)</Model></Models>
            """
        )
    }

    /// Fields with names and texts.
    static func fields(_ texts: KeyValuePairs<String, String>) -> String {
        texts.map { "<Field name=\"\($0)\">\($1)</Field>" }.joined()
    }

    static func file(_ xml: String) -> FileContent {
        FileContent(Data(xml.utf8), contentType: "application/xml")
    }

    /// What a server says of a document.
    static func metadata(_ id: String, status: DocumentStatus = .active) -> DocumentMetadata {
        var metadata = DocumentMetadata()
        metadata.id = id
        metadata.status = status
        metadata.createdAt = "2026-05-04T15:34:23.502840Z"
        var creator = DocumentMetadata.Principal()
        creator.id = "ana@example.org"
        creator.type = "Account"
        creator.fullName = "Ana Lopez"
        metadata.creator = creator
        return metadata
    }

    /// A record of one document.
    static func export(
        _ content: FileContent,
        id: String = "d1",
        metadata: DocumentMetadata? = nil
    ) -> FHIRExport {
        RecordContent(id: "r1", documents: [.init(id: id, content: content, metadata: metadata)]).fhirBundle()
    }

    /// The JSON of a value at a path like `Condition.code.coding.0.code`, of the first resource of that type.
    static func value(_ path: String, in export: FHIRExport) -> String? {
        var parts = path.split(separator: ".").map(String.init)[...]
        let type = parts.removeFirst()
        guard
            var value = export.bundle.entry.compactMap({ $0.resource }).first(where: {
                $0.resourceType == type
            })?.tree
        else { return nil }
        for part in parts {
            guard let next = Int(part).flatMap({ value[$0] }) ?? value[part] else { return nil }
            value = next
        }
        return value.string ?? value.number ?? value.boolean.map { "\($0)" } ?? value.text()
    }
}
