import FHIR
import Foundation
import GRDB
import StudyFormats
import StudyWarehouse

/// What went wrong, for a log: without statements, values, and names of participants.
enum FailureReason {
    static func text(of error: any Error) -> String {
        if let error = error as? DatabaseError {
            let message = Self.message(of: error.resultCode)
            return "SQLite: \(message) (code \(error.extendedResultCode.rawValue))"
        }
        switch error {
        // None of them holds a password, or what a row has.
        case let error as PostgreSQLError: return "\(error)"
        case let error as WarehouseError: return "\(error)"
        case let error as StudyError: return "\(error)"
        case let error as StudyPagesError: return "\(error)"
        case let error as StudyOperationsError: return "\(error)"
        case let error as AWSError: return "\(error)"
        case let error as AuditLog.Problem: return "\(error)"
        default: return "\(type(of: error))"
        }
    }

    /// In words of our own: SQLite's texts may quote a statement.
    private static func message(of code: ResultCode) -> String {
        switch code {
        case .SQLITE_FULL: "the database or disk is full"
        case .SQLITE_IOERR: "the disk fails"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process keeps the file locked"
        case .SQLITE_CANTOPEN: "the file cannot be opened"
        case .SQLITE_READONLY: "the file cannot be written"
        case .SQLITE_PERM: "the file may not be used"
        case .SQLITE_CORRUPT: "the file is damaged"
        case .SQLITE_NOTADB: "the file is no database"
        case .SQLITE_NOMEM: "there is no memory"
        default: "the database fails"
        }
    }
}

/// Why a study's servers cannot work. No text holds anything of participants.
public enum StudyOperationsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The disk of a file has only so many bytes left.
    case lowDisk(path: String, free: Int)
    /// The database takes no writes.
    case readOnly
    /// A part cannot work, for this reason.
    case failed(String)

    public var description: String {
        switch self {
        case .lowDisk(let path, let free):
            "the disk of \(path) has \(free >> 20) MiB left, fewer than \(DiskSpace.minimum >> 20); "
                + "free or add space"
        case .readOnly: "the database takes no writes: it is a standby, or was made read-only"
        case .failed(let reason): reason
        }
    }
}

/// How much a disk has left.
enum DiskSpace {
    /// With fewer bytes a disk counts as full: SQLite's log and a few large messages need as many.
    static let minimum = 64 << 20

    /// The bytes that are free where a file is; `nil` where that is not known.
    static func free(at path: String) -> Int? {
        let folder = URL(filePath: path).deletingLastPathComponent().filePath
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
    }

    /// - Throws: ``StudyOperationsError/lowDisk(path:free:)``.
    static func check(at path: String) throws(StudyOperationsError) {
        guard let free = free(at: path), free < minimum else { return }
        throw .lowDisk(path: path, free: free)
    }
}
