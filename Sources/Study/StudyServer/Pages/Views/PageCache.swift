/// What pages show, each read at most twice a minute: to count it takes seconds in a large warehouse, however
/// many people look.
actor PageCache<Value: Sendable> {
    private let lifetime = Duration.seconds(30)

    private var kept: [String: (value: Task<Value, any Error>, until: Duration)] = [:]
    private let elapsed: @Sendable () -> Duration

    init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    /// A value that the warehouse has, read by `read` where it is not known.
    func value(of name: String, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let now = elapsed()
        kept = kept.filter { $0.value.until > now }
        let value = kept[name]?.value ?? Task { try await read() }
        if kept[name] == nil { kept[name] = (value, now + lifetime) }
        do {
            return try await value.value
        } catch {
            kept[name] = nil
            throw error
        }
    }
}
