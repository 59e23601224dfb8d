import Foundation
import IndivoBase
import Testing

@Suite("Files on a disk")
struct DiskTests {
    /// Calls `body` with a folder of the test's own.
    private func use(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.folderPath)
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test(
        "a path's folder is found, also that of a name of one character",
        arguments: [
            ("r", ""), ("r/", ""), ("é", ""), ("~", ""), ("", ""), ("name", ""), ("./r", "."), ("a/r", "a"),
            ("/r", "/"), ("/", "/"), ("a//r", "a"), ("/a/b/", "/a"), ("a/\u{301}x", "a"),
        ]
    )
    func containingFolders(path: String, folder: String) {
        #expect(path.containingFolder == folder)
    }

    @Test("a folder is made on a disk that stores no folders by themselves")
    func unsyncedFolders() throws {
        try use { folder in
            var disk = Disk()
            disk.fault = { $0 == .syncFolder ? EINVAL : 0 }
            try disk.makeFolder(folder + "/a/b")
            #expect((folder + "/a/b").isFolder)
        }
    }

    @Test("a file's name may be as long as the disk lets it", arguments: [1, 213, 214, 255])
    func longNames(length: Int) throws {
        try use { folder in
            // Of two bytes and three: no character is cut in two.
            let start = String(repeating: "n", count: length % 5)
            let middle = String(repeating: "ééé€", count: max(0, length / 9 - 1))
            let rest = length - start.utf8.count - middle.utf8.count
            let name = start + middle + String(repeating: "n", count: rest)
            try Disk().writeAtomically(to: name, in: folder) { draft in
                try draft.append(Data("x".utf8))
                #expect(Disk().drafts(of: name, in: folder).count == 1)
            }
            #expect(try names(in: folder) == [name])
        }
    }

    @Test("only a file's own drafts are removed, not another's or a person's file")
    func drafts() throws {
        try use { folder in
            let id = "8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11"
            let own = ".new-key-\(id)"
            let others = [".new-key-2-\(id)", ".new-key-backup", ".new-year.txt"]
            for name in [own] + others {
                #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: nil))
            }
            Disk().removeDrafts(of: "key", in: folder)
            let left = try names(in: folder)
            #expect(left == others)
            Disk().removeDrafts(in: folder)
            let last = try names(in: folder)
            #expect(last == Array(others.dropFirst()))
        }
    }
}
