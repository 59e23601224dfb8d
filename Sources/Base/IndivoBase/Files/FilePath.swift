import Foundation

extension URL {
    /// The path, with nothing percent-encoded.
    package var filePath: String { path(percentEncoded: false) }

    /// The path of a folder, without the slash at its end.
    package var folderPath: String {
        let path = filePath
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension String {
    /// Whether a file or a folder is at this path.
    package var fileExists: Bool { FileManager.default.fileExists(atPath: self) }

    /// Whether a folder is at this path.
    package var isFolder: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: self, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The path of the folder that has a file; empty for a name alone.
    package var containingFolder: String {
        // NSString's own property traps on Linux where the path is a name of one character.
        let slash = UInt8(ascii: "/")
        func withoutSlashes(_ path: Substring.UTF8View) -> Substring.UTF8View {
            let end = path.lastIndex { $0 != slash }
            return end.map { path[...$0] } ?? path.prefix(1)
        }
        let path = withoutSlashes(self[...].utf8)
        guard let end = path.lastIndex(of: slash) else { return "" }
        return String(Substring(withoutSlashes(path[...end])))
    }
}
