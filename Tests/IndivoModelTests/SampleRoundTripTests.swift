import Foundation
import IndivoModel
import IndivoXML
import Testing

/// Real documents, read into objects and written back.
@Suite(
    "Sample documents",
    .enabled(if: Samples.areWanted, "no samples beside the package; name their folder in INDIVO_SAMPLES"))
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
                #expect(!document.models.isEmpty, "\(name): no models")
                #expect(!document.models.contains { $0 is GenericDocument }, "\(name): a model without a class")
                let written = try document.xml()
                #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(name)")
                let again = try SDMXDocument(XMLNode(parsing: written.document.data()))
                #expect(again.models.count == document.models.count, "\(name)")
                for (a, b) in zip(again.models, document.models) { #expect(a.hasSameContent(as: b), "\(name)") }
            case "Demographics":
                let document = try Demographics.read(from: source)
                let written = try document.xml()
                #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(name)")
                let again = try Demographics.read(from: XMLNode(parsing: written.document.data()))
                #expect(again.hasSameContent(as: document), "\(name)")
            default:
                Issue.record("\(name): no class for <\(source.name)>")
            }
        }
        print("wrote back \(files.count) sample documents with nothing lost")
    }

    @Test("written under today's names, every document still says the same, and no older name is left")
    func todaysNames() throws {
        for file in try Samples.files() {
            let source = try XMLNode(parsing: Data(contentsOf: file))
            guard source.name == "Models" else { continue }
            let document = try SDMXDocument(source)
            let current = try document.xml(naming: .current)
            let again = try SDMXDocument(current)
            let name = file.pathComponents.suffix(2).joined(separator: "/")
            for (a, b) in zip(again.models, document.models) { #expect(a.hasSameContent(as: b), "\(name)") }
            for model in current.children(named: "Model") {
                let known = DataModel.core.first { $0.name == model.attr("name") }
                let names = Set((known?.fields.map(\.name) ?? []) + (known?.relations.map(\.name) ?? []))
                let others = model.children(named: "Field").compactMap { $0.attr("name") }.filter { !names.contains($0) }
                #expect(others.isEmpty, "\(name): \(others)")
            }
        }
    }
}

enum Samples {
    private static let named = ProcessInfo.processInfo.environment["INDIVO_SAMPLES"]

    static let folder =
        named.map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/samples").standardized

    /// A folder that was named must be there: a test that would skip it fails instead.
    static var areWanted: Bool { named != nil || FileManager.default.fileExists(atPath: folder.path) }

    static func files() throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".xml") }.sorted().map { folder.appending(path: $0) }
    }
}
