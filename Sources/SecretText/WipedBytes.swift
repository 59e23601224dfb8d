import Foundation

/// Bytes that are overwritten before their memory goes to somebody else.
final class WipedBytes: Sendable {
    /// Written in the initialiser and the deinitialiser only, when nobody else has the object: hence safe to share.
    nonisolated(unsafe) private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ content: some Collection<UInt8>) {
        bytes = .allocate(capacity: content.count)
        _ = bytes.initialize(from: content)
    }

    deinit {
        Self.wipe(bytes)
        bytes.deallocate()
    }

    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        try body(UnsafeBufferPointer(bytes))
    }

    /// Overwrites memory in a way that the compiler does not leave out, though nobody reads it afterwards.
    static func wipe(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        #if canImport(Darwin)
        memset_s(start, bytes.count, 0, bytes.count)
        #else
        explicit_bzero(start, bytes.count)
        #endif
    }
}
