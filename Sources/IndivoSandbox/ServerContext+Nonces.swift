#if Sandbox
extension ServerContext {
    /// Takes up the nonces of requests that were answered shortly before a restart.
    func restoreNonces() async throws {}
}
#endif
