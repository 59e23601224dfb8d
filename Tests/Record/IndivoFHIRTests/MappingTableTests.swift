import FHIR
import Foundation
import Indivo
import Testing

@testable import IndivoFHIR

@Suite("The tables of the mapping")
struct MappingTableTests {
    /// Every core model.
    static let models = DataModel.core

    /// A model's names of fields and of fields inside related models, as the table writes them.
    private func names(of model: DataModel) -> [String] {
        model.fields.map(\.name) + model.relations.map(\.name)
    }

    private func patterns(_ mapping: FactMapping) -> [String] {
        mapping.table.flatMap { $0.fields.split(separator: ", ").map(String.init) }
    }

    private func matches(_ pattern: String, _ name: String) -> Bool {
        pattern.hasSuffix("_*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }

    @Test("each field of each core model is in a row, and each row is of a field", arguments: models)
    func complete(_ model: DataModel) throws {
        let mapping = try #require(FactMapping.of(model: model.name))
        let patterns = patterns(mapping)
        for name in names(of: model) {
            #expect(patterns.contains { matches($0, name) }, "\(name) is in no row")
        }
        // Typed documents have fields that the data models have not.
        let typed = ["type", "id", "specification", "certification", "signature"]
        for pattern in patterns where !typed.contains(pattern) {
            #expect(names(of: model).contains { matches(pattern, $0) }, "\(pattern) is no field")
        }
    }

    @Test("the mapping takes what its rows say, and nothing else", arguments: models)
    func honest(_ model: DataModel) throws {
        let mapping = try #require(FactMapping.of(model: model.name))
        let fields = FactFields(model: model.name)
        // A provider is looked for only where there is one.
        fields.add("provider_x", "x")
        _ = mapping.convert(
            fields,
            FactContext(subject: ResourceAddress(type: "Patient", key: "p"), key: "k")
        )
        let patterns = patterns(mapping)
        for pattern in patterns {
            #expect(fields.used.contains { matches(pattern, $0) }, "\(pattern) is not taken")
        }
        let older = ["name_", "date", "type_"]
        for name in fields.used where !patterns.contains(where: { matches($0, name) }) {
            #expect(older.contains { name.hasPrefix($0) }, "\(name) is in no row")
        }
    }

    @Test("a model has one mapping")
    func unique() { #expect(Set(FactMapping.all.map(\.model)).count == FactMapping.all.count) }

    @Test("units of the table are UCUM, and none of them is one of its own")
    func units() {
        for (text, code) in Units.common { #expect(Units.code(of: code) == code, "\(text)") }
        #expect(Units.code(of: "mg/dL") == "mg/dL")
        #expect(Units.code(of: "furlongs per fortnight") == nil)
    }

    @Test("the page of the documentation says what the tables say")
    func documented() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Record/IndivoFHIR/IndivoFHIR.docc/Mapping.md")
            .standardizedFileURL
        if ProcessInfo.processInfo.environment["UPDATE_SNAPSHOTS"] == "1" {
            try Data(MappingDocumentation.page.utf8).write(to: file)
        }
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page == MappingDocumentation.page, "run the tests with UPDATE_SNAPSHOTS=1")
    }
}
