import Crypto
import Foundation
import IndivoBase
import SwiftASN1
import X509

/// A receipt of Apple's App Store, which says which app was got there: its signature and chain are verified,
/// without a network.
///
/// ```swift
/// let apple = try TrustAnchors(Data(contentsOf: rootFile))          // Apple Root CA
/// let receipt = try await AppReceipt(data, trusting: apple)
/// try receipt.check(bundles: ["org.example.sleep"])
/// ```
///
/// The fields are those of Apple's “Receipt Fields”. A receipt proves that somebody has the app, and not that
/// the one who shows it is the app: a file can be passed on. ``AppAttestation`` proves the latter.
public struct AppReceipt: Sendable, Hashable {
    /// The app's bundle identifier (field 2).
    public let bundleID: String
    /// The app's version, `CFBundleVersion` on iOS (field 3).
    public let appVersion: String?
    /// The version that was got first (field 19).
    public let originalAppVersion: String?
    /// When the App Store made the receipt (field 12).
    public let created: StudyTime
    /// When it ceases to be valid, for apps of the Volume Purchase Program (field 21).
    public let expires: StudyTime?
    /// Where it is from: `Production`, or `ProductionSandbox` for builds under test. Field 0, which Apple
    /// does not document.
    public let environment: String?
    /// How many receipts of purchases in the app it has (fields 17).
    public let purchases: Int
    /// The subject of the certificate that signed it.
    public let signer: String

    private let bundleField: Data
    private let opaque: Data?
    private let deviceDigest: Data?

    /// Marks certificates that sign receipts; without it every developer's certificate of Apple's would do.
    static let signsReceipts: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// Marks the intermediate authority (Worldwide Developer Relations).
    static let isDeveloperAuthority: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    private static let what = "the receipt"
    private static let maximumFields = 10_000
    /// By how much the App Store's clock may be ahead of this one, in seconds.
    private static let clockTolerance = 3_600

    /// Reads and verifies a receipt.
    ///
    /// Its certificates have to be valid at the time when it was made, as Apple asks for: they expire before
    /// the receipts do.
    ///
    /// - Parameters:
    ///   - data: The file `appStoreReceiptURL` names: CMS.
    ///   - roots: Apple's root certificates.
    ///   - allowsSHA1: Whether a signature over SHA-1 counts. Since August 2023 the App Store signs over
    ///     SHA-256 for iOS 16.6 and later.
    ///   - now: The time to compare with.
    /// - Throws: ``StudyError/notGenuine(what:reason:)``, or another `StudyError` when it is no receipt.
    public init(
        _ data: Data,
        trusting roots: TrustAnchors,
        allowsSHA1: Bool = false,
        now: StudyTime = .now
    ) async throws(StudyError) {
        let message = try CMSSignedMessage(data)
        let certificate = try message.verifiedSigner(allowsSHA1: allowsSHA1)
        let fields = try Self.fields(message.content)
        guard let bundle = fields.first(where: { $0.type == 2 }), let bundleID = Self.text(bundle.value)
        else {
            throw .malformed(format: "receipt", reason: "it names no app (field 2)")
        }
        guard let created = try Self.time(12, fields) else {
            throw .malformed(
                format: "receipt",
                reason: "no time says when it was made (field 12)"
            )
        }
        guard created.seconds <= now.seconds + Self.clockTolerance else {
            throw .notGenuine(what: Self.what, reason: "it was made at \(created), which is still to come")
        }
        let chain = try await roots.chain(
            from: certificate,
            through: message.certificates,
            at: created,
            of: Self.what,
            allowsSHA1: allowsSHA1
        )
        guard certificate.extensions[oid: Self.signsReceipts] != nil,
            chain.count == 3, chain[1].extensions[oid: Self.isDeveloperAuthority] != nil
        else {
            throw .notGenuine(
                what: Self.what,
                reason: "“\(certificate.subject)” is no certificate with which the App Store signs receipts"
            )
        }
        func text(_ type: Int) -> String? { fields.first { $0.type == type }.flatMap { Self.text($0.value) } }
        func bytes(_ type: Int) -> Data? { fields.first { $0.type == type }?.value }
        self.bundleID = bundleID
        self.created = created
        expires = try Self.time(21, fields)
        appVersion = text(3)
        originalAppVersion = text(19)
        environment = text(0)
        purchases = fields.count { $0.type == 17 }
        signer = "\(certificate.subject)"
        bundleField = bundle.value
        opaque = bytes(4)
        deviceDigest = bytes(5)
    }

    // MARK: Checking

    /// Checks that it is a receipt of one of these apps, and has not expired.
    ///
    /// - Throws: ``StudyError/notGenuine(what:reason:)``.
    public func check(bundles: Set<String>, now: StudyTime = .now) throws(StudyError) {
        guard bundles.contains(bundleID) else {
            throw .notGenuine(
                what: Self.what,
                reason: "it is one of the app “\(bundleID.shown())”, not of "
                    + bundles.sorted().joined(separator: " or ")
            )
        }
        if let expires, expires <= now {
            throw .notGenuine(what: Self.what, reason: "it expired at \(expires)")
        }
    }

    /// Whether it was made for a device: whether field 5 is SHA-1 of the device's identifier, field 4 and
    /// field 2.
    ///
    /// - Parameter device: `identifierForVendor` of the app on the device.
    public func isFor(device: UUID) -> Bool {
        guard let opaque, let deviceDigest else { return false }
        let identifier = withUnsafeBytes(of: device.uuid) { Data($0) }
        return Data(Insecure.SHA1.hash(data: identifier + opaque + bundleField)) == deviceDigest
    }

    // MARK: Reading

    /// The attributes: a SET of SEQUENCEs with type, version and value.
    private static func fields(_ content: Data) throws(StudyError) -> [(type: Int, value: Data)] {
        do {
            let set = try ASN1Elements(BER.parse([UInt8](content)), "the set of fields", of: "receipt").nodes
            guard set.count <= maximumFields else {
                throw StudyError.tooLarge(what: "the fields of the receipt", limit: maximumFields)
            }
            return try set.map { node in
                let parts = try ASN1Elements(node, "a field", of: "receipt")
                let type = try Int(berEncoded: parts.node(0))
                return (type, Data(try ASN1OctetString(berEncoded: parts.node(2)).bytes))
            }
        } catch let error as StudyError {
            throw error
        } catch {
            throw .malformed(format: "receipt", reason: "its fields: \(error)")
        }
    }

    /// A UTF8String or an IA5String.
    private static func text(_ value: Data) -> String? {
        guard let node = try? BER.parse([UInt8](value)), case .primitive(let bytes) = node.content,
            node.identifier == .utf8String || node.identifier == .ia5String, bytes.count <= 1_000
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A time of RFC 3339; an empty one is none.
    private static func time(_ type: Int, _ fields: [(type: Int, value: Data)]) throws(StudyError)
        -> StudyTime?
    {
        guard let field = fields.first(where: { $0.type == type }), let text = text(field.value),
            !text.isEmpty
        else { return nil }
        guard let time = StudyTime(text: text) else {
            throw .malformed(
                format: "receipt",
                reason: "“\(text.shown())” is no time (field \(type))"
            )
        }
        return time
    }
}
