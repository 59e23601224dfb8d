import IndivoBase

/// Why a queue cannot do what it is asked. The texts name files, whose names say nothing of what is queued.
public enum QueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The disk did not do what it should: it is full, read-only, or worse.
    ///
    /// - mayBeQueued: Whether the item may be in the queue all the same. Mostly it certainly is not.
    case storage(reason: String, code: Int32, mayBeQueued: Bool)
    /// The key must not or cannot be used.
    case unusableKey(path: String, reason: String)
    /// There is a queue, but the key store has no key.
    case noKey(folder: String)
    /// The queue was made under another key, or none of its files is as it was written.
    case wrongKey(folder: String)
    /// The queue was written by another version of this library.
    case otherVersion(folder: String, version: Int)
    /// The folder holds files of another form: an earlier version's, or another program's.
    case otherFormat(folder: String)
    /// A file cannot be read back as it was written.
    case damaged(file: String)
    case noSuchItem(id: QueueItem.ID)
    /// The item is not in a state in which this can be done.
    case wrongState(id: QueueItem.ID, reason: String)
    /// An item that cannot be queued; nothing was.
    case badItem(String)

    public var description: String {
        switch self {
        case .storage(let reason, _, let mayBeQueued):
            "the disk failed: \(reason). "
                + (mayBeQueued
                    ? """
                    It is not known whether the item was queued: look at the items before you queue it again.
                    """
                    : "Nothing was changed in the queue. Make room or make the disk writable, and try again.")
        case .unusableKey(let path, let reason): "the key \(path) is not used: \(reason)."
        case .noKey(let folder):
            "there is a queue in \(folder), but its key is gone. Bring the key back from where it was kept; "
                + "without it nobody can read what is queued."
        case .wrongKey(let folder):
            "the queue in \(folder) was made under another key. Bring that key back; nothing was changed."
        case .otherVersion(let folder, let version):
            """
            the queue in \(folder) has the form \(version), which another version of the library wrote; \
            use that one.
            """
        case .otherFormat(let folder):
            """
            the files in \(folder) have a form that this version does not read; \
            an earlier version or another program wrote them. Deliver what is queued there with that one, \
            or move the folder away; nothing was changed.
            """
        case .damaged(let file):
            "\(file) is damaged: it is not what was written. Restore it, or discard the item."
        case .noSuchItem(let id): "the queue has no item \(id); list its items to see which there are."
        case .wrongState(let id, let reason): "item \(id): \(reason)"
        case .badItem(let reason): "not queued: \(reason)."
        }
    }
}

extension QueueError {
    init(_ failure: DiskFailure, mayBeQueued: Bool = false) {
        self = .storage(reason: "\(failure)", code: failure.code, mayBeQueued: mayBeQueued)
    }

    /// - Parameter path: The file that cannot be read back.
    init(_ failure: StoredFile.Failure, _ path: String) {
        switch failure {
        case .system(let code):
            self = .storage(reason: "cannot read \(path): \(failure)", code: code, mayBeQueued: false)
        case .damaged, .unreadable: self = .damaged(file: path)
        }
    }

    /// Runs `body`, and converts a failure of the disk into an error of the queue.
    static func storing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as DiskFailure { throw QueueError(failure) }
    }

    /// Runs `body`, and converts a failure to read into an error about the file at `path`.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as StoredFile.Failure { throw QueueError(failure, path) }
    }
}
