import Crypto
import CryptoExtras
import Foundation
import OrderedJSON

/// C3-PRO's envelope: a FHIR resource, encrypted with AES, and its key, encrypted with RSA.
///
/// ```json
/// {"key_id": "5e1f…", "symmetric_key": "…", "message": "…", "version": "4.0.1"}
/// ```
/// C3-PRO's servers read the first form: AES-256-CBC with an initial vector of zeros, and OAEP with SHA-1.
/// Every message has a new key, so that the zeros do no harm. The form is not authenticated: changes are not
/// detected.
///
/// The second form has two more members: `"envelope": "2"`, and `"resource"`, the type and id of the content.
/// Its message is AES-256-GCM (nonce, ciphertext, tag), its key is encrypted by OAEP with SHA-256, and all
/// members except the key are authenticated.
public struct C3ProEnvelope: Sendable, Hashable {
    /// The form of an envelope.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// What C3-PRO's servers read.
        case first = "1"
        /// The authenticated one.
        case second = "2"
    }

    public let form: Form
    /// Which of the study's keys can open it; `nil` where the sender named none.
    public let keyID: KeyID?
    /// The FHIR version of the resource, a label.
    public let version: String
    /// `Patient/7` of the second form; the type alone of a resource without an id.
    public let resource: String?
    private let encryptedKey: Data
    private let message: Data

    /// The longest text of an envelope that is read.
    public static let maximumBytes = 64 << 20
    private static let keyLength = 32

    // MARK: Sealing

    /// Encrypts a resource with a new key.
    ///
    /// - Parameters:
    ///   - resource: A FHIR resource, JSON.
    ///   - keyID: Which of the study's keys it is; `nil` where the study has but one.
    ///   - version: The FHIR version, as the study's server wants it.
    public init(
        sealing resource: Data,
        for certificate: StudyCertificate,
        keyID: KeyID?,
        version: String = "4.0.1",
        form: Form = .first,
        at time: StudyTime = .now,
        allowsExpired: Bool = false
    ) throws {
        try self.init(
            sealing: resource,
            Self.json(of: resource),
            for: certificate,
            keyID: keyID,
            version: version,
            form: form,
            at: time,
            allowsExpired: allowsExpired
        )
    }

    /// Reads a FHIR resource.
    package static func json(of resource: Data) throws(StudyError) -> JSONValue {
        do {
            return try JSONValue(parsing: resource)
        } catch {
            throw .malformed(format: "FHIR resource", offset: error.location.offset, reason: "\(error)")
        }
    }

    /// Encrypts a resource that was read already.
    package init(
        sealing resource: Data,
        _ json: JSONValue,
        for certificate: StudyCertificate,
        keyID: KeyID?,
        version: String,
        form: Form,
        at time: StudyTime = .now,
        allowsExpired: Bool = false
    ) throws {
        let encryption = try CMSEncryption(for: [certificate], at: time, allowsExpired: allowsExpired)
        guard let name = Self.name(of: json) else {
            throw StudyError.malformed(format: "FHIR resource", reason: "it has no resourceType")
        }
        guard resource.count <= Self.maximumBytes / 2 else {
            throw StudyError.tooLarge(
                what: "a resource of \(resource.count) bytes",
                limit: Self.maximumBytes / 2
            )
        }
        let key = SymmetricKey(size: .bits256)
        self.form = form
        self.keyID = keyID
        self.version = version
        self.resource = form == .second ? name : nil
        encryptedKey = try key.withUnsafeBytes {
            try encryption.recipients[0].wrap(Data($0), by: form == .first ? .oaepSHA1 : .oaepSHA256)
        }
        switch form {
        case .first:
            message = try AES._CBC.encrypt(resource, using: key, iv: AES._CBC.IV(ivBytes: Data(count: 16)))
        case .second:
            let box = try AES.GCM.seal(
                resource,
                using: key,
                authenticating: Self.authenticated(keyID: keyID, version: version, resource: name)
            )
            message = Data(box.nonce) + box.ciphertext + box.tag
        }
    }

    /// `Patient/7`, or the type alone; `nil` for what is not a resource.
    private static func name(of json: JSONValue) -> String? {
        guard let type = json["resourceType"]?.string, !type.isEmpty else { return nil }
        return json["id"]?.string.map { "\(type)/\($0)" } ?? type
    }

    private static func authenticated(keyID: KeyID?, version: String, resource: String) -> Data {
        // Each member with its length, so that no two sets of members give the same bytes.
        ["C3-PRO envelope 2", keyID?.description ?? "", version, resource].reduce(into: Data()) {
            data,
            text in
            withUnsafeBytes(of: UInt32(clamping: text.utf8.count).bigEndian) { data.append(contentsOf: $0) }
            data.append(contentsOf: text.utf8)
        }
    }

    // MARK: The wire

    public var json: JSONValue {
        var json: JSONValue = [
            "key_id": JSONValue(keyID?.description ?? ""),
            "symmetric_key": JSONValue(encryptedKey.base64EncodedString()),
            "message": JSONValue(message.base64EncodedString()), "version": JSONValue(version),
        ]
        if let resource {
            json["envelope"] = JSONValue(form.rawValue)
            json["resource"] = JSONValue(resource)
        }
        return json
    }

    /// As bytes.
    public var data: Data { Data(json.utf8()) }

    /// Reads an envelope.
    ///
    /// - Throws: ``StudyError`` that names what is wrong.
    public init(parsing data: Data) throws {
        guard data.count <= Self.maximumBytes else {
            throw StudyError.tooLarge(what: "an envelope of \(data.count) bytes", limit: Self.maximumBytes)
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: data)
        } catch {
            throw StudyError.malformed(format: "envelope", offset: error.location.offset, reason: "\(error)")
        }
        func refuse(_ reason: String) -> StudyError {
            .malformed(format: "envelope", reason: reason)
        }
        guard json.kind == .object, ["symmetric_key", "message"].allSatisfy({ json[$0] != nil }) else {
            throw refuse("this is JSON, but not an envelope of C3-PRO")
        }
        func text(_ name: String) throws -> String {
            guard let text = json[name]?.string else {
                throw refuse("“\(name)” is missing or is not a string")
            }
            return text
        }
        func bytes(_ name: String) throws -> Data {
            // Base64 needs no escapes, so that mostly the text can be decoded in place, without a copy.
            if let value = json[name], value.kind == .string, let quoted = value.sourceRange,
                let decoded = Data(
                    base64Encoded: data.dropFirst(quoted.lowerBound + 1).prefix(quoted.count - 2)
                )
            {
                return decoded
            }
            let digits = Data(try text(name).utf8)
            if let data = Data(base64Encoded: digits) { return data }
            // Android's encoder breaks lines.
            let unbroken = digits.filter { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
            guard let data = Data(base64Encoded: unbroken) else {
                throw refuse("“\(name)” is not base64")
            }
            return data
        }
        let id = try text("key_id")
        keyID = id.isEmpty ? nil : try KeyID(id)
        version = try text("version")
        guard version.utf8.count <= 64 else { throw refuse("“version” has more than 64 bytes") }
        encryptedKey = try bytes("symmetric_key")
        message = try bytes("message")
        guard json["envelope"] != nil else {
            form = .first
            resource = nil
            guard !message.isEmpty, message.count % 16 == 0 else {
                throw refuse("“message” is not a whole number of blocks")
            }
            return
        }
        guard let form = Form(rawValue: try text("envelope")), form == .second else {
            throw StudyError.unsupported(
                format: "envelope",
                reason: "its form is “\(try text("envelope").prefix(20))”, not 2"
            )
        }
        self.form = form
        resource = try text("resource")
        guard message.count >= 28 else { throw refuse("“message” is too short") }
    }

    // MARK: Opening

    /// Decrypts the resource.
    ///
    /// - Parameter allowsPKCS1: Whether the content's key may be encrypted by PKCS#1 version 1.5, as C3-PRO's
    ///   receivers and its framework for Android can be set to do. Allow it only where a sender cannot
    ///   observe at once whether a message could be opened.
    /// - Throws: ``StudyError/wrongKeyOrDamaged``, whichever part failed.
    public func open(with key: StudyPrivateKey, allowsPKCS1: Bool = false) throws -> Data {
        try opened(with: key, allowsPKCS1: allowsPKCS1).data
    }

    /// Decrypts the resource, and reads it.
    ///
    /// - Parameters:
    ///   - limits: Of the JSON.
    ///   - allowsPKCS1: As of ``open(with:allowsPKCS1:)``.
    /// - Throws: ``StudyError/wrongKeyOrDamaged``, whatever of it failed;
    ///   ``StudyError/malformed(format:offset:reason:)`` for a resource beyond the limits.
    public func resource(
        with key: StudyPrivateKey,
        limits: JSONLimits = JSONLimits(),
        allowsPKCS1: Bool = false
    ) throws -> JSONValue {
        try opened(with: key, limits: limits, allowsPKCS1: allowsPKCS1).json
    }

    func opened(
        with key: StudyPrivateKey,
        limits: JSONLimits = JSONLimits(),
        allowsPKCS1: Bool = false
    ) throws -> (data: Data, json: JSONValue) {
        guard allowsPKCS1, form == .first else { return try opened(with: key, transport, limits) }
        do {
            return try opened(with: key, transport, limits)
        } catch StudyError.wrongKeyOrDamaged {
            return try opened(with: key, .pkcs1, limits)
        }
    }

    private func opened(
        with key: StudyPrivateKey,
        _ transport: CMSKeyTransport,
        _ limits: JSONLimits
    ) throws -> (data: Data, json: JSONValue) {
        guard encryptedKey.count == key.modulusLength else {
            throw StudyError.notForThisKey(recipients: [
                keyID.map { "the key \($0)" } ?? "a key without an id"
            ])
        }
        // C3-PRO's receiver writes AES-128, its phones AES-256.
        let lengths = form == .first ? [Self.keyLength, 16, 24] : [Self.keyLength]
        let symmetric = try key.unwrap(encryptedKey, by: transport, lengths: lengths)
        let data: Data
        do { data = try decrypt(under: symmetric) } catch { throw StudyError.wrongKeyOrDamaged }
        do {
            let json = try JSONValue(parsing: data, limits: limits)
            // A wrong key may give valid padding by chance, but what it decrypts is not a resource.
            if let name = Self.name(of: json), name == resource ?? name { return (data, json) }
        } catch let error where error.reason.isLimit {
            throw StudyError.malformed(
                format: "FHIR resource",
                offset: error.location.offset,
                reason: "\(error.reason)"
            )
        } catch {}
        throw StudyError.wrongKeyOrDamaged
    }

    private var transport: CMSKeyTransport { form == .first ? .oaepSHA1 : .oaepSHA256 }

    private func decrypt(under key: SymmetricKey) throws -> Data {
        switch form {
        case .first:
            return try AES._CBC.decrypt(message, using: key, iv: AES._CBC.IV(ivBytes: Data(count: 16)))
        case .second:
            let box = try AES.GCM.SealedBox(combined: message)
            return try AES.GCM.open(
                box,
                using: key,
                authenticating: Self.authenticated(keyID: keyID, version: version, resource: resource ?? "")
            )
        }
    }
}

extension JSONError.Reason {
    /// Whether a limit was exceeded; otherwise the text is not JSON.
    fileprivate var isLimit: Bool {
        switch self {
        case .tooDeep, .tooLong, .tooManyNodes, .numberTooLong: true
        default: false
        }
    }
}
