import Foundation

/// The official examples and patient bundles that lie beside the package.
package enum SharedFHIR {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/fhir").standardizedFileURL

    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: path).path)
    }

    /// The resources among the files of folders.
    package static func files(_ folders: String...) -> [URL] {
        folders.flatMap { name in
            (try? FileManager.default.contentsOfDirectory(
                at: folder.appending(path: name),
                includingPropertiesForKeys: nil
            ))
                ?? []
        }
        .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasPrefix("_") }
        .sorted { $0.path < $1.path }
    }
}
