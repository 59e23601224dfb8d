/// Why an outbox cannot do what it is asked. The texts name files, whose names say nothing of the patient.
public enum OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The disk did not do what it should: it is full, read-only, or worse.
    ///
    /// - mayBeQueued: Whether the change may be in the outbox all the same. Mostly it certainly is not.
    case storage(reason: String, code: Int32, mayBeQueued: Bool)
    /// The key must not or cannot be used.
    case unusableKey(path: String, reason: String)
    /// There is an outbox, but the key store has no key.
    case noKey(folder: String)
    /// The outbox was made under another key, or its first file was changed.
    case wrongKey(folder: String)
    /// The outbox was written by a later version of this library.
    case newerFormat(folder: String, version: Int)
    /// A file cannot be read back as it was written.
    case damaged(file: String)
    /// The outbox has no item of this id.
    case noSuchItem(id: OutboxItem.ID)
    /// The item is not in a state in which this can be done.
    case wrongState(id: OutboxItem.ID, reason: String)
    /// A change that no server would take; nothing was queued.
    case badChange(String)

    public var description: String {
        switch self {
        case .storage(let reason, _, let mayBeQueued):
            "the disk failed: \(reason). "
                + (mayBeQueued
                    ? "It is not known whether the change is in the outbox: look at its items before you repeat it."
                    : "Nothing was changed in the outbox. Make room or make the disk writable, and try again.")
        case .unusableKey(let path, let reason):
            "the key \(path) is not used: \(reason)."
        case .noKey(let folder):
            "there is an outbox in \(folder), but its key is gone. Bring the key back from where it was kept; "
                + "without it nobody can read what is queued."
        case .wrongKey(let folder):
            "the outbox in \(folder) was made under another key. Bring that key back; nothing was changed."
        case .newerFormat(let folder, let version):
            "the outbox in \(folder) has the form \(version), which a later version of swift-indivo wrote; use that one."
        case .damaged(let file):
            "\(file) is damaged: it is not what was written. Restore it, or discard the item."
        case .noSuchItem(let id):
            "the outbox has no item \(id); list its items to see which there are."
        case .wrongState(let id, let reason):
            "item \(id): \(reason)"
        case .badChange(let reason):
            "not queued: \(reason)."
        }
    }
}

extension OutboxError {
    init(_ failure: DiskFailure, mayBeQueued: Bool = false) {
        self = .storage(reason: "\(failure)", code: failure.code, mayBeQueued: mayBeQueued)
    }
}
