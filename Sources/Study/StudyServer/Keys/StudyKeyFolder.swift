import Foundation
import IndivoBase
import OrderedJSON
import StudyFormats
import StudyWarehouse

/// The folder of a study's keys: a folder for each, named after its id, with `private-key.pem` and
/// `certificate.pem`, and `revoked.json` for one that phones shall use no more.
///
/// ```swift
/// let folder = StudyKeyFolder(URL(filePath: "keys"))
/// let key = try folder.rotate(subject: "CN=Sleep Study", days: 730)
/// let list = try folder.list(study: "org.example.sleep", signedBy: signingKey)
/// ```
/// A key is never removed here: what was encrypted for it can be read with it alone.
public struct StudyKeyFolder: Sendable {
    /// A key of the folder.
    public struct Entry: Sendable, Hashable {
        public let id: KeyID
        /// The certificate; `nil` where there is none, and the key cannot be published.
        public let certificate: StudyCertificate?
        /// When it was revoked, and why.
        public let revoked: (at: String, reason: String)?
        /// Whether the private key is there.
        public let hasPrivateKey: Bool

        public static func == (a: Self, b: Self) -> Bool { a.id == b.id && a.certificate == b.certificate }
        public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// The folder.
    public let url: URL
    private static let revokedName = "revoked.json"
    private static let maximumKeys = 1000

    /// A folder, which need not be there yet.
    public init(_ url: URL) { self.url = url }

    /// The keys by their ids.
    ///
    /// - Throws: `StudyError` for a folder or a file that cannot be read.
    public func entries() throws -> [Entry] {
        let path = url.filePath
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw StudyError.storage(reason: "\(path) is no folder that can be read")
        }
        guard names.count <= Self.maximumKeys else {
            throw StudyError.tooLarge(what: "the keys of \(path)", limit: Self.maximumKeys)
        }
        return try names.sorted().compactMap { name in
            guard !name.hasPrefix("."), let id = try? KeyID(name) else { return nil }
            let folder = url.appending(path: name)
            func data(_ file: String) throws -> Data? {
                let path = folder.appending(path: file).filePath
                guard path.fileExists else { return nil }
                // A revocation that cannot be read is one.
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw StudyError.storage(reason: "\(path) cannot be read")
                }
                return data
            }
            let certificate = try data("certificate.pem").map { try StudyCertificate($0) }
            let hasKey = ["private-key.pem", "private-c3pro.der"].contains {
                folder.appending(path: $0).filePath.fileExists
            }
            guard hasKey || certificate != nil else { return nil }
            let json = try data(Self.revokedName).map { (try? JSONValue(parsing: $0)) ?? [:] }
            return Entry(
                id: id,
                certificate: certificate,
                revoked: json.map { ($0["at"]?.string ?? "", $0["reason"]?.string ?? "") },
                hasPrivateKey: hasKey
            )
        }
    }

    /// Makes the next key. Those before it stay: phones and queues may still hold what is encrypted for them.
    ///
    /// - Parameter id: `nil` for `key-` and the next number.
    /// - Throws: `StudyError`: nothing is overwritten.
    public func rotate(id: KeyID? = nil, subject: String, days: Int, bits: Int = 3072) throws -> Entry {
        let known =
            url.filePath.fileExists ? try entries() : []
        let numbers = known.map(\.id.description).filter { $0.hasPrefix("key-") }.compactMap {
            Int($0.dropFirst(4))
        }
        // A number that large was chosen by somebody; the next one would not be one more.
        let number = numbers.filter { $0 < Int.max }.max() ?? 0
        let id = try id ?? KeyID("key-\(number + 1)")
        guard !known.contains(where: { $0.id == id }) else {
            throw StudyError.storage(reason: "there is a key \(id) already")
        }
        let key = try StudyPrivateKey(bits: bits)
        let certificate = try key.certificate(subject: subject, days: days)
        try NewFile.write(
            [
                ("certificate.pem", Data(certificate.pem.utf8)), ("certificate.der", certificate.der),
                ("public-key.pem", Data(key.publicKeyPEM.utf8)), ("private-key.pem", Data(key.pem.utf8)),
            ],
            in: url.appending(path: id.description)
        )
        return Entry(id: id, certificate: certificate, revoked: nil, hasPrivateKey: true)
    }

    /// Marks a key, so that it is published no more. The private key stays.
    ///
    /// - Throws: `StudyError` for a key that is not there, or revoked already.
    public func revoke(_ id: KeyID, reason: String, at time: StudyTime = .now) throws {
        guard let entry = try entries().first(where: { $0.id == id }) else {
            throw StudyError.unusableKey(
                reason: "there is no key \(id) in \(url.filePath)"
            )
        }
        if let revoked = entry.revoked {
            throw StudyError.storage(reason: "the key \(id) was revoked at \(revoked.at) already")
        }
        let json: JSONValue = ["at": JSONValue(time.description), "reason": JSONValue(reason)]
        let file = url.appending(path: id.description).appending(path: Self.revokedName)
        try NewFile(file).write { try $0(Data(json.text().utf8)) }
    }

    /// The keys that phones may use, signed.
    ///
    /// - Parameter days: For how long phones may use the list.
    /// - Throws: `StudyError` where none of the keys can be used.
    public func list(study: String, signedBy key: StudyPrivateKey, days: Int = 90, at time: StudyTime = .now)
        throws
        -> (text: String, keys: [KeyID])
    {
        let keys = try entries().compactMap { entry -> StudyKeyList.Key? in
            guard entry.revoked == nil, entry.hasPrivateKey, let certificate = entry.certificate,
                certificate.problems(at: time).isEmpty
            else { return nil }
            return StudyKeyList.Key(id: entry.id, certificate: certificate)
        }
        let list = StudyKeyList(study: study, keys: keys, issued: time, days: days)
        _ = try list.newestKey(at: time)
        return (try list.signed(by: key), keys.map(\.id))
    }
}

/// The envelopes of a warehouse by the keys that they need.
public struct KeptEnvelopes: Sendable, Hashable {
    /// How many envelopes name a key, by its id; those that name none are under "".
    public private(set) var byKey: [String: Int] = [:]
    /// Those that are not in the warehouse's tables yet: they wait, or failed.
    public private(set) var unread: [String: Int] = [:]

    /// Counts the envelopes that a warehouse keeps.
    public init(_ warehouse: WarehouseTransaction) throws {
        try warehouse.eachKeptEnvelope { state, bytes in
            guard let envelope = try? C3ProEnvelope(parsing: Data(bytes)) else { return }
            let id = envelope.keyID?.description ?? ""
            byKey[id, default: 0] += 1
            if ["waiting", "failed", "pending"].contains(state) { unread[id, default: 0] += 1 }
        }
    }
}
