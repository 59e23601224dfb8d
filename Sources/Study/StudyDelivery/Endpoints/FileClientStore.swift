import DurableQueue
import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats

/// Keeps clients in a file that nobody but its owner can read (mode 0600), and refuses one that others can.
public struct FileClientStore: C3ProClientStore {
    private let file: URL

    /// - Parameter file: Made when it is not there.
    public init(_ file: URL) { self.file = file }

    private var path: String { file.path(percentEncoded: false) }

    public func client(of server: String) throws -> C3ProClient? {
        guard let client = try read()[server], let id = client["client_id"]?.string,
            let secret = client["client_secret"]?.string
        else { return nil }
        return C3ProClient(id: id, secret: Secret(secret))
    }

    public func keep(_ client: C3ProClient?, of server: String) throws {
        let folder = file.deletingLastPathComponent().path(percentEncoded: false)
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
