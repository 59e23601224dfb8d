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
import FHIRGenerator
import FHIRTables
import SwiftGenerator

// Writes the Swift that is generated from the tables of FHIR.
//
// usage: fhir2swift FOLDER-OF-TABLES --tables FOLDER --views FOLDER --page FOLDER [--check]
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
        fail("usage: fhir2swift FOLDER-OF-TABLES --tables FOLDER --views FOLDER --page FOLDER [--check]")
    }
    return arguments[index + 1]
}
guard let source = arguments.first, !source.hasPrefix("-") else { fail("fhir2swift needs a folder of tables.") }
var tables: FHIRGenerator.Tables = [:]
for name in (try? FileManager.default.contentsOfDirectory(atPath: source)) ?? [] where name.hasSuffix(".txt") {
    guard let data = FileManager.default.contents(atPath: "\(source)/\(name)") else {
        fail("\(source)/\(name): cannot be read.")
    }
    tables[String(name.dropLast(4))] = String(decoding: data, as: UTF8.self)
}
let isCheck = arguments.contains("--check")
var isDifferent = false
do {
    let outputs = [
        (folder: value(after: "--tables"), marker: FHIRGenerator.marker, files: FHIRGenerator.tables(tables)),
        (folder: value(after: "--views"), marker: FHIRGenerator.marker, files: try FHIRGenerator.views(tables)),
        (folder: value(after: "--page"), marker: FHIRGenerator.pageMarker, files: [try FHIRGenerator.page(tables)]),
    ]
    for (path, marker, files) in outputs {
        let folder = OutputFolder(path: path, marker: marker)
        let plan = try folder.plan(for: files)
        if isCheck {
            let names = plan.written.map(\.name) + plan.removed
            for name in names { print("\(path)/\(name): error: This is not what the generator gives today.") }
            isDifferent = isDifferent || !names.isEmpty
        } else {
            try folder.apply(plan)
        }
        let counts = (plan.written.count, plan.unchanged.count, plan.removed.count)
        print("\(path): \(counts.0) to write, \(counts.1) up to date, \(counts.2) to remove.")
    }
} catch let error as TableError {
    fail("\(source): error: \(error)")
} catch let error as OutputFolder.Failure {
    fail(error.messages.joined(separator: "\n"))
}
if isDifferent { fail("error: The generated files are not up to date. Run scripts/generate.", status: 1) }
