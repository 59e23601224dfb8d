import IndivoBase
import SwiftASN1
import X509

/// Recipients of messages as people may read them.
enum RecipientName {
    /// `CN=Study 7, serial number 0a1b`, from IssuerAndSerialNumber.
    static func describe(_ node: ASN1Node) -> String {
        guard case .constructed(let parts) = node.content else { return "an unreadable certificate" }
        var iterator = parts.makeIterator()
        guard let issuer = iterator.next(), let serial = iterator.next() else {
            return "an unreadable certificate"
        }
        let name = (try? DistinguishedName(derEncoded: issuer)).map { "\($0)" } ?? "an unreadable name"
        return String("\(name), serial number \(digits(serial))".shown().prefix(300))
    }

    /// The content of a primitive element in hexadecimal digits.
    static func digits(_ node: ASN1Node) -> String {
        guard case .primitive(let bytes) = node.content else { return "?" }
        return Hexadecimal.encode(bytes.prefix(64))
    }
}
