import Foundation
import IndivoBase
import Testing
import ZipArchive

/// What the writer makes, the reader reads, and so does zip software of others.
@Suite struct ZipRoundTripTests {
    @Test("random archives come back as they were written")
    func randomArchives() throws {
        for seed in 0..<16 {
            var random = SeededGenerator(seed: UInt64(seed))
            var written: [(name: String, data: Data, method: ZipEntry.Method)] = []
            for index in 0..<Int.random(in: 0...8, using: &random) {
                let count = [0, 1, 17, 65_536, 262_144, 262_145, 300_000].randomElement(using: &random) ?? 0
                let isNoise = random.happens(0.5)
                let noise = (0..<997).map { _ in UInt8.random(in: 0...255, using: &random) }
                let calm = [UInt8](repeating: 65, count: 997)
                var data = Data(capacity: count)
                while data.count < count {
                    data.append(contentsOf: (isNoise ? noise : calm).prefix(count - data.count))
                }
                written.append(
                    ("ordner \(index % 3)/dä\(index).bin", data, random.happens(0.3) ? .stored : .deflated)
                )
            }
            let archive = try ZipReader(
                data: Self.archive { writer in
                    for (name, data, method) in written {
                        let cut = data.count / 3
                        try writer.add(
                            name,
                            method: method,
                            modified: ZipTime(year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 58)
                        ) {
                            try $0([UInt8](data.prefix(cut)))
                            try $0([])
                            try $0([UInt8](data.dropFirst(cut)))
                        }
                    }
                    try writer.addFolder("leer")
                }
            )
            #expect(archive.entries.map(\.name) == written.map(\.name) + ["leer/"])
            #expect(archive.entries.last?.isFolder == true)
            for (name, data, method) in written {
                let entry = try #require(archive[name])
                #expect(entry.size == UInt64(data.count) && entry.method == method)
                #expect(try archive.data(of: entry) == data)
                #expect(
                    entry.modified == ZipTime(year: 2024, month: 2, day: 29, hour: 23, minute: 59, second: 58)
                )
            }
        }
    }

    @Test("zeros that are packed a thousandfold are read")
    func zeros() throws {
        let zeros = Data(count: 30 << 20)
        let bytes = try Self.archive { try $0.add("zeros", data: zeros) }
        #expect(bytes.count < 40_000)
        let archive = try ZipReader(data: bytes)
        var count = 0
        try archive.read(archive.entries[0]) { count += $0.count }
        #expect(count == zeros.count)
    }

    @Test("more entries than sixteen bits can count are read")
    func manyEntries() throws {
        var limits = ZipLimits()
        limits.entries = 66_000
        let bytes = try Self.archive(limits: limits) { writer in
            for index in 0..<66_000 { try writer.addFolder("\(index)") }
        }
        let archive = try ZipReader(data: bytes, limits: limits)
        #expect(archive.entries.count == 66_000 && archive.entries.last?.name == "65999/")
        #expect { try ZipReader(data: bytes) } throws: {
            "\($0)" == "the archive has 66000 entries: more than the limit, 10000"
        }
    }

    @Test("a file appears only when it is finished, and belongs to its owner alone")
    func finished() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "a.zip")
        do {
            let writer = try ZipWriter(url: url)
            try writer.add("a", data: Data("abc".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let writer = try ZipWriter(url: url)
        try writer.add("a", data: Data("abc".utf8))
        try writer.finish()
        #expect(throws: ZipError.writerIsClosed) { try writer.finish() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.zip"])
        #expect(
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600
        )
        let archive = try ZipReader(url: url)
        #expect(try archive.data(of: #require(archive["a"])) == Data("abc".utf8))
    }

    /// Python's zipfile, where there is one, is the other side.
    @Test("Python reads our archives, and we read Python's")
    func python() throws {
        guard
            let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first(
                where: FileManager.default.isExecutableFile
            )
        else {
            print("Skipped: no python3 on this machine")
            return
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let writer = try ZipWriter(url: folder.appending(path: "ours.zip"))
        try writer.add(
            "ä/text.txt",
            data: Data("Grüße".utf8),
            modified: ZipTime(year: 1970, month: 1, day: 1)
        )
        try writer.add("stored", data: Data("plain".utf8), method: .stored)
        try writer.finish()
        let script = """
            import zipfile
            z = zipfile.ZipFile('ours.zip')
            assert z.testzip() is None
            assert z.read('ä/text.txt').decode() == 'Grüße' and z.read('stored') == b'plain'
            assert z.getinfo('ä/text.txt').date_time == (1980, 1, 1, 0, 0, 0)
            w = zipfile.ZipFile('theirs.zip', 'w', zipfile.ZIP_DEFLATED)
            w.comment = b'PK\\x05\\x06 a comment'
            w.writestr('x/ü.txt', 'Grüße' * 1000)
            with w.open('wide', 'w', force_zip64=True) as f: f.write(b'w' * 10)
            w.close()
            """
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", script]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let theirs = try ZipReader(url: folder.appending(path: "theirs.zip"))
        #expect(
            try theirs.data(of: #require(theirs["x/ü.txt"]))
                == Data(String(repeating: "Grüße", count: 1000).utf8)
        )
        #expect(try theirs.data(of: #require(theirs["wide"])) == Data("wwwwwwwwww".utf8))
    }

    @Test("times that the format cannot hold become the nearest one that it can")
    func timesOutside() {
        #expect(ZipTime(Date(timeIntervalSince1970: 0)) == ZipTime(year: 1980, month: 1, day: 1))
        #expect(
            ZipTime(.distantFuture)
                == ZipTime(year: 2107, month: 12, day: 31, hour: 23, minute: 59, second: 58)
        )
        #expect(ZipTime(year: 2023, month: 2, day: 31).day == 28)
        let time = ZipTime(Date(timeIntervalSince1970: 1_700_000_000))
        #expect((time.year, time.month, time.day, time.hour) == (2023, 11, 14, 22))
        #expect((time.minute, time.second) == (13, 20))
    }

    /// The bytes of an archive.
    static func archive(limits: ZipLimits = ZipLimits(), _ body: (ZipWriter) throws -> Void) throws -> Data {
        var bytes = Data()
        let writer = ZipWriter(limits: limits) { bytes.append(contentsOf: $0) }
        try body(writer)
        try writer.finish()
        return bytes
    }
}
