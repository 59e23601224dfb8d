import Foundation

/// Published data that lies beside the package and is no part of it.
enum SharedFHIR {
    private static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["FHIR_DATA"] { return URL(filePath: path) }
        return URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/fhir")
    }()

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }

    static func url(_ path: String) -> URL { folder.appending(path: path) }

    /// The JSON files of a folder that begin so, by name.
    static func files(_ path: String, startingWith prefix: String = "") throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: url(path), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" && $0.lastPathComponent.hasPrefix(prefix) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
