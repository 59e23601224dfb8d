#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SDML

/// Finds the files of models that a user names, and the notes beside them.
package struct ModelFiles {
    /// What a file of models ends with.
    static let modelSuffix = ".sdml"
    /// What the notes on `x.sdml` end with, after the same `x`.
    static let notesSuffix = ".notes.json"

    package private(set) var inputs: [SDMLParser.Input] = []
    /// What could not be found or read, as `path: error: …`.
    package private(set) var errors: [String] = []
    /// What is suspicious, as `path: warning: …`.
    package private(set) var warnings: [String] = []
    private var seen: Set<String> = []

    /// Reads files, and every file of models below folders.
    package init(_ paths: [String]) {
        for path in paths {
            var isFolder: Bool = false
            if !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
                errors.append("\(path): error: There is no such file or folder.")
            } else if isFolder {
                addFolder(path)
            } else if path.hasSuffix(Self.modelSuffix) {
                add(path, name: nil)
            } else if path.hasSuffix(Self.notesSuffix) {
                let models = path.dropLast(Self.notesSuffix.count) + Self.modelSuffix
                errors.append("\(path): error: Notes are read along with their models. Name \(models) instead.")
            } else {
                errors.append("\(path): error: A file of models ends in \(Self.modelSuffix).")
            }
        }
    }

    private mutating func addFolder(_ folder: String) {
        guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
            errors.append("\(folder): error: The folder cannot be read.")
            return
        }
        let visible = paths.filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }.sorted()
        let models = visible.filter { $0.hasSuffix(Self.modelSuffix) }
        if models.isEmpty {
            errors.append("\(folder): error: There is no file ending in \(Self.modelSuffix) in this folder.")
        }
        let base = folder.hasSuffix("/") ? folder : "\(folder)/"
        for name in models { add(base + name, name: name) }
        let known = Set(models)
        for notes in visible where notes.hasSuffix(Self.notesSuffix) {
            let expected = notes.dropLast(Self.notesSuffix.count) + Self.modelSuffix
            if !known.contains(String(expected)) {
                warnings.append("\(base)\(notes): warning: There is no \(expected) that these could be notes on.")
            }
        }
    }

    private mutating func add(_ path: String, name: String?) {
        guard seen.insert(URL(filePath: path).standardized.path).inserted else { return }
        guard let models = read(path, name: name) else { return }
        let notesPath = path.dropLast(Self.modelSuffix.count) + Self.notesSuffix
        let hasNotes = FileManager.default.fileExists(atPath: String(notesPath))
        inputs.append(SDMLParser.Input(models: models, notes: hasNotes ? read(String(notesPath), name: nil) : nil))
    }

    private mutating func read(_ path: String, name: String?) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: path) else {
            errors.append("\(path): error: The file cannot be read.")
            return nil
        }
        return SourceFile(path: path, name: name, bytes: Array(data))
    }
}
