import Foundation
import IndivoBase

extension Data {
    /// Writes a file that a person named: whole, or not at all. A link stays one, and what is not a plain
    /// file, such as a pipe or `/dev/null`, is written to and not replaced.
    package func write(toFileNamed path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            return try write(to: URL(filePath: path).withLinksFollowed, options: .atomic)
        }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: self)
        try handle.close()
    }
}

extension URL {
    /// The file that links lead to, also where it is not there yet.
    package var withLinksFollowed: URL {
        var file = absoluteURL.resolvingSymlinksInPath()
        for _ in 0..<16 {
            let path = file.filePath
            guard let end = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            let folder = file.deletingLastPathComponent()
            file = URL(filePath: end, relativeTo: folder).absoluteURL.resolvingSymlinksInPath()
        }
        return file
    }
}
