import Crypto
import Foundation
import IndivoBase

/// A time-based one-time password (RFC 6238): what an authenticator shows for 30 seconds.
struct TOTP: Sendable, Hashable {
    /// The hash of RFC 6238's HMAC. Authenticators know SHA-1, whatever the URI says.
    enum Algorithm: String, Sendable, CaseIterable {
        case sha1 = "SHA1"
        case sha256 = "SHA256"
        case sha512 = "SHA512"
    }

    /// Shared with the authenticator.
    let secret: Data
    var digits = 6
    var period = 30
    var algorithm = Algorithm.sha1

    /// As many bytes as SHA-1 has (RFC 4226, 4).
    private static let secretLength = 20
    /// Steps before and behind the present one whose codes count: clocks differ (RFC 6238, 5.2).
    private static let tolerance = 1

    init(secret: Data) { self.secret = secret }

    /// A new secret.
    static func make() -> TOTP {
        TOTP(
            secret: SymmetricKey(size: SymmetricKeySize(bitCount: secretLength * 8)).withUnsafeBytes {
                Data($0)
            }
        )
    }

    /// The number of a moment's step.
    func step(at seconds: Int) -> Int { seconds / period }

    /// The code of a step (RFC 4226, 5.3).
    func code(step: Int) -> String {
        var counter = UInt64(max(0, step)).bigEndian
        let message = withUnsafeBytes(of: &counter) { Data($0) }
        let key = SymmetricKey(data: secret)
        let digest: [UInt8] =
            switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        // Each digest has more than 15 + 4 bytes.
        let offset = Int(digest[digest.count - 1] & 0x0F)
        let number = digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        let text = String(number % modulus)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The step of a code that counts now; `nil` for another code. All are compared, whichever fits.
    ///
    /// - Parameter last: The step of the code that was used last: it and those before it count no more
    ///   (RFC 6238, 5.2).
    func step(of code: String, at seconds: Int, after last: Int?) -> Int? {
        let given = code.filter { !$0.isWhitespace }
        let now = step(at: seconds)
        var found: Int?
        for step in (now - Self.tolerance)...(now + Self.tolerance) {
            let fits = constantTimeEqual(self.code(step: step), given)
            if fits, step > last ?? -1 { found = step }
        }
        return found
    }

    // MARK: Base32

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The secret in base32 (RFC 4648, 6) without padding.
    var base32: String {
        var text = ""
        var bits = 0
        var count = 0
        for byte in secret {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.unicodeScalars.append(Unicode.Scalar(Self.alphabet[bits >> count & 31]))
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { text.unicodeScalars.append(Unicode.Scalar(Self.alphabet[bits << (5 - count) & 31])) }
        return text
    }

    /// A secret that was stored: 16 to 128 letters and digits of base32.
    init?(base32 text: String) {
        guard (16...128).contains(text.utf8.count) else { return nil }
        var data = Data()
        var bits = 0
        var count = 0
        for byte in text.utf8 {
            guard let value = Self.alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 5 | value
            count += 5
            if count >= 8 {
                count -= 8
                data.append(UInt8(bits >> count & 0xFF))
                bits &= (1 << count) - 1
            }
        }
        self.init(secret: data)
    }

    /// What an authenticator reads, as a text or a QR code (`otpauth:`, Google's key URI format).
    func uri(name: String, issuer: String) -> String {
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(
                withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))
            )
                ?? ""
        }
        return "otpauth://totp/\(escaped(issuer)):\(escaped(name))?secret=\(base32)&issuer=\(escaped(issuer))"
            + "&algorithm=\(algorithm.rawValue)&digits=\(digits)&period=\(period)"
    }
}
