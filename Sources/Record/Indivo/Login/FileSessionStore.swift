import Foundation

/// Keeps sessions in a file of JSON that only its owner can read (mode 0600).
///
/// The file is made with that mode, and replaced as a whole, so that a crash leaves the old one or the new
/// one. A file that others can read is refused: its secrets may be known. Several processes may use one file;
/// each change is made under a lock.
public struct FileSessionStore: SessionStore {
    /// The file.
    public let file: URL

    /// A store in a file; it and its folder are made when the first session is kept.
    public init(file: URL) { self.file = file }

    /// `sessions.json` in the user's own folder for such things: `~/Library/Application Support/Indivo` on
    /// Apple's systems, `$XDG_STATE_HOME/indivo` or `~/.local/state/indivo` elsewhere.
    public static let standard = FileSessionStore(
        file: BaseFolder.standard(.state, onApple: "Indivo").appending(path: "sessions.json")
    )

    /// - Throws: ``IndivoSession/StoreError``
    public func sessions() throws -> [IndivoSession] { try telling { try read(PrivateFile(file.path)) } }

    /// - Throws: ``IndivoSession/StoreError``
    public func keep(_ session: IndivoSession) throws {
        try change { $0 = $0.filter { !$0.isForSameRecord(as: session) } + [session] }
    }

    /// - Throws: ``IndivoSession/StoreError``
    public func forget(_ session: IndivoSession) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try change { $0.removeAll { $0.isForSameRecord(as: session) } }
    }

    private func change(_ change: (inout [IndivoSession]) -> Void) throws {
        let file = PrivateFile(file.path)
        try telling {
            try file.withLock {
                var sessions = try read(file)
                change(&sessions)
                // What is only texts and dates can always be encoded.
                try file.replace(
                    with: IndivoSession.json(of: Content(sessions: sessions.map(IndivoSession.Stored.init)))
                )
            }
        }
    }

    private func read(_ file: PrivateFile) throws -> [IndivoSession] {
        guard let data = try file.read() else { return [] }
        return try IndivoSession.read(Content.self, from: data, in: file.path).sessions.map(\.session)
    }

    /// Makes a file's failures those of sessions.
    private func telling<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as PrivateFile.Failure {
            throw IndivoSession.StoreError(failure, of: file.path)
        }
    }

    private struct Content: Codable { var sessions: [IndivoSession.Stored] }
}
