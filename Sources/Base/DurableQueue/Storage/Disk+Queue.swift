import Foundation
import IndivoBase

extension Disk {
    /// The names of what is in a folder.
    static func names(in folder: String) throws(QueueError) -> [String] {
        try working(to: "list \(folder)") { try FileManager.default.contentsOfDirectory(atPath: folder) }
    }

    /// Runs `body`, and converts Foundation's error.
    static func working<Value>(to work: String, _ body: () throws -> Value) throws(QueueError) -> Value {
        do { return try body() } catch {
            throw .storage(
                reason: "cannot \(work): \(error.localizedDescription)",
                code: EIO,
                mayBeQueued: false
            )
        }
    }
}
