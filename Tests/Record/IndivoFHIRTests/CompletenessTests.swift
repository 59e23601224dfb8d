import FHIR
import Foundation
import Indivo
import Testing

@testable import IndivoFHIR

/// The samples that lie beside the package.
enum Samples {
    static let folders: [URL] = {
        let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../../shared/samples"
        )
        .standardizedFileURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: samples.path)) ?? []
        return names.filter { $0.hasPrefix("patient") }.sorted().map { samples.appending(path: $0) }
    }()
}

@Suite("Every leaf is in the bundle or in the report")
struct CompletenessTests {
    private func check(_ content: RecordContent) throws {
        let export = content.fhirBundle()
        let search = LeafSearch(export.bundle)
        for document in content.documents {
            let reported = export.unmapped.filter { $0.document == document.id }.map(\.field)
            for leaf in FoundLeaf.all(in: try document.content.xml()) where !search.contains(leaf.text) {
                let isReported = reported.contains { $0.contains(leaf.name) || $0.hasSuffix("text()") }
                #expect(
                    isReported,
                    "\(leaf.name) of \(document.id) is neither in the bundle nor in the report"
                )
            }
        }
    }

    @Test(
        "of every sample, and the samples need no report",
        .enabled(if: !Samples.folders.isEmpty, "../shared/samples is not there"),
        arguments: Samples.folders
    )
    func samples(_ folder: URL) throws {
        let (content, ignored) = try RecordContent.folder(folder)
        #expect(ignored.isEmpty)
        #expect(content.demographics == "\(folder.lastPathComponent)/Demographics.xml")
        try check(content)
        let export = content.fhirBundle()
        #expect(export.unmapped.map(\.description) == [])
        #expect(export.bundle == content.fhirBundle().bundle)
        Structure.check(export.bundle)
    }

    /// SDMX of a model with every field, each with a text of its own, related models included.
    private func full(_ model: DataModel, _ number: inout Int) -> String {
        var xml = ""
        for field in model.fields {
            number += 1
            let text =
                switch field.type {
                case .number: "\(number).50"
                case .boolean: "true"
                case .date: "20\(10 + number % 80)-05-04"
                case .dateTime: "20\(10 + number % 80)-05-04T10:00:00.\(number)Z"
                case .string where field.name.hasSuffix("_gender"): "m"
                case .string where field.name.contains("_tel_") && field.name.hasSuffix("_type"): "w"
                case .string
                where field.name.hasSuffix("_value") && !field.name.hasPrefix("visit_type")
                    && !field.name.hasPrefix("specialty") && field.name != "name_value":
                    "\(number).25"
                case .string: "text \(number)"
                }
            xml += "<Field name=\"\(field.name)\">\(text)</Field>"
        }
        for relation in model.relations {
            guard let related = DataModel.core.first(where: { $0.name == relation.model }) else { continue }
            let inner = "<Model name=\"\(related.name)\">\(full(related, &number))</Model>"
            xml +=
                """
                <Field \
                name=\"\(relation.name)\">\(relation.isList ? "<Models>\(inner)</Models>" : inner)</Field>
                """
        }
        return xml
    }

    @Test("of a document with every field of a model, and nothing is reported", arguments: DataModel.core)
    func full(_ model: DataModel) throws {
        var number = 0
        let content = RecordContent(
            id: "r",
            documents: [.init(id: "d", content: TestDocument.sdmx(model.name, full(model, &number)))]
        )
        try check(content)
        let export = content.fhirBundle()
        #expect(export.unmapped.map(\.description) == [])
        Structure.check(export.bundle)
    }

    @Test("of a document in which every value is nonsense", arguments: DataModel.core)
    func nonsense(_ model: DataModel) throws {
        let fields = model.fields.enumerated().map { "<Field name=\"\($1.name)\"> !! \($0) \u{E9}</Field>" }
            .joined()
        let content = RecordContent(
            id: "r",
            documents: [.init(id: "d", content: TestDocument.sdmx(model.name, fields))]
        )
        try check(content)
        Structure.check(content.fhirBundle().bundle)
    }

    @Test(
        "attributes, elements and models that no model has are in the bundle or report",
        arguments: [
            "<Field name=\"name_title\" lang=\"de\">x</Field>",
            "<Field name=\"notes\"><b>bold</b> text</Field>",
            "<Note>n</Note>", "stray",
            "<Field name=\"notes\"><Model name=\"Odd\"><Field name=\"a\">1</Field></Model></Field>",
            """
            <Field name=\"notes\"><Models><Model name=\"Odd\"><Field \
            name=\"a\">1</Field></Model></Models></Field>
            """,
        ]
    )
    func strange(_ xml: String) throws {
        let content = RecordContent(
            id: "r",
            documents: [.init(id: "d", content: TestDocument.sdmx("Problem", xml))]
        )
        try check(content)
    }
}
