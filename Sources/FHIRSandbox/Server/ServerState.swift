import FHIR
import Foundation
import GRDB
import HTTPServing
import Logging
import OrderedJSON

/// What all requests of a sandbox share.
final class ServerState: Sendable {
    let configuration: FHIRSandboxConfiguration
    let database: FHIRDatabase
    let snapshots = SnapshotStore()
    let startedAt: Timestamp

    var logger: Logger { configuration.logger }
    /// The time, in milliseconds, which is what `meta.lastUpdated` says.
    var now: Timestamp { Timestamp(rawValue: Timestamp(configuration.now()).rawValue / 1_000 * 1_000) }

    init(_ configuration: FHIRSandboxConfiguration) throws {
        self.configuration = configuration
        database = try FHIRDatabase(configuration.database)
        startedAt = Timestamp(configuration.now())
    }

    /// Logs what kind of failure it was. A statement of the database has patients' data among its arguments.
    func logFailure(_ error: any Error) {
        if let error = error as? DatabaseError {
            logger.error("the database failed with \(error.extendedResultCode)")
        } else {
            logger.error("a request failed: \(type(of: error))")
        }
    }

    /// Reads in one transaction of the database, in bounded time.
    func read<Value: Sendable>(base: String, _ body: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        let (now, seconds) = (now, configuration.limits.seconds)
        return try await database.writer.read { db in
            try StatementDeadline.run(db, seconds: seconds) {
                try body(Session(db: db, server: self, base: base, now: now))
            }
        }
    }

    /// Writes in one transaction of the database, which is rolled back when `body` throws.
    func write<Value: Sendable>(base: String, _ body: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        let seconds = configuration.limits.seconds
        return try await database.writer.write { db in
            try StatementDeadline.run(db, seconds: seconds) {
                // The time of a write is that of its turn: the history is in the order of its times.
                try body(Session(db: db, server: self, base: base, now: self.now))
            }
        }
    }

    /// Does a request, a Bundle too.
    func perform(_ request: FHIRRequest, base: String) async throws -> FHIRResponse {
        if request.interaction == .bundle {
            return FHIRResponse(resource: try await write(base: base) { try $0.process(request) })
        }
        if request.interaction.writes { return try await write(base: base) { try $0.perform(request) } }
        return try await read(base: base) { try $0.perform(request) }
    }
}
