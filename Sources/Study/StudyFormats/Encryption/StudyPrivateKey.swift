import Crypto
import CryptoExtras
import Foundation
import IndivoBase
import X509

/// A study's private key, of RSA. Its description, mirror and dump never show it.
public struct StudyPrivateKey: Sendable {
    private let key: _RSA.Signing.PrivateKey
    /// The key for decrypting, made once: to read it and to blind it anew takes as long as to decrypt with
    /// it.
    ///
    /// It is only read, and safe in any number of threads at a time: BoringSSL says so of decrypting with a
    /// key (`rsa.h`, "Encryption / Decryption"), and a key of Apple's Security does not change.
    nonisolated(unsafe) private let decrypting: _RSA.Encryption.PrivateKey?
    /// The public key, DER.
    let publicKey: Data

    private static let maximumFileSize = 1 << 16

    /// Makes a new key.
    ///
    /// - Parameter bits: 2048 to 8192, a multiple of 256.
    public init(bits: Int = 3072) throws(StudyError) {
        guard (2048...8192).contains(bits), bits % 256 == 0 else {
            throw .unusableKey(reason: "\(bits) bits; use a multiple of 256 from 2048 to 8192")
        }
        do {
            self.init(try _RSA.Signing.PrivateKey(keySize: _RSA.Signing.KeySize(bitCount: bits)))
        } catch {
            throw .unusableKey(reason: "the system could not make one of \(bits) bits")
        }
    }

    /// Reads a key: PEM (PKCS#1, PKCS#8, encrypted with a pass phrase) or DER.
    public init(_ file: Data, passphrase: Secret? = nil) throws(StudyError) {
        guard file.count <= Self.maximumFileSize else {
            throw .tooLarge(what: "a file of a key", limit: Self.maximumFileSize)
        }
        do {
            if file.first == 0x30 {
                self.init(try _RSA.Signing.PrivateKey(unsafeDERRepresentation: file))
                return
            }
            let pem = String(decoding: file, as: UTF8.self)
            guard pem.contains("ENCRYPTED") else {
                self.init(try _RSA.Signing.PrivateKey(unsafePEMRepresentation: pem))
                return
            }
            guard let passphrase else {
                throw StudyError.unusableKey(reason: "it is encrypted, and there is no pass phrase")
            }
            self.init(
                try _RSA.Signing.PrivateKey(encryptedPEMRepresentation: pem) { set in
                    passphrase.withBytes { set(Array($0)) }
                }
            )
        } catch let error as StudyError {
            throw error
        } catch {
            throw .unusableKey(
                reason: passphrase == nil
                    ? "it is not a private key of RSA in PEM or DER"
                    : "the pass phrase is wrong, or it is not a key of RSA"
            )
        }
    }

    private init(_ key: _RSA.Signing.PrivateKey) {
        self.key = key
        decrypting = try? _RSA.Encryption.PrivateKey(unsafeDERRepresentation: key.derRepresentation)
        publicKey = key.publicKey.derRepresentation
    }

    /// The length of the key.
    public var bits: Int { key.keySizeInBits }

    /// PKCS#8, for a file that nobody else reads.
    public var pem: String { key.pkcs8PEMRepresentation + "\n" }

    /// PKCS#8 as DER, as C3-PRO's consumer reads it, for a file that nobody else reads.
    public var der: Data {
        let lines = key.pkcs8PEMRepresentation.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined()) ?? key.derRepresentation
    }

    /// The public key (SubjectPublicKeyInfo), DER.
    public var publicKeyDER: Data { publicKey }

    public var publicKeyPEM: String { key.publicKey.pemRepresentation + "\n" }

    /// Makes a certificate for this key, signed by itself.
    ///
    /// - Parameter subject: As in `CN=Study 7,O=Example Hospital`.
    public func certificate(
        subject: String,
        days: Int,
        from start: StudyTime = .now
    ) throws(StudyError) -> StudyCertificate {
        guard (1...36_525).contains(days) else { throw .badInput(reason: "\(days) days; use 1 to 36525") }
        do {
            let name = try DistinguishedName(text: subject)
            let certificateKey = Certificate.PrivateKey(key)
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: certificateKey.publicKey,
                notValidBefore: start.date,
                notValidAfter: StudyTime(seconds: start.seconds + days * 86_400).date,
                issuer: name,
                subject: name,
                signatureAlgorithm: .sha256WithRSAEncryption,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(keyEncipherment: true))
                },
                issuerPrivateKey: certificateKey
            )
            return try StudyCertificate(der: Data(certificate.serializeAsPEM().derBytes))
        } catch let error as StudyError {
            throw error
        } catch {
            throw .badInput(reason: "no certificate of “\(subject)”: \(error)")
        }
    }

    // MARK: Decrypting

    /// Decrypts a content's key.
    ///
    /// - Parameter lengths: Those that the key may have, in bytes.
    /// - Throws: ``StudyError/wrongKeyOrDamaged``. Never for what PKCS#1 version 1.5 finds wrong: then the
    ///   key is a random one (RFC 3218, 2.3.2), and the content does not come out.
    func unwrap(_ encrypted: Data, by transport: CMSKeyTransport, lengths: [Int]) throws(StudyError)
        -> SymmetricKey
    {
        let instead = SymmetricKey(size: SymmetricKeySize(bitCount: (lengths.first ?? 32) * 8))
        do {
            guard let decrypting else { throw StudyError.wrongKeyOrDamaged }
            let bytes = try decrypting.decrypt(encrypted, padding: transport.padding)
            if lengths.contains(bytes.count) { return SymmetricKey(data: bytes) }
        } catch {}
        guard transport == .pkcs1 else { throw .wrongKeyOrDamaged }
        return instead
    }

    /// The length of what is encrypted for this key.
    var modulusLength: Int { (bits + 7) / 8 }

    // MARK: Signing

    /// A signature of PKCS#1 version 1.5 with SHA-256, as RS256 has it.
    func signature(of data: Data) throws -> Data {
        try key.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

extension StudyPrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { "•••" }

    /// Shows nothing: `dump` and a debugger find no child.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension DistinguishedName {
    /// Reads `CN=Study 7,O=Example Hospital`; a comma in a value is written `\,`.
    init(text: String) throws(StudyError) {
        var names: [RelativeDistinguishedName] = []
        var parts: [String] = [""]
        var isEscaped = false
        for character in text {
            if isEscaped || (character != "\\" && character != ",") {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                parts.append("")
            }
        }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard pair.count == 2, !pair[1].isEmpty, pair[1].utf8.count <= 64 else {
                throw .badInput(
                    reason: "“\(part)” is not a part of a subject, such as CN=Study 7,O=Example Hospital"
                )
            }
            do {
                switch pair[0].uppercased() {
                case "CN": names.append(try CommonName(pair[1]).makeRDN())
                case "O": names.append(try OrganizationName(pair[1]).makeRDN())
                case "OU": names.append(try OrganizationalUnitName(pair[1]).makeRDN())
                case "C": names.append(try CountryName(pair[1]).makeRDN())
                case "ST": names.append(try StateOrProvinceName(pair[1]).makeRDN())
                case "L": names.append(try LocalityName(pair[1]).makeRDN())
                default:
                    throw StudyError.badInput(
                        reason: "“\(pair[0])” is not known in a subject; use CN, O, OU, L, ST and C"
                    )
                }
            } catch let error as StudyError {
                throw error
            } catch {
                throw .badInput(reason: "“\(part)” cannot be part of a subject: \(error)")
            }
        }
        self.init(names)
    }
}
