import Foundation
import HTTPTransport
import SecretText
import StudyDelivery

/// A study's private keys by their ids: the newest, and those before it, as long as a phone or a queue may hold something
/// that is encrypted for them.
public struct KeyRing: Sendable {
    private let keys: [(id: String, key: StudyPrivateKey)]

    /// A ring of these keys.
    public init(_ keys: [KeyID: StudyPrivateKey]) {
        self.keys = keys.map { ($0.key.description, $0.value) }.sorted { $0.id < $1.id }
    }

    /// Reads a folder that has a folder for each key, named after its id, with `private-key.pem` (`indivo study keys`) or
    /// `private-c3pro.der` in it (C3-PRO).
    ///
    /// - Parameter passphrase: Of the files that are encrypted.
    /// - Throws: `StudyError`: a key that cannot be read is not skipped, since messages for it would seem damaged. Files
    ///   that others can read are refused.
    public init(contentsOf folder: URL, passphrase: Secret? = nil) throws {
        var keys: [KeyID: StudyPrivateKey] = [:]
        let path = folder.path(percentEncoded: false)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw StudyError.storage(reason: "\(path) is no folder that can be read")
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let files = ["private-key.pem", "private-c3pro.der"].map { folder.appending(path: name).appending(path: $0) }
            guard let file = files.first(where: { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }) else {
                continue
            }
            let shown = file.path(percentEncoded: false)
            let mode = try FileManager.default.attributesOfItem(atPath: shown)[.posixPermissions] as? Int ?? 0o777
            guard mode & 0o077 == 0 else {
                throw StudyError.storage(reason: "\(shown) is not used: others can read it; if nobody has, run chmod 600 on it")
            }
            let source = try ByteSource.file(file)
            guard source.size <= 1 << 16 else { throw StudyError.tooLarge(what: "the key \(name)", limit: 1 << 16) }
            keys[try KeyID(name)] = try StudyPrivateKey(source.data(), passphrase: passphrase)
        }
        guard !keys.isEmpty else {
            throw StudyError.unusableKey(reason: "\(path) has no folder with private-key.pem or private-c3pro.der in it")
        }
        self.init(keys)
    }

    /// The keys that may open an envelope: the one that it names, or all where it names none.
    ///
    /// - Throws: ``ProcessingError/unknownKey``.
    func keys(of envelope: C3ProEnvelope) throws -> [StudyPrivateKey] {
        guard let id = envelope.keyID else { return all }
        guard let found = keys.first(where: { $0.id == id.description }) else { throw ProcessingError.unknownKey }
        return [found.key]
    }

    var all: [StudyPrivateKey] { keys.map(\.key) }
}

/// Why a message is not processed. No text holds what participants gave.
enum ProcessingError: Error, CustomStringConvertible {
    case unknownKey
    case undecryptable(String)
    case notFHIR(String)
    case invalid(String)
    case unsupported(String)
    case subjects(String)

    var description: String {
        switch self {
        case .unknownKey: "it is encrypted for a key that is not in the folder of keys"
        case .undecryptable(let reason): "it is not decrypted: \(reason)"
        case .notFHIR(let reason): "it is no FHIR resource: \(reason)"
        case .invalid(let reason): "it is no valid resource: \(reason)"
        case .unsupported(let reason): reason
        case .subjects(let reason): reason
        }
    }
}
