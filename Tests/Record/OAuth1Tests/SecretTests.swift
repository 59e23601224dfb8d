import Foundation
import OAuth1
import Testing

@Suite("Secrets")
struct SecretTests {
    #if os(Linux)
    @Test(
        "the memory of a secret is overwritten once its last copy is gone",
        .disabled(
            if: dlsym(nil, "__tsan_init") != nil,
            "the thread sanitizer's memory is too large to search"
        )
    )
    func wiped() async {
        await #expect(processExitsWith: .success) {
            // Made at run time, and looked for under a mask, so that neither code nor search holds it.
            var generator = SystemRandomNumberGenerator()
            var mask = (0..<200).map { _ in UInt8.random(in: 128...255, using: &generator) }
            func make() -> Secret {
                var bytes = mask.map { ($0 & 0x3F) + 0x30 }
                defer { for index in bytes.indices { bytes[index] = 0 } }
                return Secret(String(decoding: bytes, as: UTF8.self))
            }
            var secrets = (0..<8).map { _ in make() }
            var copies = secrets
            let alive = try MemorySearch.count(mask)
            precondition(alive >= 8, "the secrets are not found where they must be")
            secrets.removeAll()
            let copied = try MemorySearch.count(mask)
            precondition(copied >= 8, "a copy lost its content")
            copies.removeAll()
            let left = try MemorySearch.count(mask)
            mask = []
            precondition(left <= alive - 8, "\(alive) copies before, \(left) after")
        }
    }
    #endif

    @Test("a description, a dump and an interpolation show •••")
    func hidden() {
        let secret: Secret = "kd94hf93k423kf44"
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret)" == "•••" && String(reflecting: secret) == "•••" && dumped == "- •••\n")
    }
}

#if os(Linux)
/// Looks through this process's own memory.
private enum MemorySearch {
    /// How often the end of a text is there of which each byte is one of `mask` with some bits taken and
    /// a number added: what `malloc` writes into the beginning of freed memory does not count.
    static func count(_ mask: [UInt8]) throws -> Int {
        let tail = Array(mask.suffix(64))
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let memory = open("/proc/self/mem", O_RDONLY)
        guard memory >= 0 else { throw POSIXError(.EACCES) }
        defer { close(memory) }
        // What is read must not be found as well, nor what is looked for: it stands at the end.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        let window = UnsafeMutableRawBufferPointer(rebasing: room.dropLast(tail.count))
        let needle = UnsafeMutableRawBufferPointer(rebasing: room.suffix(tail.count))
        for index in tail.indices { needle[index] = (tail[index] & 0x3F) + 0x30 }
        defer {
            room.initializeMemory(as: UInt8.self, repeating: 0)
            room.deallocate()
        }
        let own =
            UInt(bitPattern: room.baseAddress)..<UInt(bitPattern: room.baseAddress) + UInt(room.count)
        var found = 0
        for line in maps.split(separator: "\n") where line.contains(" rw-p ") {
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            // A sanitizer's own books are larger.
            guard ends.count == 2, ends[1] - ends[0] < 1 << 30 else { continue }
            var place = ends[0]
            while place < ends[1] {
                let count = pread(
                    memory,
                    window.baseAddress,
                    min(window.count, Int(ends[1] - place)),
                    off_t(place)
                )
                guard count >= tail.count else { break }
                var start = 0
                // Both buffers have an address: they are not empty.
                while count - start >= needle.count,
                    let hit = memchr(
                        window.baseAddress! + start,
                        Int32(needle[0]),
                        count - start - needle.count + 1
                    )
                {
                    start = hit - window.baseAddress! + 1
                    guard memcmp(hit, needle.baseAddress!, needle.count) == 0 else { continue }
                    if !own.contains(place + UInt(start - 1)) { found += 1 }
                }
                if count < window.count { break }
                place += UInt(count - tail.count + 1)
            }
        }
        return found
    }
}
#endif
