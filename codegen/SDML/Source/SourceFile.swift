/// A file of models or notes, as bytes with a name.
///
/// Parsing never touches the disk: whoever calls it reads the files. That keeps the compiler's stages plain functions.
public struct SourceFile: Sendable, Hashable {
    /// The path under which problems are reported, as the user wrote it.
    public let path: String
    /// A name that is the same on every machine, for what is generated: the path below the folder that was given.
    public let name: String
    /// The content, supposed to be UTF-8.
    public let bytes: [UInt8]

    /// A file from its bytes; `name` is the last component of `path` unless it is given.
    public init(path: String, name: String? = nil, bytes: [UInt8]) {
        self.path = path
        self.name = name ?? path.split(separator: "/").last.map(String.init) ?? path
        self.bytes = bytes
    }

    /// A file from its text.
    public init(path: String, name: String? = nil, text: String) {
        self.init(path: path, name: name, bytes: Array(text.utf8))
    }
}
