import FHIR
import FHIRTerminology
import Foundation
import GRDB
import Logging
import OrderedJSON
import Synchronization
import WebServing

/// What all requests of a sandbox share.
final class ServerState: Sendable {
    let configuration: FHIRSandboxConfiguration
    let database: FHIRDatabase
    let snapshots = SnapshotStore()
    let startedAt: Timestamp
    /// The last terminology, and of which stored resources it is.
    let terminologies = Mutex<(key: String, terminology: Terminology)?>(nil)
    let bulkJobs = BulkJobs()
    /// What the authorization server knows; nil without one.
    let smart: SMARTState?

    var logger: Logger { configuration.logger }
    /// The time, in milliseconds, which is what `meta.lastUpdated` says.
    var now: Timestamp { Timestamp(rawValue: Timestamp(configuration.now()).rawValue / 1_000 * 1_000) }

    init(_ configuration: FHIRSandboxConfiguration) throws {
        self.configuration = configuration
        database = try FHIRDatabase(configuration.database)
        startedAt = Timestamp(configuration.now())
        smart = configuration.smart.map { SMARTState($0, now: configuration.now) }
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
    func read<Value: Sendable>(
        base: String,
        access: SMARTAccess? = nil,
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws -> Value {
        let now = now
        let seconds = configuration.limits.seconds
        return try await database.writer.read { db in
            let deadline = RequestDeadline(seconds: seconds)
            return try deadline.interrupting(db) {
                var session = Session(db: db, server: self, base: base, now: now, deadline: deadline)
                session.access = access
                return try body(session)
            }
        }
    }

    /// Writes in one transaction of the database, which is rolled back when `body` throws.
    ///
    /// - Parameter deadline: The time that is left; nil for what one request may take.
    func write<Value: Sendable>(
        base: String,
        access: SMARTAccess? = nil,
        until deadline: RequestDeadline? = nil,
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws -> Value {
        let seconds = configuration.limits.seconds
        return try await database.writer.write { db in
            let deadline = deadline ?? RequestDeadline(seconds: seconds)
            return try deadline.interrupting(db) {
                // The time of a write is that of its turn: the history is in the order of its times.
                var session = Session(db: db, server: self, base: base, now: self.now, deadline: deadline)
                session.access = access
                return try body(session)
            }
        }
    }

    /// Does a request, a Bundle too.
    /// - Parameter access: What the client's token opens; nil for everything.
    func perform(_ request: SandboxRequest, base: String, access: SMARTAccess? = nil) async throws
        -> FHIRResponse
    {
        if request.interaction == .bundle {
            let bundle = try SentBundle(request, limits: configuration.limits)
            switch bundle.kind {
            case .batch: return FHIRResponse(resource: try await batch(bundle, base: base, access: access))
            case .transaction:
                return FHIRResponse(
                    resource: try await write(base: base, access: access) { try $0.transaction(bundle) }
                )
            }
        }
        if request.interaction.writes {
            return try await write(base: base, access: access) { try $0.perform(request) }
        }
        return try await read(base: base, access: access) { try $0.perform(request) }
    }

    /// Does the entries of a batch in turns of the database, between which others have theirs: a batch is not
    /// a unit.
    private func batch(_ bundle: SentBundle, base: String, access: SMARTAccess?) async throws -> JSONValue {
        let deadline = RequestDeadline(seconds: configuration.limits.seconds)
        var batch = BatchProgress(bundle)
        while !batch.isDone {
            let before = batch
            do {
                batch = try await write(base: base, access: access, until: deadline) {
                    try $0.turn(of: before)
                }
            } catch let failure as FHIRFailure {
                // A statement was interrupted, and the turn undone as a whole.
                batch.stop(failure)
            }
        }
        return Session.bundle("batch-response", batch.responses)
    }
}
