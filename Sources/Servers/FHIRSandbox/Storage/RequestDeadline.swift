import Foundation
import GRDB
import GRDBSQLite

/// A bound on the time that a request may take in the database: SQLite asks it every few thousand steps of
/// its virtual machine, and who does many small steps asks it between them.
final class RequestDeadline: Sendable {
    private let end: ContinuousClock.Instant
    private let seconds: Double

    init(seconds: Double) {
        self.seconds = seconds
        end = .now + .seconds(seconds)
    }

    var isOver: Bool { end <= .now }

    private var failure: FHIRFailure { .tooCostly("this takes more than \(seconds) seconds", status: 503) }

    /// - Throws: 503 where the time is up.
    func check() throws(FHIRFailure) {
        if isOver { throw failure }
    }

    /// Runs `body`, whose statements are interrupted when the time is up.
    func interrupting<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
        // The pointer is valid until the handler is removed, before `self` is released.
        sqlite3_progress_handler(
            db.sqliteConnection,
            10_000,
            { pointer in
                guard let pointer else { return 0 }
                return Unmanaged<RequestDeadline>.fromOpaque(pointer).takeUnretainedValue().isOver ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        defer {
            sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil)
            withExtendedLifetime(self) {}
        }
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && isOver {
            throw failure
        }
    }
}
