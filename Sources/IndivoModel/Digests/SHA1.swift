import Foundation
import URLCoding

/// SHA-1 (FIPS 180-4): the digest Indivo gives binary documents. Nothing here relies on it for security.
package enum SHA1 {
    package static func hash(_ data: some ContiguousBytes) -> [UInt8] {
        data.withUnsafeBytes { bytes in
            var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
                0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0
            )
            var schedule = [UInt32](repeating: 0, count: 80)
            let whole = bytes.count / 64 * 64
            var tail = [UInt8](bytes[whole...])
            tail.append(0x80)
            while tail.count % 64 != 56 { tail.append(0) }
            withUnsafeBytes(of: UInt64(bytes.count * 8).bigEndian) { tail.append(contentsOf: $0) }
            for start in stride(from: 0, to: whole, by: 64) {
                compress(&state, &schedule, UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
            }
            tail.withUnsafeBytes { rest in
                for start in stride(from: 0, to: rest.count, by: 64) {
                    compress(&state, &schedule, UnsafeRawBufferPointer(rebasing: rest[start..<start + 64]))
                }
            }
            return [state.0, state.1, state.2, state.3, state.4].flatMap { word in
                withUnsafeBytes(of: word.bigEndian) { [UInt8]($0) }
            }
        }
    }

    /// The hash as lower-case hexadecimal digits.
    package static func hex(_ data: some ContiguousBytes) -> String { Hexadecimal.encode(hash(data)) }

    private static func compress(
        _ state: inout (UInt32, UInt32, UInt32, UInt32, UInt32), _ schedule: inout [UInt32],
        _ block: UnsafeRawBufferPointer
    ) {
        schedule.withUnsafeMutableBufferPointer { w in
            for index in 0..<16 {
                w[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            }
            for index in 16..<80 {
                w[index] = rotate(w[index - 3] ^ w[index - 8] ^ w[index - 14] ^ w[index - 16], 1)
            }
            var (a, b, c, d, e) = state
            for index in 0..<80 {
                let (f, k): (UInt32, UInt32) =
                    switch index {
                    case ..<20: ((b & c) | (~b & d), 0x5a82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                    case ..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                (e, d, c, b, a) = (d, c, rotate(b, 30), a, rotate(a, 5) &+ f &+ e &+ k &+ w[index])
            }
            state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
        }
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ bits: UInt32) -> UInt32 {
        (value << bits) | (value >> (32 &- bits))
    }
}
