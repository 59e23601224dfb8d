/// How long a transport waits, and how much it takes.
public struct HTTPLimits: Sendable, Hashable {
    /// How long to wait for the name to be resolved and the connection, TLS included, to stand.
    public var connectTimeout: Duration
    /// How long a request may take in all, from the call to the last byte of the response.
    public var deadline: Duration
    /// How many bytes the body of an answer may have. What is longer is not read further.
    public var maximumResponseBytes: Int

    /// For how long a connection that nobody uses is kept for the next request. The longer it lay idle, the likelier
    /// the server closes it at the moment it is used again. URLSession decides this by itself.
    public var idleConnectionAge: Duration

    /// 15 seconds to connect, 60 in all, 64 MiB, connections kept for 30 seconds, unless said otherwise.
    public init(
        connectTimeout: Duration = .seconds(15), deadline: Duration = .seconds(60), maximumResponseBytes: Int = 64 << 20,
        idleConnectionAge: Duration = .seconds(30)
    ) {
        self.connectTimeout = connectTimeout
        self.deadline = deadline
        self.maximumResponseBytes = maximumResponseBytes
        self.idleConnectionAge = idleConnectionAge
    }

    /// How long the call that a request belongs to may still take, retries included: a transport waits no longer
    /// than this, even where its own deadline is later. `nil` outside a call.
    @TaskLocal public static var remaining: Duration?

    /// How long an upload of so many bytes may take in all: 8 KiB a second is the slowest connection that is waited for.
    func deadline(ofUpload bytes: Int) -> Duration { deadline + .milliseconds(bytes / 8) }

    /// The limits of a request that begins now.
    var ofThisCall: HTTPLimits {
        guard let remaining = Self.remaining, remaining < deadline else { return self }
        var limits = self
        limits.deadline = max(.milliseconds(1), remaining)
        return limits
    }
}

extension Duration {
    /// In whole milliseconds, at least one, since libraries take zero for "for ever", and at most what they take: 24 days.
    package var milliseconds: Int {
        let (seconds, attoseconds) = min(max(self, .milliseconds(1)), .milliseconds(Int32.max)).components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
