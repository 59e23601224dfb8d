import FHIRGenerator
import FHIRTables
import SwiftGenerator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// Writes the Swift that is generated from the tables of FHIR.
//
// usage: fhir2swift FOLDER-OF-TABLES --tables FOLDER --rules FOLDER --views FOLDER --page FOLDER [--check]
//        fhir2swift embed NAME FILE… --output FOLDER [--check]         data files as NAME.swift
//
// Exit status: 0 when all is well, 1 when --check finds differences, 2 for other faults.
func fail(_ message: String, status: Int32 = 2) -> Never {
    var bytes = Array("\(message)\n".utf8)
    write(STDERR_FILENO, &bytes, bytes.count)
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
func value(after option: String) -> String {
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else {
        fail(
            "usage: fhir2swift FOLDER-OF-TABLES --tables FOLDER --rules FOLDER --views FOLDER --page FOLDER "
                + "[--check]"
        )
    }
    return arguments[index + 1]
}
let isCheck = arguments.contains("--check")
var isDifferent = false

/// Writes what differs, or says with --check that it does.
@MainActor func update(_ path: String, with files: [GeneratedFile], marker: String) throws {
    let folder = OutputFolder(path: path, marker: marker)
    let plan = try folder.plan(for: files)
    if isCheck {
        let names = plan.written.map(\.name) + plan.removed
        for name in names { print("\(path)/\(name): error: This is not what the generator gives today.") }
        isDifferent = isDifferent || !names.isEmpty
    } else {
        try folder.apply(plan)
    }
    let counts =
        "\(plan.written.count) to write, \(plan.unchanged.count) up to date, \(plan.removed.count) to remove"
    print("\(path): \(counts).")
}

func contents(of path: String) -> String {
    guard let data = FileManager.default.contents(atPath: path) else { fail("\(path): cannot be read.") }
    return String(decoding: data, as: UTF8.self)
}

/// The tables of a folder → tables, views and their page.
@MainActor func generateFHIR(from source: String) throws {
    var tables: FHIRGenerator.Tables = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: source)) ?? []
    where name.hasSuffix(".txt") {
        tables[String(name.dropLast(4))] = contents(of: "\(source)/\(name)")
    }
    for (option, names) in [("--tables", FHIRGenerator.typeTables), ("--rules", FHIRGenerator.ruleTables)] {
        try update(
            value(after: option),
            with: FHIRGenerator.tables(tables, names),
            marker: FHIRGenerator.marker
        )
    }
    try update(value(after: "--views"), with: FHIRGenerator.views(tables), marker: FHIRGenerator.marker)
    try update(value(after: "--page"), with: [FHIRGenerator.page(tables)], marker: FHIRGenerator.pageMarker)
}

@MainActor func embedFiles(named name: String, _ paths: some Sequence<String>) throws {
    let files = paths.map { (path: $0, text: contents(of: $0)) }
    try update(
        value(after: "--output"),
        with: [EmbeddedFiles.render(name, files)],
        marker: FHIRGenerator.marker
    )
}

guard let source = arguments.first, !source.hasPrefix("-") else {
    fail("fhir2swift needs a folder of tables.")
}
do {
    if source == "embed", arguments.count > 2 {
        try embedFiles(named: arguments[1], arguments[2...].prefix { !$0.hasPrefix("-") })
    } else {
        try generateFHIR(from: source)
    }
} catch let error as TableError {
    fail("\(source): error: \(error)")
} catch let error as OutputFolder.Failure {
    fail(error.messages.joined(separator: "\n"))
}
if isDifferent { fail("error: The generated files are not up to date. Run scripts/generate.", status: 1) }
