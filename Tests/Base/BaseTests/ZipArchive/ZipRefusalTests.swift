import Foundation
import IndivoBase
import Testing
import ZipArchive

/// What strangers' archives must not do, and that the writer makes nothing that the reader refuses.
@Suite struct ZipRefusalTests {
    private static let small = Data("some text, some text, some text".utf8)

    @Test(
        "the writer refuses names that leave the folder",
        arguments: [
            "../up", "a/../b", "/root", "a\\b", "C:x", "", "a//b", "./a", "a\u{0}b", "a/\n",
            String(repeating: "n", count: 1025),
        ]
    )
    func writtenNames(_ name: String) {
        #expect { try ZipRoundTripTests.archive { try $0.add(name, data: Self.small) } } throws: {
            if case ZipError.badName = $0 { true } else { false }
        }
    }

    @Test(
        "the reader refuses names that leave the folder",
        arguments: ["../x", "/abcd", "a\\bcd", "C:abc", "x/../", "dup.2"]
    )
    func readNames(_ name: String) throws {
        // The writer makes an allowed name of the same length, which is then exchanged in both headers.
        let allowed = String(repeating: "z", count: name.utf8.count)
        var bytes = try ZipRoundTripTests.archive {
            try $0.add(allowed, data: Self.small)
            try $0.add("dup.2", data: Self.small)
        }
        while let range = bytes.range(of: Data(allowed.utf8)) {
            bytes.replaceSubrange(range, with: Data(name.utf8))
        }
        #expect { try ZipReader(data: bytes) } throws: {
            if case ZipError.badName = $0 { true } else { false }
        }
    }

    @Test("the same limits hold for writing and for reading")
    func limits() throws {
        var limits = ZipLimits()
        limits.entries = 2
        limits.entrySize = 40
        limits.totalSize = 60
        func write(_ sizes: [Int], _ limits: ZipLimits) throws -> Data {
            try ZipRoundTripTests.archive(limits: limits) { writer in
                for (index, size) in sizes.enumerated() {
                    try writer.add("\(index)", data: Data(count: size))
                }
            }
        }
        for (sizes, isAllowed) in [
            ([40], true), ([41], false), ([40, 20], true), ([40, 21], false), ([1, 1, 1], false),
        ] {
            let bytes = try write(sizes, ZipLimits())
            if isAllowed {
                #expect(
                    try ZipReader(data: write(sizes, limits), limits: limits).entries.count == sizes.count
                )
            } else {
                #expect(throws: ZipError.self) { try write(sizes, limits) }
                #expect(throws: ZipError.self) { try ZipReader(data: bytes, limits: limits) }
            }
        }
    }

    @Test("nothing more is written after an error")
    func afterError() {
        let writer = ZipWriter { _ in }
        #expect(throws: ZipError.self) { try writer.add("../a", data: Data()) }
        #expect(throws: ZipError.writerIsClosed) { try writer.add("a", data: Data()) }
        #expect(throws: ZipError.writerIsClosed) { try writer.finish() }
    }

    @Test("every changed byte that changes the content is found")
    func changedBytes() throws {
        for method in [ZipEntry.Method.stored, .deflated] {
            let bytes = try ZipRoundTripTests.archive { try $0.add("a", data: Self.small, method: method) }
            let packed = Int(try #require(ZipReader(data: bytes)["a"]).compressedSize)
            var found = 0
            for index in 51..<51 + packed {
                var changed = bytes
                changed[index] ^= 0x10
                let archive = try ZipReader(data: changed)
                // Bits behind the end of a deflate stream mean nothing; what they are changed to does no
                // harm.
                do { #expect(try archive.data(of: archive.entries[0]) == Self.small, "byte \(index)") } catch
                { found += 1 }
            }
            #expect(found >= packed - 1)
        }
    }

    @Test("every truncation is an error")
    func truncations() throws {
        let bytes = try ZipRoundTripTests.archive { try $0.add("a", data: Self.small) }
        for count in 0..<bytes.count {
            #expect(throws: ZipError.self) { try ZipReader(data: bytes.prefix(count)) }
        }
    }

    @Test("random damage ends in an error or in the same bytes")
    func damage() throws {
        let bytes = try ZipRoundTripTests.archive {
            try $0.add("a", data: Self.small)
            try $0.add("b/c", data: Data(repeating: 7, count: 3000))
        }
        var random = SeededGenerator(seed: 7)
        var errors = 0
        for _ in 0..<4000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            do throws(ZipError) {
                let archive = try ZipReader(data: damaged)
                for entry in archive.entries {
                    let data = try archive.data(of: entry)
                    #expect(data.count == Int(entry.size))
                }
            } catch { errors += 1 }
        }
        #expect(errors > 2000)
    }

    @Test("entries that share bytes are refused")
    func sharedBytes() throws {
        // Two records of the directory that point to the same header: the second one's name is made equal in
        // length.
        var bytes = try ZipRoundTripTests.archive {
            try $0.add("a", data: Data(count: 0), method: .stored)
            try $0.add("b", data: Self.small)
        }
        // The second record ends 22 bytes before the end; its header's offset is 4 bytes before its name of 1
        // byte.
        let field = bytes.count - 22 - 1 - 4
        bytes.replaceSubrange(field..<field + 4, with: Data(count: 4))
        #expect(throws: ZipError.self) { try ZipReader(data: bytes) }
    }
}
