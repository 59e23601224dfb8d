import Foundation
import Indivo
import IndivoBase
import IndivoOutbox
import OAuth1

/// What a client process is told to do; it reads it from a file.
struct ClientPlan: Codable {
    var role = World.Role.both
    var api: URL
    var record: String
    var token: String
    var tokenSecret: String
    var folder: String
    var seed: UInt64
    var epoch: Int
    var recordNumber: Int
    var stepCount: Int
    /// Seconds in which an answer has to come.
    var deadline: Double
    var disk = World.DiskPlan()

    var script: Script { Script(seed: seed, epoch: epoch, record: recordNumber, count: stepCount) }

    func openRecord(through api: URL? = nil) -> IndivoRecord {
        #if !canImport(CLibCurl)
        let transport = URLSessionTransport(limits: HTTPLimits(deadline: .seconds(deadline)))
        #else
        let transport = CurlTransport(limits: HTTPLimits(deadline: .seconds(deadline)))
        #endif
        let app = AppCredentials(id: Soak.app, consumerKey: Soak.app, consumerSecret: Secret(Soak.appSecret))
        let base = api ?? self.api
        return IndivoServer(api: base, ui: base, app: app, transport: transport)
            .record(id: record, token: OAuthToken(value: token, secret: Secret(tokenSecret)))
    }

    /// The client's outbox. It is known by the address that clients see, which is the proxy's.
    func openOutbox(diskFault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }) throws -> Outbox {
        var policy = DeliveryPolicy(
            attempts: 4,
            firstDelay: .milliseconds(2),
            maximumDelay: .milliseconds(20),
            receipts: 1 << 20
        )
        policy.diskFault = diskFault
        let root = URL(filePath: folder)
        return try Outbox(
            of: openRecord(),
            in: root.appending(path: "data"),
            keys: FileKeyStore(root.appending(path: "outbox.key")),
            policy: policy
        )
    }
}
