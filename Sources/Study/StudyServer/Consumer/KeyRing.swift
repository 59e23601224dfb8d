import Foundation
import HTTPCalls
import IndivoBase
import StudyFormats
import Synchronization

/// A study's private keys by their ids: the newest, and those before it, as long as a phone or a queue may
/// hold something that is encrypted for them.
public struct KeyRing: Sendable {
    private let keys: [(id: String, key: StudyPrivateKey)]
    private let source: Source?
    /// Whether the key of an envelope may be encrypted by PKCS#1 version 1.5, as C3-PRO's framework for
    /// Android does, and its receivers where they are configured so.
    public var allowsPKCS1 = false

    private struct Source: Sendable {
        let folder: URL
        let passphrase: Secret?
    }

    /// A ring of these keys.
    public init(_ keys: [KeyID: StudyPrivateKey]) { self.init(keys, of: nil) }

    private init(_ keys: [KeyID: StudyPrivateKey], of source: Source?) {
        self.keys = keys.map { ($0.key.description, $0.value) }.sorted { $0.id < $1.id }
        self.source = source
    }

    /// Reads a folder that has a folder for each key, named after its id, with `private-key.pem` (`indivo
    /// study keys`) or `private-c3pro.der` in it (C3-PRO). A consumer reads it again when a message is for a
    /// key that it does not have.
    ///
    /// - Parameter passphrase: The passphrase of encrypted key files.
    /// - Throws: `StudyError`: a key that cannot be read is not skipped, since messages for it would seem
    ///   damaged. Files that others can read are refused.
    public init(contentsOf folder: URL, passphrase: Secret? = nil) throws {
        var keys: [KeyID: StudyPrivateKey] = [:]
        let path = folder.filePath
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw StudyError.storage(reason: "\(path) is no folder that can be read")
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let files = ["private-key.pem", "private-c3pro.der"].map {
                folder.appending(path: name).appending(path: $0)
            }
            guard
                let file = files.first(where: {
                    $0.filePath.fileExists
                })
            else {
                continue
            }
            let shown = file.filePath
            let mode =
                try FileManager.default.attributesOfItem(atPath: shown)[.posixPermissions] as? Int ?? 0o777
            guard mode & 0o077 == 0 else {
                throw StudyError.storage(
                    reason: "\(shown) is not used: others can read it; if nobody has, run chmod 600 on it"
                )
            }
            let source = try BodySource.file(file)
            guard source.size <= 1 << 16 else {
                throw StudyError.tooLarge(what: "the key \(name)", limit: 1 << 16)
            }
            keys[try KeyID(name)] = try StudyPrivateKey(source.data(), passphrase: passphrase)
        }
        guard !keys.isEmpty else {
            throw StudyError.unusableKey(
                reason: "\(path) has no folder with private-key.pem or private-c3pro.der in it"
            )
        }
        self.init(keys, of: Source(folder: folder, passphrase: passphrase))
    }

    /// The keys that the folder has now; `nil` where they are the same, and where it cannot be read: a key
    /// may be half written.
    func renewed() -> KeyRing? {
        guard let source,
            var ring = try? KeyRing(contentsOf: source.folder, passphrase: source.passphrase),
            ring.keys.map(\.id) != keys.map(\.id)
        else { return nil }
        ring.allowsPKCS1 = allowsPKCS1
        return ring
    }

    /// The keys that may open an envelope: the one that it names, or all where it names none.
    ///
    /// - Throws: ``ProcessingError/unknownKey``.
    func keys(of envelope: C3ProEnvelope) throws -> [StudyPrivateKey] {
        guard let id = envelope.keyID else { return all }
        guard let found = keys.first(where: { $0.id == id.description }) else {
            throw ProcessingError.unknownKey
        }
        return [found.key]
    }

    var all: [StudyPrivateKey] { keys.map(\.key) }
}

/// The keys of a running consumer.
final class CurrentKeys: Sendable {
    /// The shortest time between two readings: anybody can send messages that no key opens.
    private static let pause = Duration.seconds(10)
    private let state: Mutex<(ring: KeyRing, until: ContinuousClock.Instant)>

    init(_ ring: KeyRing) { state = Mutex((ring, .now)) }

    var ring: KeyRing { state.withLock { $0.ring } }

    /// Reads the folder again; false when it has no other keys, or was read lately.
    func renew() -> Bool {
        state.withLock { state in
            guard state.until <= .now else { return false }
            state.until = .now + Self.pause
            guard let ring = state.ring.renewed() else { return false }
            state.ring = ring
            return true
        }
    }
}

/// Why a message is not processed. No text holds what participants gave.
enum ProcessingError: Error, CustomStringConvertible {
    case unknownKey
    case undecryptable(String)
    case notFHIR(String)
    case invalid(String)
    case unsupported(String)
    case subjects(String)

    /// Whether another key may open the message.
    var mayOpenWithAnotherKey: Bool {
        switch self {
        case .unknownKey, .undecryptable: true
        case .notFHIR, .invalid, .unsupported, .subjects: false
        }
    }

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
