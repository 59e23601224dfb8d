import Foundation
import IndivoBase

/// Keeps sessions in a file of JSON that only its owner can read (mode 0600).
///
/// The file is made with that mode, and replaced as a whole, so that a crash leaves the old one or the new
/// one. A file that others can read is refused: its secrets may be known. Several processes may use one file;
/// each change is made under a lock.
public struct FileSessionStore<Session: KeptSession>: SessionStore {
    public let file: URL

    /// A store in a file; it and its folder are made when the first session is kept.
    public init(file: URL) { self.file = file }

    /// - Throws: ``SessionStoreError``
    public func sessions() throws -> [Session] { try described { try read(PrivateFile(file.path)) } }

    /// - Throws: ``SessionStoreError``
    public func keep(_ session: Session) throws {
        try change { $0 = $0.filter { $0.slot != session.slot } + [session] }
    }

    /// - Throws: ``SessionStoreError``
    public func forget(_ session: Session) throws {
        guard file.path.fileExists else { return }
        try change { $0.removeAll { $0.slot == session.slot } }
    }

    private func change(_ change: (inout [Session]) -> Void) throws {
        let file = PrivateFile(file.path)
        try described {
            try file.withLock {
                var sessions = try read(file)
                change(&sessions)
                // What is only texts and dates can always be encoded.
                try file.replace(with: SessionJSON.encode(Content(sessions: sessions)))
            }
        }
    }

    private func read(_ file: PrivateFile) throws -> [Session] {
        guard let data = try file.read() else { return [] }
        return try SessionJSON.decode(Content.self, from: data, in: file.path).sessions
    }

    /// Makes a file's failures those of sessions.
    private func described<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as PrivateFile.Failure {
            throw SessionStoreError(failure, of: file.path)
        }
    }

    private struct Content: Codable { var sessions: [Session] }
}
