// For every file of this module: operators are found through imports alone.
@_exported import WebServing

extension HTTPListener {
    init(port: UInt16, bodyLimit: Int, of configuration: SandboxConfiguration, handler: @escaping Handler)
        async throws
    {
        do throws(ListeningError) {
            try await self.init(
                Configuration(
                    address: configuration.address,
                    port: port,
                    bodyLimit: bodyLimit,
                    timeout: configuration.connectionTimeout,
                    serverName: "IndivoSandbox",
                    tooLarge: .tooLarge,
                    internalError: .internalError,
                    now: configuration.now
                ),
                handler: handler
            )
        } catch {
            throw SandboxError.cannotListen(address: error.address, port: error.port, reason: error.reason)
        }
    }
}
