import Foundation

/// SHA-1 (FIPS 180-4): the digest Indivo gives binary documents. Nothing here relies on it for security.
package enum SHA1Sum {
    package static func hash(_ data: some ContiguousBytes) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        eachBlock(of: data, words: 80) { w in
            for index in 16..<80 {
                w[index] = rotate(w[index &- 3] ^ w[index &- 8] ^ w[index &- 14] ^ w[index &- 16], left: 1)
            }
            var a = state[0]
            var b = state[1]
            var c = state[2]
            var d = state[3]
            var e = state[4]
            for index in 0..<80 {
                let (f, k): (UInt32, UInt32) =
                    switch index {
                    case ..<20: ((b & c) | (~b & d), 0x5a82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                    case ..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                (e, d, c, b, a) = (
                    d, c, rotate(b, left: 30), a, rotate(a, left: 5) &+ f &+ e &+ k &+ w[index]
                )
            }
            for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
        }
        return bigEndian(state)
    }

    /// The hash as lower-case hexadecimal digits.
    package static func hex(_ data: some ContiguousBytes) -> String { Hexadecimal.encode(hash(data)) }
}

/// SHA-256 (FIPS 180-4). Linux offers none without another dependency.
package enum SHA256Sum {
    package static func hash(_ data: some ContiguousBytes) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
            0x5be0_cd19,
        ]
        constants.withUnsafeBufferPointer { k in
            eachBlock(of: data, words: 64) { w in
                for index in 16..<64 {
                    let a = w[index &- 15]
                    let b = w[index &- 2]
                    let s0 = rotate(a, right: 7) ^ rotate(a, right: 18) ^ (a >> 3)
                    let s1 = rotate(b, right: 17) ^ rotate(b, right: 19) ^ (b >> 10)
                    w[index] = w[index &- 16] &+ s0 &+ w[index &- 7] &+ s1
                }
                var a = state[0]
                var b = state[1]
                var c = state[2]
                var d = state[3]
                var e = state[4]
                var f = state[5]
                var g = state[6]
                var h = state[7]
                for index in 0..<64 {
                    let s1 = rotate(e, right: 6) ^ rotate(e, right: 11) ^ rotate(e, right: 25)
                    let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ k[index] &+ w[index]
                    let s0 = rotate(a, right: 2) ^ rotate(a, right: 13) ^ rotate(a, right: 22)
                    let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
                    h = g
                    g = f
                    f = e
                    e = d &+ t1
                    d = c
                    c = b
                    b = a
                    a = t1 &+ t2
                }
                for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
            }
        }
        return bigEndian(state)
    }

    package static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }

    /// The hash as lower-case hexadecimal digits.
    package static func hex(_ data: some ContiguousBytes) -> String { Hexadecimal.encode(hash(data)) }

    /// HMAC (RFC 2104) over SHA-256.
    package static func authenticationCode(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? hash(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = hash(block.map { $0 ^ 0x36 } + message)
        return hash(block.map { $0 ^ 0x5c } + inner)
    }

    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = (2...311).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }
    .map { prime in UInt32(truncatingIfNeeded: Int(cbrt(Double(prime)) * 0x1p32)) }
}

/// Calls `body` with the schedule of each block of the padded message (FIPS 180-4, section 5.1.1): its first
/// 16 words.
@inline(__always)
private func eachBlock(
    of data: some ContiguousBytes,
    words: Int,
    _ body: (UnsafeMutableBufferPointer<UInt32>) -> Void
) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: words) { schedule in
        schedule.initialize(repeating: 0)
        func blocks(_ bytes: UnsafeRawBufferPointer) {
            for start in stride(from: 0, to: bytes.count / 64 * 64, by: 64) {
                for index in 0..<16 {
                    schedule[index] = UInt32(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self)
                    )
                }
                body(schedule)
            }
        }
        data.withUnsafeBytes { bytes in
            blocks(bytes)
            var tail = [UInt8](bytes[(bytes.count / 64 * 64)...])
            tail.append(0x80)
            while tail.count % 64 != 56 { tail.append(0) }
            withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { tail.append(contentsOf: $0) }
            tail.withUnsafeBytes(blocks)
        }
    }
}

@inline(__always)
private func rotate(_ value: UInt32, left bits: UInt32) -> UInt32 {
    (value << bits) | (value >> (32 &- bits))
}

@inline(__always)
private func rotate(_ value: UInt32, right bits: UInt32) -> UInt32 { rotate(value, left: 32 &- bits) }

private func bigEndian(_ words: [UInt32]) -> [UInt8] {
    words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { [UInt8]($0) } }
}

/// The digests that a server reports for documents, by the number of their hexadecimal digits.
package enum DocumentDigest: Int {
    /// SHA-256, of texts.
    case sha256 = 64
    /// SHA-1, of binary documents.
    case sha1 = 40

    /// The kind of a digest in hexadecimal digits, by its length; `nil` when it is neither.
    package init?(matchingFormOf digest: String) { self.init(rawValue: digest.utf8.count) }

    /// The digest in lower-case hexadecimal digits.
    package func hex(of data: Data) -> String { self == .sha256 ? SHA256Sum.hex(data) : SHA1Sum.hex(data) }
}

/// UUIDs that a digest determines (RFC 9562).
package enum DigestUUID {
    /// The first 16 bytes of a digest as a UUID in lower case: version 5 of a name in a namespace (SHA-1), 8
    /// of anything else.
    package static func text(_ digest: some Sequence<UInt8>, version: UInt8) -> String {
        var bytes = Array(digest.prefix(16))
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.encode(bytes[$0]) }.joined(
            separator: "-"
        )
    }
}
