import Foundation
import SDML

/// Finds the files of models that a user names, and the notes beside them.
package struct ModelFiles {
    static let modelSuffix = ".sdml"
    static let notesSuffix = ".notes.json"

    package private(set) var inputs: [SDMLParser.Input] = []
    /// What could not be found or read, as `path: error: …`.
    package private(set) var errors: [String] = []
    /// What is suspicious, as `path: warning: …`.
    package private(set) var warnings: [String] = []
    private var seen: Set<String> = []
    /// What files in folders are called, by their places: after the outermost folder that is named, in
    /// whichever order.
    private var names: [String: String] = [:]

    /// Reads files, and every file of models below folders.
    package init(_ paths: [String]) {
        let folders = paths.filter(\.isFolder)
        // The outermost last, which counts.
        for folder in folders.sorted(by: { Self.place(of: $0) > Self.place(of: $1) }) {
            for name in Self.files(below: folder) ?? [] {
                names[Self.place(of: Self.path(name, in: folder))] = name
            }
        }
        for path in paths {
            if !path.fileExists {
                errors.append("\(path): error: There is no such file or folder.")
            } else if path.isFolder {
                addFolder(path)
            } else if path.hasSuffix(Self.modelSuffix) {
                add(path)
            } else if path.hasSuffix(Self.notesSuffix) {
                let models = path.dropLast(Self.notesSuffix.count) + Self.modelSuffix
                errors.append(
                    "\(path): error: Notes are read along with their models. Name \(models) instead."
                )
            } else {
                errors.append("\(path): error: A file of models ends in \(Self.modelSuffix).")
            }
        }
    }

    /// The files that are not hidden, by their paths in the folder; `nil` for one that cannot be read.
    private static func files(below folder: String) -> [String]? {
        try? FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }.sorted()
    }

    private static func path(_ name: String, in folder: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The path that names the same whatever it is relative to.
    private static func place(of path: String) -> String { URL(filePath: path).standardized.path }

    private mutating func addFolder(_ folder: String) {
        guard let visible = Self.files(below: folder) else {
            errors.append("\(folder): error: The folder cannot be read.")
            return
        }
        let models = visible.filter { $0.hasSuffix(Self.modelSuffix) }
        if models.isEmpty {
            errors.append("\(folder): error: There is no file ending in \(Self.modelSuffix) in this folder.")
        }
        for name in models { add(Self.path(name, in: folder)) }
        for notes in visible where notes.hasSuffix(Self.notesSuffix) {
            let expected = notes.dropLast(Self.notesSuffix.count) + Self.modelSuffix
            if !models.contains(String(expected)) {
                warnings.append(
                    """
                    \(Self.path(notes, in: folder)): warning: There is no \(expected) \
                    that these could be notes on.
                    """
                )
            }
        }
    }

    private mutating func add(_ path: String) {
        let place = Self.place(of: path)
        guard seen.insert(place).inserted, let models = read(path, name: names[place]) else { return }
        let notes = path.dropLast(Self.modelSuffix.count) + Self.notesSuffix
        let hasNotes = String(notes).fileExists
        inputs.append(
            SDMLParser.Input(models: models, notes: hasNotes ? read(String(notes), name: nil) : nil)
        )
    }

    private mutating func read(_ path: String, name: String?) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: path) else {
            errors.append("\(path): error: The file cannot be read.")
            return nil
        }
        return SourceFile(path: path, name: name, bytes: Array(data))
    }
}
