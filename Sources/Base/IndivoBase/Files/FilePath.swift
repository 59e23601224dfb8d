import Foundation

extension URL {
    /// The path of a folder, without the slash at its end.
    package var folderPath: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension String {
    /// The path of the folder that has a file; empty for a name alone.
    package var containingFolder: String { (self as NSString).deletingLastPathComponent }
}
