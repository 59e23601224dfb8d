import Foundation

extension Data {
    /// Writes a file that a person named: whole, or not at all. A link stays one, and what is no plain file,
    /// such as a pipe or `/dev/null`, is written to and not replaced.
    package func write(toFileNamed path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            return try write(to: URL(filePath: path).resolvingSymlinksInPath(), options: .atomic)
        }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: self)
        try handle.close()
    }
}
