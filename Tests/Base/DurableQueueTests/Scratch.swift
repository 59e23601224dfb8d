import DurableQueue
import Foundation
import IndivoBase

/// A folder of a test's own.
struct Scratch {
    let folder: URL

    static func use(_ body: (Scratch) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "durable-queue-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(Scratch(folder: folder))
    }

    var location: URL { folder.appending(path: "queue") }
    var keys: FileKeyStore { FileKeyStore(folder.appending(path: "keys/queue.key")) }

    /// A queue whose waits take no time.
    func queue(
        identity: String = "test",
        attempts: Int = 3,
        networkFailures: Int = 30,
        receipts: Int = 100,
        diskFault: @escaping @Sendable (DiskStep) -> Int32 = { _ in 0 }
    ) throws -> DurableQueue {
        var policy = DeliveryPolicy(attempts: attempts, networkFailures: networkFailures, receipts: receipts)
        policy.sleep = { _ in await Task.yield() }
        policy.diskFault = diskFault
        return try DurableQueue(in: location, identity: identity, keys: keys, policy: policy)
    }
}

/// A failure of a test's own.
struct Failure: Error, Equatable {
    let name: String
}

extension String {
    var data: Data { Data(utf8) }
}
