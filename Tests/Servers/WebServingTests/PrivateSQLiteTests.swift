import Foundation
import Testing

@testable import WebServing

@Suite("Databases that their owner alone can read")
struct PrivateSQLiteTests {
    @Test("that a database cannot be made is told with the reason, in words")
    func unmakeable() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)")
        let file = folder.appending(path: "study.sqlite")
        let error = try #require(throws: PrivateSQLite.ProtectionError.self) {
            _ = try PrivateSQLite.open(file)
        }
        let reason = String(cString: strerror(ENOENT))
        #expect("\(error)" == "it cannot be made a file that its owner alone can read: \(reason)")
        #expect(error.path == file.path)
    }
}
