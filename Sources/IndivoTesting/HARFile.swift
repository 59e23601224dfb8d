import Foundation

/// A HAR file that grows by one entry at a time, and is whole after each.
struct HARFile {
    private let file: FileHandle
    private var isEmpty = true

    private static let head = """
        {"log": {"version": "1.2", "creator": {"name": "swift-indivo", "version": "1"}, "entries": [
        """
    private static let tail = "\n]}}\n"

    /// Begins the file, or empties the one that is there. Others than its owner cannot read it.
    init(_ url: URL) throws {
        try? FileManager.default.removeItem(at: url)
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteNoPermission) }
        file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: Data((Self.head + Self.tail).utf8))
    }

    mutating func append(_ entry: HAR.Entry) throws {
        let end = try file.seekToEnd()
        try file.seek(toOffset: end - UInt64(Self.tail.utf8.count))
        let text = try Recording.encoder.encode(entry)
        try file.write(contentsOf: Data((isEmpty ? "\n" : ",\n").utf8) + text + Data(Self.tail.utf8))
        isEmpty = false
    }
}
