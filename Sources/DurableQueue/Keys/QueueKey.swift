#if canImport(CryptoKit)
import CryptoKit
#elseif Outbox
import Crypto
#else
#error("IndivoOutbox needs the trait Outbox of swift-indivo: .package(…, traits: [\"Outbox\"])")
#endif
import Foundation

/// The key under which a queue is encrypted: 256 bits for AES-GCM. It never shows itself in a log or a dump.
public struct QueueKey: Sendable {
    /// How many bytes a key has.
    public static let byteCount = 32

    let symmetric: SymmetricKey

    /// A new random key.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// A key that was kept; `nil` unless it has ``byteCount`` bytes.
    public init?(bytes: some ContiguousBytes) {
        let key = SymmetricKey(data: bytes)
        guard key.bitCount == QueueKey.byteCount * 8 else { return nil }
        symmetric = key
    }

    /// Lends the key's bytes, for storing them where keys are kept.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try symmetric.withUnsafeBytes(body)
    }
}

extension QueueKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { "•••" }

    /// Shows nothing: `dump` and a debugger find no child.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
