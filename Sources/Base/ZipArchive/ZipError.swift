/// Why an archive or an entry is not read or written.
public enum ZipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file has no end record: it is not an archive, or its end is missing.
    case notAnArchive(reason: String)
    /// A record of the archive is wrong, at an offset in the file.
    case malformed(offset: UInt64, reason: String)
    /// A name that no archive should have: absolute, with `..`, a backslash or a control character, or twice.
    case badName(name: String, reason: String)
    /// Something that the format allows and this reader does not know.
    case unsupported(name: String, reason: String)
    /// More than ``ZipLimits`` allows.
    case tooLarge(what: String, limit: UInt64)
    /// An entry's bytes are not those that were packed.
    case corrupt(name: String, reason: String)
    /// No entry of this name.
    case notFound(name: String)
    /// The system does not let the file be read or written.
    case system(reason: String)
    /// The writer was used after it finished or failed.
    case writerIsClosed

    public var description: String {
        switch self {
        case .notAnArchive(let reason): "not a zip archive: \(reason)"
        case .malformed(let offset, let reason): "the archive is malformed at byte \(offset): \(reason)"
        case .badName(let name, let reason): "the name \(name.debugDescription) is refused: \(reason)"
        case .unsupported(let name, let reason):
            "the entry \(name.debugDescription) cannot be read: \(reason)"
        case .tooLarge(let what, let limit): "\(what): more than the limit, \(limit)"
        case .corrupt(let name, let reason): "the entry \(name.debugDescription) is corrupt: \(reason)"
        case .notFound(let name): "the archive has no entry \(name.debugDescription)"
        case .system(let reason): reason
        case .writerIsClosed: "the archive is finished or failed; nothing more can be written to it"
        }
    }
}
