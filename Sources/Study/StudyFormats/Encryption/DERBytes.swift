import Foundation
import SwiftASN1

/// Elements of the Distinguished Encoding Rules (X.690), as bytes.
enum DERBytes {
    /// The identifier and the length of an element.
    static func head(_ identifier: UInt8, _ length: Int) -> Data {
        if length < 0x80 { return Data([identifier, UInt8(length)]) }
        let digits = withUnsafeBytes(of: UInt64(length).bigEndian) { Data($0.drop { $0 == 0 }) }
        return Data([identifier, 0x80 | UInt8(digits.count)]) + digits
    }

    static func element(_ identifier: UInt8, _ contents: Data...) -> Data {
        let content = contents.reduce(Data(), +)
        return head(identifier, content.count) + content
    }

    static func sequence(_ elements: Data...) -> Data {
        let content = elements.reduce(Data(), +)
        return head(0x30, content.count) + content
    }

    /// A set, its elements in the order that DER asks for.
    static func set(_ elements: [Data]) -> Data {
        element(0x31, elements.sorted { $0.lexicographicallyPrecedes($1) }.reduce(Data(), +))
    }

    static func octets(_ content: Data) -> Data { element(0x04, content) }

    /// A number from 0 to 127.
    static func integer(_ value: UInt8) -> Data { Data([0x02, 0x01, value & 0x7F]) }

    static let null = Data([0x05, 0x00])

    static func identifier(_ identifier: ASN1ObjectIdentifier) -> Data {
        var serializer = DER.Serializer()
        // An object identifier always serializes: it has no constraint that could fail.
        do { try serializer.serialize(identifier) } catch { preconditionFailure("\(error)") }
        return Data(serializer.serializedBytes)
    }
}

extension ASN1ObjectIdentifier {
    static let data: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 1]
    static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 2]
    static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 3]
    static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 4]
    static let envelopedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 3]
    static let authEnvelopedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 1, 23]
    static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    static let rsaOAEP: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 7]
    static let maskGeneration: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]
    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    static let sha384: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    static let sha512: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 3]

    /// What people call algorithms that are not read.
    var name: String {
        let names: [ASN1ObjectIdentifier: String] = [
            [1, 2, 840, 113549, 3, 7]: "des-ede3-cbc (triple DES)", [1, 2, 840, 113549, 3, 2]: "rc2-cbc",
            [1, 3, 14, 3, 2, 7]: "des-cbc", [1, 2, 840, 113549, 1, 7, 2]: "SignedData",
            [1, 2, 840, 113549, 1, 7, 6]: "EncryptedData",
            [1, 2, 840, 113549, 1, 9, 16, 1, 9]: "CompressedData",
            [2, 16, 840, 1, 101, 3, 4, 2, 2]: "SHA-384", [2, 16, 840, 1, 101, 3, 4, 2, 3]: "SHA-512",
        ]
        return names[self] ?? description
    }
}
