import Foundation
import IndivoModel
import IndivoXML
import Testing

/// Real documents, read into objects and written back.
@Suite(
    "Sample documents",
    .enabled(if: Samples.areWanted, "no samples beside the package; name their folder in INDIVO_SAMPLES")
)
struct SampleRoundTripTests {
    @Test("every document is read and written back with nothing lost")
    func roundTrip() throws {
        let files = try Samples.files()
        #expect(!files.isEmpty, "\(Samples.folder.path) holds no XML files")
        for file in files {
            let source = try XMLNode(parsing: Data(contentsOf: file))
            let name = file.pathComponents.suffix(2).joined(separator: "/")
            switch source.name {
            case "Models":
                let document = try SDMXDocument(source)
                #expect(document.models.count == source.children(named: "Model").count, "\(name)")
                let written = try document.xml()
                #expect(
                    try written.canonical(withComments: true) == source.canonical(withComments: true),
                    "\(name)"
                )
                let again = try SDMXDocument(XMLNode(parsing: written.document.data()))
                #expect(again.models.count == document.models.count, "\(name)")
                for (a, b) in zip(again.models, document.models) {
                    #expect(a.hasSameContent(as: b), "\(name)")
                }
            case "Demographics": try expectRoundTrip(Demographics.self, source, name)
            case "Equipment": try expectRoundTrip(EquipmentDocument.self, source, name)
            case "Procedure": try expectRoundTrip(ProcedureDocument.self, source, name)
            case "SimpleClinicalNote": try expectRoundTrip(SimpleClinicalNoteDocument.self, source, name)
            case "Annotation": try expectRoundTrip(Annotation.self, source, name)
            default: Issue.record("\(name): no class for <\(source.name)>")
            }
        }
        print("wrote back \(files.count) sample documents with nothing lost")
    }

    private func expectRoundTrip(_ type: IndivoDocument.Type, _ source: XMLNode, _ name: String) throws {
        let document = try type.read(from: source)
        let written = try document.xml()
        #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(name)")
        let again = try type.read(from: XMLNode(parsing: written.document.data()))
        #expect(again.hasSameContent(as: document), "\(name)")
    }

    @Test("every document says the same under today's names, and no older name is left")
    func todaysNames() throws {
        for file in try Samples.files() {
            let source = try XMLNode(parsing: Data(contentsOf: file))
            guard source.name == "Models" else { continue }
            let document = try SDMXDocument(source)
            let current = try document.xml(naming: .current)
            let again = try SDMXDocument(current)
            let name = file.pathComponents.suffix(2).joined(separator: "/")
            for (a, b) in zip(again.models, document.models) { #expect(a.hasSameContent(as: b), "\(name)") }
            for model in again.models {
                let older = model.sourceFields.filter {
                    if case .formerly = $0.meaning { true } else { false }
                }
                #expect(older.isEmpty, "\(name): \(older)")
            }
        }
    }
}

enum Samples {
    private static let named = ProcessInfo.processInfo.environment["INDIVO_SAMPLES"]

    static let folder =
        named.map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../shared/samples")
        .standardized

    /// A folder that was named must be there: a test that would skip it fails instead.
    static var areWanted: Bool { named != nil || FileManager.default.fileExists(atPath: folder.path) }

    static func files() throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".xml") }.sorted().map { folder.appending(path: $0) }
    }
}
