/// Why a sandbox does not start, or does not load a resource.
public enum FHIRSandboxError: Error, Sendable, CustomStringConvertible {
    case cannotListen(address: String, port: UInt16, reason: String)
    /// The database cannot be made unreadable to others.
    case cannotProtect(path: String, reason: String)
    /// The configuration cannot be used.
    case misconfigured(String)
    /// The resource or Bundle is refused.
    case refused(status: Int, reason: String)

    public var description: String {
        switch self {
        case .cannotListen(let address, let port, let reason):
            "cannot listen on \(address):\(port): \(reason); choose another port, or 0 for a free one"
        case .cannotProtect(let path, let reason):
            "the database \(path) cannot be made unreadable to others (\(reason)); run chmod 600 as its owner"
        case .misconfigured(let reason): reason
        case .refused(let status, let reason):
            "refused with status \(status): \(reason)"
        }
    }
}
