import DurableQueue
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// Keeps the credentials of registrations: in the keychain, or a file.
public struct C3ProClientStore: Sendable {
    let client: @Sendable (_ server: String) throws -> C3ProClient?
    let keep: @Sendable (_ client: C3ProClient?, _ server: String) throws -> Void

    /// A store of one's own.
    ///
    /// - Parameters:
    ///   - client: Gives the credentials for a receiver; `nil` when the app is not registered there.
    ///   - keep: Stores the credentials for a receiver; `nil` removes them.
    public init(
        client: @escaping @Sendable (_ server: String) throws -> C3ProClient?,
        keep: @escaping @Sendable (_ client: C3ProClient?, _ server: String) throws -> Void
    ) {
        self.client = client
        self.keep = keep
    }

    /// A file that nobody but its owner can read (mode 0600); one that others can read is refused.
    ///
    /// - Parameter file: Made when it is not there.
    public static func file(_ file: URL) -> C3ProClientStore {
        let clients = ClientFile(file: file)
        return C3ProClientStore(client: clients.client, keep: clients.keep)
    }
}

private struct ClientFile: Sendable {
    let file: URL

    private var path: String { file.filePath }

    @Sendable func client(of server: String) throws -> C3ProClient? {
        guard let client = try read()[server], let id = client["client_id"]?.string,
            let secret = client["client_secret"]?.string
        else { return nil }
        return C3ProClient(id: id, secret: Secret(secret))
    }

    @Sendable func keep(_ client: C3ProClient?, of server: String) throws {
        let folder = file.deletingLastPathComponent().filePath
        do {
            let disk = Disk()
            try disk.makeFolder(folder)
            let lock = try FileLock(waitingFor: path + ".lock")
            defer { withExtendedLifetime(lock) {} }
            var all = try read()
            all[server] = client.map {
                ["client_id": JSONValue($0.id), "client_secret": JSONValue($0.secret.reveal())]
            }
            try disk.writeAtomically(to: file.lastPathComponent, in: folder) {
                try $0.append(Data(all.utf8(.pretty)))
            }
        } catch let failure as DiskFailure {
            throw StudyError.storage(reason: "\(failure)")
        }
    }

    private func read() throws -> JSONValue {
        do {
            guard let stored = try StoredFile(path) else { return [:] }
            guard stored.isPrivate else {
                throw StudyError.storage(
                    reason: "\(path) is not used: others can read it; if nobody has, run chmod 600 on it"
                )
            }
            guard let json = try? JSONValue(parsing: stored.read(at: 0, count: 1 << 20)), json.kind == .object
            else {
                throw StudyError.storage(reason: "\(path) is not a file of clients")
            }
            return json
        } catch is StoredFile.Failure {
            throw StudyError.storage(reason: "\(path) cannot be read")
        }
    }
}
