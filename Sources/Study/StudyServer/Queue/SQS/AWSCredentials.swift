import IndivoBase

/// With what requests to Amazon's services are signed.
public struct AWSCredentials: Sendable, Hashable {
    /// The id of the access key.
    public var accessKey: String
    public var secret: Secret
    /// What credentials for a while have beside it.
    public var sessionToken: Secret?

    /// Credentials of one's own.
    public init(accessKey: String, secret: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secret = secret
        self.sessionToken = sessionToken
    }

    /// Those in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    ///
    /// - Throws: ``AWSError/badInput(_:)`` when they are not there.
    public init(environment: [String: String]) throws(AWSError) {
        guard let accessKey = environment["AWS_ACCESS_KEY_ID"], !accessKey.isEmpty,
            let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
        else { throw .badInput("SQS needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment") }
        let token = environment["AWS_SESSION_TOKEN"] ?? ""
        self.init(
            accessKey: accessKey,
            secret: Secret(secret),
            sessionToken: token.isEmpty ? nil : Secret(token)
        )
    }
}

/// Why a request to SQS or S3 failed. No text holds a secret or a message.
public enum AWSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An address or setting that cannot be used.
    case badInput(String)
    /// The service refuses an action.
    case refused(action: String, status: Int, code: String)
    /// The response is not one of the service's.
    case unexpected(action: String)

    public var description: String {
        switch self {
        case .badInput(let reason): reason
        case .refused(let action, 403, let code):
            "\(action) is refused: \(code); look at the keys, their rights, and this machine’s clock"
        case .refused(let action, let status, let code): "\(action) is refused: \(code) (status \(status))"
        case .unexpected(let action):
            "what came back for \(action) is not what the service answers; look at the address"
        }
    }
}
