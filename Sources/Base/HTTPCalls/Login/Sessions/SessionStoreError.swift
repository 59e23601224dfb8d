import IndivoBase

/// Why sessions cannot be read or kept. No secret is in it.
public enum SessionStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Others than the owner can read or write the file, or it is another's: its secrets may be known.
    case readableByOthers(file: String, mode: String)
    /// The file is a link, or no plain file.
    case notAPlainFile(file: String)
    /// The file is not what this library writes.
    case malformed(file: String)
    /// The system does not let it be read.
    case cannotRead(file: String, reason: String)
    /// The system does not let it be written.
    case cannotWrite(file: String, reason: String)

    public var description: String {
        switch self {
        case .readableByOthers(let file, let mode):
            "the sessions in \(file) are not used, since others can read the file, or it is theirs "
                + "(mode \(mode)); if nobody did, run chmod 600 on it, else delete it and log in again"
        case .notAPlainFile(let file):
            "\(file) is no plain file, and no sessions are read from it or written to it; take it away"
        case .malformed(let file):
            "\(file) does not hold sessions as this library writes them; delete it and log in again"
        case .cannotRead(let file, let reason): "the sessions in \(file) cannot be read: \(reason)"
        case .cannotWrite(let file, let reason): "the sessions cannot be kept in \(file): \(reason)"
        }
    }

    /// Why a store failed, in words. What a store of one's own throws may hold anything, and is left out.
    package static func reason(_ error: any Error) -> String {
        (error as? SessionStoreError)?.description ?? "the session store failed: \(type(of: error))"
    }

    init(_ failure: PrivateFile.Failure, of file: String) {
        self =
            switch failure {
            case .readableByOthers(let mode): .readableByOthers(file: file, mode: mode)
            case .notAPlainFile: .notAPlainFile(file: file)
            case .cannotRead(let reason): .cannotRead(file: file, reason: reason)
            case .cannotWrite(let reason): .cannotWrite(file: file, reason: reason)
            }
    }
}
