import Foundation
import HTTPCalls
import Testing
import ZipArchive

@testable import StudyDelivery
@testable import StudyFormats

@Suite("Archives")
struct StudyArchiveTests {
    private func info(_ study: String = "org.example.sleep") -> ArchiveInfo {
        ArchiveInfo(
            study: study,
            item: "diary",
            taskRun: UUID(),
            timestamp: StudyTime(seconds: 1_425_938_875)
        )
    }

    @Test(
        "what is packed, plain or encrypted, unpacks as it was, with names and times",
        arguments: [nil] + CMSCipher.allCases
    )
    func roundTrip(cipher: CMSCipher?) throws {
        let scratch = try Scratch()
        // Zeros pack best of all: the limits of reading allow what was made.
        let contents = [
            "zeros.bin": Data(count: 3 << 20), "noise.bin": .noise(1 << 20), "empty.txt": Data(),
            "ä ö.json": Data("{}".utf8),
        ]
        var archive = try StudyArchive(info())
        for (name, data) in contents.sorted(by: { $0.key < $1.key }) {
            let file = try scratch.file(name, data)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_400_000_000)],
                ofItemAtPath: file.path
            )
            try archive.add(contentsOf: file)
        }
        let file = scratch.folder.appending(path: "package")
        try archive.write(
            to: file,
            encryption: cipher.map { try CMSEncryption(for: [TestKeys.first.certificate], cipher: $0) }
        )
        let opened = try StudyPackage(contentsOf: file).open(with: [StudyPackage.Key(TestKeys.first.key)])
        #expect(opened.info == archive.info)
        let folder = scratch.folder.appending(path: "out/unpacked")
        try opened.write(to: folder)
        for (name, data) in contents {
            let file = folder.appending(path: name)
            #expect(try Data(contentsOf: file) == data)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_400_000_000))
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
        }
        #expect(
            try ArchiveInfo(parsing: Data(contentsOf: folder.appending(path: "info.json"))).study
                == "org.example.sleep"
        )
        #expect(!scratch.names.contains { $0.contains(".new-") || $0.contains(".unpacking-") })
    }

    @Test(
        "a file is written into a folder that cannot be read, and so not be stored",
        .enabled(if: geteuid() != 0, "root reads every folder")
    )
    func unreadableFolder() throws {
        let scratch = try Scratch()
        let folder = scratch.folder.appending(path: "drop", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o300]
        )
        defer { chmod(folder.path, 0o700) }
        let file = folder.appending(path: "a")
        try NewFile(file).write { try $0(Data("x".utf8)) }
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test(
        "the id depends on content, name, run and participant, and not on the time"
    )
    func ids() throws {
        let run = UUID()
        func id(
            _ name: String = "a.txt",
            _ text: String = "a",
            run: UUID = run,
            subject: String = "s",
            time: Int = 0
        ) throws -> UUID {
            var archive = try StudyArchive(
                ArchiveInfo(study: "s", item: "i", taskRun: run, timestamp: StudyTime(seconds: time))
            )
            try archive.add(name, Data(text.utf8))
            return try archive.write(for: subject) { _ in }
        }
        let first = try id()
        #expect(try id(time: 99) == first)
        let others = try [id("b.txt"), id("a.txt", "b"), id(run: UUID()), id(subject: "t")]
        #expect(Set(others + [first]).count == 5)
    }

    @Test("an existing file or folder is never overwritten, and a failure leaves none")
    func existing() throws {
        let scratch = try Scratch()
        var archive = try StudyArchive(info())
        try archive.add("a.txt", Data("a".utf8))
        let file = try scratch.file("package.zip", Data("mine".utf8))
        #expect(throws: StudyError.self) { try archive.write(to: file) }
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        #expect(throws: StudyError.self) {
            try StudyArchive(info()).write(to: scratch.folder.appending(path: "none.zip"))
        }
        let package = scratch.folder.appending(path: "p.zip")
        try archive.write(to: package)
        #expect(throws: StudyError.self) {
            try StudyPackage(contentsOf: package).open().write(to: scratch.folder)
        }
        #expect(scratch.names == ["p.zip", "package.zip"])
    }

    @Test("drafts that a killed process left are removed by the next one")
    func drafts() throws {
        let scratch = try Scratch()
        let draft = scratch.folder.appending(path: "out/.unpacking-8b0a3c1e-0c0f-4c55-9d3e-6a4f1f6f0a11")
        try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: true)
        try Data("decrypted".utf8).write(to: draft.appending(path: "a.txt"))
        var archive = try StudyArchive(info())
        try archive.add("a.txt", Data("a".utf8))
        try archive.write(to: scratch.folder.appending(path: "p.zip"))
        try StudyPackage(contentsOf: scratch.folder.appending(path: "p.zip")).open().write(
            to: scratch.folder.appending(path: "out/p")
        )
        #expect(!scratch.names.contains { $0.contains("unpacking") })
    }

    @Test(
        "names that are paths, the description's, or taken on some system are refused",
        arguments: [
            "../a", "/a", "a/b", "a\\b", "", ".", "..", "a\u{0}b", "info.json", "INFO.json", "A.TXT",
            String(repeating: "n", count: 256),
        ]
    )
    func names(name: String) throws {
        var archive = try StudyArchive(info())
        try archive.add("a.txt", Data())
        #expect(throws: StudyError.self) { try archive.add(name, Data()) }
    }

    @Test("times are clamped to the years 0 to 9999, and texts of times read back")
    func times() {
        #expect(StudyTime(seconds: .max).description == "9999-12-31T23:59:59Z")
        #expect(StudyTime(seconds: .min).description == "0001-01-01T00:00:00Z")
        #expect(StudyTime(.distantFuture).seconds <= StudyTime.range.upperBound)
        #expect(StudyTime(Date(timeIntervalSince1970: .infinity)) == StudyTime(seconds: .max))
        #expect(StudyTime(Date(timeIntervalSince1970: -.infinity)) == StudyTime(seconds: .min))
        for seconds in [0, -1, 1_425_938_875, 951_782_400] {
            #expect(StudyTime(text: StudyTime(seconds: seconds).description)?.seconds == seconds)
        }
        #expect(StudyTime(text: "2015-03-09T14:07:55-08:00")?.seconds == 1_425_938_875)
        #expect(StudyTime(text: "2015-03-09T14:07:55-0800")?.seconds == 1_425_938_875)
        for text in ["", "2015", "2015-03-09", "10000-01-01T00:00:00Z", "2015-13-09T14:07:55Z"] {
            #expect(StudyTime(text: text) == nil)
        }
    }

    @Test("a zip without info.json, or whose files are not those that it lists, is refused")
    func unlisted() throws {
        let scratch = try Scratch()
        func open(_ entries: [(String, String)]) throws {
            let file = scratch.folder.appending(path: "\(UUID()).zip")
            let zip = try ZipWriter(url: file)
            for (name, text) in entries { try zip.add(name, data: Data(text.utf8)) }
            try zip.finish()
            _ = try StudyPackage(contentsOf: file).open()
        }
        #expect(throws: Never.self) {
            try open([("info.json", #"{"items":[{"filename":"a"}]}"#), ("a", "")])
        }
        #expect(throws: StudyError.self) { try open([("a", "")]) }
        #expect(throws: StudyError.self) { try open([("info.json", #"{"files":[]}"#), ("a", "")]) }
        #expect(throws: StudyError.self) { try open([("info.json", #"{"files":[{"filename":"a"}]}"#)]) }
        #expect(throws: StudyError.self) { try open([("info.json", "[]")]) }
        #expect(throws: StudyError.self) {
            try open([("info.json", #"{"files":[{"filename":"b/a"}]}"#), ("b/a", "")])
        }
    }

    @Test("other files say what they are not", arguments: ["", "hello", "PK", "%PDF"])
    func others(text: String) throws {
        let scratch = try Scratch()
        let file = try scratch.file("f", Data(text.utf8))
        #expect(throws: StudyError.self) { try StudyPackage(contentsOf: file).open() }
    }
}
