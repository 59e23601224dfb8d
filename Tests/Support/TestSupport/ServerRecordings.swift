import Foundation
import OrderedJSON

/// The exchanges that were recorded with a real server: in the folder that `INDIVO_RECORDINGS` names, or the
/// one beside the package.
package enum ServerRecordings {
    private static let named = ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"]

    package static let folder =
        named.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? folderBesidePackage

    package static let folderBesidePackage: URL = {
        var package = URL(filePath: #filePath)
        while package.pathComponents.count > 1,
            !FileManager.default.fileExists(atPath: package.appending(path: "Package.swift").path)
        { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appending(
            path: "shared/recordings",
            directoryHint: .isDirectory
        )
    }()

    /// Whether there is something to test with. A folder that is named has to be there: a test that would
    /// skip it fails.
    package static let areWanted =
        named != nil || FileManager.default.fileExists(atPath: file(in: folder).path)

    private static func file(in folder: URL) -> URL { folder.appending(path: "exchanges.jsonl") }

    /// The bytes of the exchanges, whose digest tells one recording from another.
    package static func content() throws -> Data { try Data(contentsOf: file(in: folder)) }

    /// The exchanges, in the order of time.
    package static func exchanges(in folder: URL = folder) throws -> [ServerExchange] {
        try Data(contentsOf: file(in: folder)).split(separator: UInt8(ascii: "\n"))
            .map { try ServerExchange(parsing: $0) }.sorted { $0.seq < $1.seq }
    }

    /// What `credentials.json` says of who signed the exchanges.
    package static func credentials(in folder: URL = folder) throws -> JSONValue {
        try JSONValue(parsing: Data(contentsOf: folder.appending(path: "credentials.json")))
    }
}
