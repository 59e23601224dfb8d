import SDML
import SwiftGenerator
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of these tests.
let testFolder = String(#filePath[..<#filePath.lastIndex(of: "/")!])  // Safe: a file's path has a slash.

/// Generates from one file of models, with notes if given.
func generate(
    _ text: String,
    notes: String? = nil,
    _ configure: (inout GeneratorOptions) -> Void = { _ in }
) -> SwiftGenerator.Result {
    var options = GeneratorOptions()
    configure(&options)
    return SwiftGenerator(options: options).generate([
        .init(
            models: SourceFile(path: "m.sdml", text: text),
            notes: notes.map { SourceFile(path: "m.notes.json", text: $0) }
        )
    ])
}

/// What one model of one field is generated as: the lines of code of its file, without the columns.
func code(
    _ text: String,
    notes: String? = nil,
    _ configure: (inout GeneratorOptions) -> Void = { _ in }
) -> [String] {
    let columns = /\n    \/\/\/ What a report(?:.|\n)*?\n    \}\n/
    return generate(text, notes: notes, configure).files
        .flatMap { $0.text.replacing(columns, with: "\n").split(separator: "\n").map { String($0).trimmed } }
        .filter { !$0.hasPrefix("//") && $0 != "}" && !$0.isEmpty }
}

extension String {
    var trimmed: String {
        var text = self[...]
        while text.first == " " { text = text.dropFirst() }
        return String(text)
    }
}

/// A folder that exists while `body` runs.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sdml2swift-\(UUID().uuidString)")
        .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

/// Writes a file, with the folders above it.
func write(_ text: String, to path: String) throws {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// The text of a file, nil when there is none.
func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

/// The names in a folder, sorted; hidden ones too.
func list(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
}
