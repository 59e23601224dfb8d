import Foundation

/// A shared secret: it signs, and never shows itself in a log, an error text or a debugger's dump.
///
/// Printing, interpolating or mirroring a secret gives `•••`. Comparing two secrets takes a time that depends
/// on their lengths only. To read it back, say so: ``reveal()``.
///
/// ```swift
/// let secret: Secret = "kd94hf93k423kf44"
/// print("signing with \(secret)")     // signing with •••
/// ```
/// The memory of a secret is overwritten when its last copy is gone. That of a text it was made from, or that
/// ``reveal()`` gives, is not: Swift's strings offer no way.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible,
    CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: WipedBytes

    /// Hides `value`.
    public init(_ value: String) { self.value = WipedBytes(value.utf8) }

    public init(stringLiteral value: String) { self.init(value) }

    /// The secret itself, for storing it where secrets are kept.
    public func reveal() -> String { value.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// Gives the secret's UTF-8, without a copy that would stay in memory.
    package func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
        try value.withBytes(body)
    }

    public static func == (left: Secret, right: Secret) -> Bool {
        left.value.withBytes { left in right.value.withBytes { constantTimeEqual(left, $0) } }
    }

    public func hash(into hasher: inout Hasher) {
        value.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { "•••" }

    /// Shows nothing: `dump` and a debugger find no child.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Bytes that are overwritten before their memory goes to somebody else.
private final class WipedBytes: Sendable {
    /// Written in the initialiser and the deinitialiser only, when nobody else has the object: hence safe to
    /// share.
    nonisolated(unsafe) private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ content: String.UTF8View) {
        bytes = .allocate(capacity: content.count)
        _ = bytes.initialize(from: content)
    }

    deinit {
        // In a way that the compiler does not leave out, though nobody reads the memory afterwards.
        if let start = bytes.baseAddress, !bytes.isEmpty {
            #if canImport(Darwin)
            memset_s(start, bytes.count, 0, bytes.count)
            #else
            explicit_bzero(start, bytes.count)
            #endif
        }
        bytes.deallocate()
    }

    func withBytes<T>(_ body: (UnsafeBufferPointer<UInt8>) throws -> T) rethrows -> T {
        try body(UnsafeBufferPointer(bytes))
    }
}

/// Whether two byte strings are equal, in a time that does not depend on where they first differ.
package func constantTimeEqual(
    _ left: some RandomAccessCollection<UInt8>,
    _ right: some RandomAccessCollection<UInt8>
) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Whether two texts are equal, in a time that depends on their lengths alone.
package func constantTimeEqual(_ left: String, _ right: String) -> Bool {
    constantTimeEqual(Array(left.utf8), Array(right.utf8))
}
