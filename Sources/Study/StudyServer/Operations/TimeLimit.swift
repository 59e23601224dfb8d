/// What a body gives within a time; `nil` when it takes longer, and then it goes on by itself. For calls of a
/// database that does not respond, which no cancellation ends.
func result<Value: Sendable>(
    within limit: Duration,
    _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let (results, continuation) = AsyncStream.makeStream(of: Value?.self)
    let clock = Task {
        try? await Task.sleep(for: limit)
        continuation.yield(nil)
    }
    Task {
        continuation.yield(await body())
        clock.cancel()
    }
    for await result in results { return result }
    return nil
}
