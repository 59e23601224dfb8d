import GRDB
import StudyFormats
import StudyWarehouse

/// Errors that are not a message's fault: a full disk, or a database that is unavailable for a while or
/// read-only.
enum MachineFailure {
    private static let codes: [ResultCode] = [
        .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_NOMEM,
        .SQLITE_READONLY,
        .SQLITE_PERM, .SQLITE_PROTOCOL, .SQLITE_CORRUPT, .SQLITE_NOTADB,
    ]

    /// Whether an error is of the machine, so that each message meets the same.
    static func isCause(of error: any Error) -> Bool {
        if let error = error as? PostgreSQLError { return error.isTransient || error.isServerFault }
        if let error = error as? DatabaseError { return codes.contains(error.resultCode) }
        if let error = error as? StudyError, case .storage = error { return true }
        return false
    }
}
