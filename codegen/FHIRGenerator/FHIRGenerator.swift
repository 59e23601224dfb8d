import FHIRTables
import SwiftGenerator

/// A compiler from the tables of FHIR to Swift: tables → `Definitions` → views → text.
package enum FHIRGenerator {
    /// The tables' texts, by the names of their files without `.txt`.
    package typealias Tables = [String: String]

    /// How every generated file begins.
    package static let marker = Renderer.marker

    /// The names of the tables, as they are called in the generated code.
    static let tableNames = [
        "datatypes": "datatypes", "resources": "resources", "other-resources": "otherResources", "rules": "rules",
        "codes": "codes", "search-parameters": "searchParameters",
    ]

    /// The tables as Swift: what is asked at run time.
    package static func tables(_ tables: Tables) -> [GeneratedFile] {
        tableNames.sorted { $0.key < $1.key }.map { file, name in
            let lines = (tables[file] ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }
            let text = """
                extension Table {
                    /// `schemas/fhir/\(file).txt`.
                    static let \(name) = #\"\"\"
                \(lines.joined(separator: "\n"))
                \"\"\"#
                }
                """
            return Renderer.file("Table+\(Names.capitalized(name)).swift", imports: [], [text])
        }
    }

    /// The views, a file for each type.
    ///
    /// - Throws: ``TableError``.
    package static func views(_ tables: Tables) throws(TableError) -> [GeneratedFile] {
        let definitions = try Definitions(
            types: [tables["datatypes"] ?? "", tables["resources"] ?? ""], rules: tables["rules"] ?? "",
            codes: tables["codes"] ?? "")
        let translator = Translator(definitions: definitions, descriptions: descriptions(tables["descriptions"] ?? ""))
        let types = definitions.types.filter { type in
            // References are written by hand, being generic; what is abstract is a protocol.
            (type.kind == .resource || type.kind == .datatype) && !type.isAbstract && type.name != "Reference"
        }
        var files = types.map { type in
            let view = translator.view(of: type)
            return Renderer.file(view.name + ".swift", [Renderer.render(view)])
        }
        if let choice = translator.openChoice() {
            files.append(Renderer.file(choice.name + ".swift", [Renderer.render(choice)]))
        }
        files += translator.codes().map { Renderer.file($0.name + ".swift", imports: [], [Renderer.render($0)]) }
        return files
    }

    /// Lines of a path and a description.
    private static func descriptions(_ table: String) -> [String: String] {
        table.split(separator: "\n").reduce(into: [:]) { descriptions, line in
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0] != "#" { descriptions[String(parts[0])] = String(parts[1]) }
        }
    }
}
