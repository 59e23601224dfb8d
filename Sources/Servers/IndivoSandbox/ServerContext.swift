import Foundation
import GRDB
import Logging
import Synchronization

final class ServerContext: Sendable {
    let configuration: SandboxConfiguration
    let database: any DatabaseWriter
    let nonces: NonceMemory
    let audits = PendingRows<AuditRow>()
    let requests = RequestLog()
    let models: ModelCatalog
    private let addresses = Mutex<(api: String, ui: String)>(("", ""))

    init(_ configuration: SandboxConfiguration) throws {
        self.configuration = configuration
        database = try configuration.database.open()
        let now = configuration.now
        let outlivesProcess = if case .file = configuration.database { true } else { false }
        nonces = NonceMemory(outlivesProcess: outlivesProcess, clock: { Int(now().timeIntervalSince1970) })
        models = ModelCatalog(configuration.models)
        try readModels()
    }

    var identifiers: IdentifierSource { configuration.identifiers }
    var logger: Logger { configuration.logger }
    var now: Timestamp { Timestamp(configuration.now()) }

    /// The base URL of the API, without a slash at the end.
    var apiBase: String { addresses.withLock { $0.api } }
    /// The base URL of the pages, without a slash at the end.
    var uiBase: String { addresses.withLock { $0.ui } }

    func setAddresses(api: String, ui: String) { addresses.withLock { $0 = (api, ui) } }
}
