import SDML
import SwiftGenerator
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The core models")
struct CoreModelTests {
    static let root = "\(testFolder)/../../../.."

    /// The number of fields that a server's tables have for each model.
    static let fieldCounts: [(model: String, leaves: Int)] = [
        ("Allergy", 18), ("AllergyExclusion", 3), ("Encounter", 35), ("Equipment", 5), ("Fill", 36),
        ("Immunization", 16), ("LabResult", 35), ("Measurement", 4), ("Medication", 13), ("Problem", 6),
        ("Procedure", 9), ("SimpleClinicalNote", 16), ("VitalSigns", 55),
    ]

    static func parse() throws -> SDMLSchema {
        let folder = "\(root)/schemas/models"
        let names = list(folder).filter { $0.hasSuffix(".sdml") }
        let result = SDMLParser.parse(
            try names.map { name in
                let text = try #require(read("\(folder)/\(name)"))
                let notes = try #require(read("\(folder)/\(name.dropLast(5)).notes.json"))
                return .init(
                    models: SourceFile(path: name, text: text),
                    notes: SourceFile(
                        path: """
                            \(name) notes
                            """,
                        text: notes
                    )
                )
            }
        )
        #expect(result.diagnostics == [])
        return result.schema
    }

    @Test("each has as many fields as a server has")
    func fields() throws {
        let schema = try Self.parse()
        #expect(schema.models.map(\.name) == Self.fieldCounts.map(\.model))
        for (model, leaves) in Self.fieldCounts {
            #expect(schema.model(named: model)?.fields.flatMap(\.leaves).count == leaves, "\(model)")
        }
    }

    @Test("every model and every field is documented")
    func documentation() throws {
        for model in try Self.parse().models {
            #expect(model.notes.documentation != nil)
            for field in model.fields {
                #expect(field.notes.documentation != nil, "\(model.name).\(field.name)")
            }
        }
    }

    @Test("the classes that are checked in are what the generator gives today")
    func upToDate() {
        let outcome = GeneratorCommand.run([
            "\(Self.root)/schemas/models", "--output", "\(Self.root)/Sources/Record/IndivoModel/Generated",
            "--no-import",
            "--list", "coreModels", "--list-access", "internal", "--command", "scripts/generate", "--check",
        ])
        #expect(outcome.errors == [])
        #expect(outcome.status == 0)
    }
}
