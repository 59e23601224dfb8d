import Foundation
import IndivoBase

#if canImport(CCrypt)
import CCrypt
#elseif canImport(CommonCrypto)
import CommonCrypto
#else
import CryptoExtras
#endif

/// A password, hashed so that guessing is slow: yescrypt of libxcrypt on Linux (crypt(5), the default of
/// Debian's own accounts), PBKDF2-HMAC-SHA256 of CommonCrypto on Apple's systems. Neither needs another
/// package.
package struct PasswordHash: Sendable, Hashable {
    /// What is stored: the scheme, its cost, the salt and the hash in one text.
    package let text: String

    /// A hash that was stored.
    package init(text: String) { self.text = text }

    /// Hashes a password, with a salt of its own.
    package init(of password: String) throws {
        text = try PasswordHash.make(password)
    }

    /// Whether the password is the one that was hashed.
    package func matches(_ password: String) -> Bool {
        guard let again = try? PasswordHash.make(password, like: text) else { return false }
        return constantTimeEqual(Array(again.utf8), Array(text.utf8))
    }

    /// The system could not hash a password.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String {
            "the system's password hash failed: check that libcrypt knows yescrypt"
        }
    }

    #if canImport(CCrypt)
    private static func make(_ password: String, like existing: String? = nil) throws -> String {
        var setting = existing
        if setting == nil {
            var salt = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
            guard crypt_gensalt_rn("$y$", 0, nil, 0, &salt, Int32(salt.count)) != nil else {
                throw Failure()
            }
            setting = String(
                decoding: salt.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
        }
        var scratch = crypt_data()
        let size = Int32(MemoryLayout<crypt_data>.size)
        guard let setting, let result = crypt_rn(password, setting, &scratch, size) else {
            throw Failure()
        }
        return String(cString: result)
    }
    #else
    private static func make(_ password: String, like existing: String? = nil) throws -> String {
        let parts = existing?.split(separator: "$").map(String.init) ?? []
        let rounds = parts.count == 4 ? UInt32(parts[1]) ?? 600_000 : 600_000
        let salt = parts.count == 4 ? parts[2] : RandomToken.make()
        let derived = try derive(password, salt: salt, rounds: rounds)
        return "$pbkdf2-sha256$\(rounds)$\(salt)$\(Hexadecimal.encode(derived))"
    }

    /// PBKDF2-HMAC-SHA256 (RFC 8018, section 5.2), 32 bytes of it.
    private static func derive(_ password: String, salt: String, rounds: UInt32) throws -> [UInt8] {
        #if canImport(CommonCrypto)
        var derived = [UInt8](repeating: 0, count: 32)
        let status = CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2),
            password,
            password.utf8.count,
            salt,
            salt.utf8.count,
            CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256),
            rounds,
            &derived,
            derived.count
        )
        guard status == kCCSuccess else { throw Failure() }
        return derived
        #else
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8),
            salt: Array(salt.utf8),
            using: .sha256,
            outputByteCount: 32,
            rounds: Int(rounds)
        )
        return key.withUnsafeBytes { Array($0) }
        #endif
    }
    #endif
}
