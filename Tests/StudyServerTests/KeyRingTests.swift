import Foundation
import StudyDelivery
import StudyServer
import Testing

@Suite struct KeyRingTests {
    @Test func aFolderOfKeysIsReadAndFilesThatOthersCanReadAreRefused() throws {
        let folder = try Folder()
        let ring = folder.file("key-1")
        try FileManager.default.createDirectory(at: ring, withIntermediateDirectories: true)
        let file = ring.appending(path: "private-key.pem").path
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data(StudyKeys.key.pem.utf8), attributes: [.posixPermissions: 0o600]))
        _ = try KeyRing(contentsOf: folder.url)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(throws: StudyError.self) { try KeyRing(contentsOf: folder.url) }
        #expect(throws: StudyError.self) { try KeyRing(contentsOf: folder.file("missing")) }
    }
}
