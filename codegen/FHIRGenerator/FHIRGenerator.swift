import FHIRTables
import SwiftGenerator

/// A compiler from the tables of FHIR to Swift: tables → `Definitions` → views → text.
package enum FHIRGenerator {
    /// The tables' texts, by the names of their files without `.txt`.
    package typealias Tables = [String: String]

    /// How every generated file begins.
    package static let marker = ViewRenderer.marker

    /// The tables of types, by the names that they have in the generated code.
    package static let typeTables = [
        "datatypes": "datatypes", "resources": "resources", "other-resources": "otherResources",
    ]

    /// The tables that validation and search need besides.
    package static let ruleTables = [
        "rules": "rules", "codes": "codes", "other-codes": "otherCodes",
        "search-parameters": "searchParameters",
        "compartments": "compartments", "profiles": "profiles", "extensions": "extensions",
    ]

    /// The tables as Swift: what is asked at run time.
    package static func tables(_ tables: Tables, _ names: [String: String]) -> [GeneratedFile] {
        names.sorted { $0.key < $1.key }.map { file, name in
            let lines = (tables[file] ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }
            let text = """
                extension Table {
                    /// `schemas/fhir/\(file).txt`.
                    static let \(name) = #\"\"\"
                \(lines.joined(separator: "\n"))
                \"\"\"#
                }
                """
            return ViewRenderer.file("Table+\(Names.capitalized(name)).swift", imports: [], [text])
        }
    }

    /// The views, a file for each type.
    ///
    /// - Throws: ``TableError``.
    package static func views(_ tables: Tables) throws(TableError) -> [GeneratedFile] {
        let translator = try translator(tables)
        var files = viewed(translator.definitions).map { type in
            let view = translator.view(of: type)
            return ViewRenderer.file(view.name + ".swift", [ViewRenderer.render(view)])
        }
        if let choice = translator.openChoice() {
            files.append(ViewRenderer.file(choice.name + ".swift", [ViewRenderer.render(choice)]))
        }
        files += translator.codes().map {
            ViewRenderer.file($0.name + ".swift", imports: [], [ViewRenderer.render($0)])
        }
        return files
    }

    private static func translator(_ tables: Tables) throws(TableError) -> Translator {
        let definitions = try Definitions(
            types: ["datatypes", "resources"].map { tables[$0] ?? "" }
        )
        try definitions.check()
        return Translator(
            definitions: definitions,
            valueSets: ValueSetTable([tables["codes"] ?? ""]),
            descriptions: descriptions(tables["descriptions"] ?? "")
        )
    }

    /// The types that have views: references are written by hand, being generic; what is abstract is a
    /// protocol.
    private static func viewed(_ definitions: Definitions) -> [DefinedType] {
        definitions.types.filter {
            ($0.kind == .resource || $0.kind == .datatype) && !$0.isAbstract && $0.name != "Reference"
        }
    }

    /// How the page begins.
    package static let pageMarker = "# Types of R4\n"

    /// The page of the documentation that lists the views by FHIR's own categories, and the codes.
    ///
    /// - Throws: ``TableError``.
    package static func page(_ tables: Tables) throws(TableError) -> GeneratedFile {
        let translator = try translator(tables)
        var left = viewed(translator.definitions).map(\.name)
        var topics: [(category: String, names: [String])] = []
        for line in (tables["categories"] ?? "").split(separator: "\n") where !line.hasPrefix("#") {
            guard line.hasPrefix(" ") else {
                topics.append((String(line), []))
                continue
            }
            let names = line.split(separator: " ").map(String.init).filter(left.contains)
            if !topics.isEmpty { topics[topics.count - 1].names += names.map(Names.type) }
            left.removeAll(where: names.contains)
        }
        topics.append(("Other types", left.map(Names.type)))
        // swift-symbolgraph-extract leaves out a type that is called as the module and Version.
        topics.append(("Codes", translator.codes().map(\.name).filter { $0 != "FHIRVersion" }.sorted()))
        let lists = topics.filter { !$0.names.isEmpty }.map { topic in
            "### \(topic.category)\n\n" + topic.names.map { "- ``\($0)``\n" }.joined()
        }
        let text = """
            \(pageMarker)
            Every resource and datatype that has a view, by FHIR's own categories, \
            and every enumeration of codes.

            ## Overview

            This page is generated from `schemas/fhir` by `scripts/generate`. \
            Resources without a view can be read and written,
            too, as ``AnyResource``.

            ## Topics

            \(lists.joined(separator: "\n"))
            """
        return GeneratedFile(name: "TypesOfR4.md", text: text)
    }

    /// Lines of a path and a description.
    private static func descriptions(_ table: String) -> [String: String] {
        table.split(separator: "\n").reduce(into: [:]) { descriptions, line in
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0] != "#" { descriptions[String(parts[0])] = String(parts[1]) }
        }
    }
}
