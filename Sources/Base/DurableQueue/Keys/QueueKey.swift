import Foundation
import IndivoBase

#if canImport(CryptoKit)
import CryptoKit
#elseif canImport(Crypto)
import Crypto
#else
#error("IndivoOutbox needs the trait Outbox of swift-indivo: .package(…, traits: [\"Outbox\"])")
#endif

/// The key under which a queue is encrypted: 256 bits for AES-GCM. It never shows itself in a log or a dump.
public struct QueueKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many bytes a key has.
    public static let byteCount = 32

    private let symmetric: SymmetricKey

    /// A new random key.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// A key that was kept; `nil` unless it has ``byteCount`` bytes.
    public init?(bytes: some ContiguousBytes) {
        let key = SymmetricKey(data: bytes)
        guard key.bitCount == QueueKey.byteCount * 8 else { return nil }
        symmetric = key
    }

    private init(symmetric: SymmetricKey) { self.symmetric = symmetric }

    /// Lends the key's bytes, for storing them where keys are kept.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try symmetric.withUnsafeBytes(body)
    }

    /// Seals with AES-GCM: nonce, ciphertext and tag.
    func seal(_ plain: Data, authenticating data: Data) throws -> Data {
        let box = try AES.GCM.seal(plain, using: symmetric, authenticating: data)
        guard let combined = box.combined else { throw StoredFile.Failure.damaged }
        return combined
    }

    func open(_ sealed: Data, authenticating data: Data) throws(StoredFile.Failure) -> Data {
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: sealed),
                using: symmetric,
                authenticating: data
            )
        } catch {
            throw .damaged
        }
    }

    /// A key of a sealed folder for one use.
    func derived(_ use: String) -> QueueKey {
        let info = Data("sealed folder \(use)".utf8)
        return QueueKey(
            symmetric: HKDF<SHA256>.deriveKey(inputKeyMaterial: symmetric, info: info, outputByteCount: 32)
        )
    }

    /// 16 bytes derived from a text, which reveal nothing about it without the key.
    func code(of text: String) -> some Sequence<UInt8> {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: symmetric).prefix(16)
    }

    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { "•••" }

    /// Shows nothing: `dump` and a debugger find no child.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
