/// Why a sandbox cannot do what its owner asks.
public enum SandboxError: Error, Sendable, CustomStringConvertible {
    case cannotListen(address: String, port: UInt16, reason: String)
    /// No record, account or app has this id.
    case unknown(kind: String, id: String)
    /// A document would be refused by the server, with this response.
    case refused(status: Int, message: String)
    /// An app's manifest cannot be read.
    case manifest(reason: String)
    /// A folder of documents cannot be loaded.
    case folder(path: String, reason: String)
    /// The SDML of a folder cannot be used.
    case models(problems: [String])
    /// Something of this id is there already.
    case duplicate(kind: String, id: String)
    /// The database holds secrets, and others could read its file.
    case cannotProtect(path: String, reason: String)

    public var description: String {
        switch self {
        case .cannotListen(let address, let port, let reason):
            "cannot listen on \(address):\(port): \(reason); choose another port, or 0 for a free one"
        case .unknown(let kind, let id): "the sandbox has no \(kind) “\(id)”; add it first"
        case .refused(let status, let message): "the sandbox refuses this with status \(status): \(message)"
        case .manifest(let reason): "the app's manifest cannot be used: \(reason)"
        case .folder(let path, let reason): "the folder \(path) cannot be loaded: \(reason)"
        case .models(let problems): "the models cannot be used:\n" + problems.joined(separator: "\n")
        case .duplicate(let kind, let id): "the sandbox has a \(kind) “\(id)” already; choose another id"
        case .cannotProtect(let path, let reason):
            "the database \(path) cannot be made unreadable to others (\(reason)); run chmod 600 as its owner"
        }
    }
}
