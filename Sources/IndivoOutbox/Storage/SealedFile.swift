#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation

/// The form of an outbox's files, version 1.
///
/// ```
/// offset  bytes
/// 0       4      "IVOX"
/// 4       1      version of the form: 1
/// 5       1      what the file is (Kind)
/// 6       2      0
/// 8       4      length h of the head, big-endian
/// 12      h      the head: AES-GCM nonce (12), ciphertext, tag (16)
/// 12+h    …      the body, sealed the same way, or nothing
/// ```
/// Head and body are bound to where they belong: version, kind, the outbox, the place in its queue, and which of the two
/// it is, are authenticated with them. A file that was put in another's place does not open.
struct SealedFile {
    enum Kind: UInt8 {
        /// Says which outbox the folder is, and whether a key is its key.
        case folder = 1
        /// A queued change.
        case item = 2
        /// How far the delivery of a change has come.
        case progress = 3
        /// A delivered change.
        case receipt = 4
    }

    /// Where a file belongs.
    struct Place {
        let kind: Kind
        /// The outbox's, see ``OutboxFolder/Identity``.
        let outbox: Data
        let sequence: Int

        fileprivate func authenticated(_ part: UInt8) -> Data {
            var data = Data("swift-indivo outbox".utf8)
            data.append(contentsOf: [SealedFile.version, kind.rawValue, part])
            withUnsafeBytes(of: UInt64(sequence).bigEndian) { data.append(contentsOf: $0) }
            data.append(outbox)
            return data
        }
    }

    enum Failure: Error {
        /// Of a later version of the form.
        case newer(UInt8)
        /// Not a file of this form, not whole, changed, out of place, or under another key.
        case damaged
    }

    static let version: UInt8 = 1
    private static let magic = Data("IVOX".utf8)
    private static let prefixLength = 12

    let head: Data
    private let sealedBody: Data
    private let place: Place
    private let key: OutboxKey

    static func seal(head: Data, body: Data? = nil, for place: Place, key: OutboxKey) throws -> Data {
        let sealedHead = try box(head, place.authenticated(0), key)
        var file = magic
        file.append(contentsOf: [version, place.kind.rawValue, 0, 0])
        withUnsafeBytes(of: UInt32(sealedHead.count).bigEndian) { file.append(contentsOf: $0) }
        file.append(sealedHead)
        if let body { file.append(try box(body, place.authenticated(1), key)) }
        return file
    }

    private static func box(_ plain: Data, _ authenticated: Data, _ key: OutboxKey) throws -> Data {
        let box = try AES.GCM.seal(plain, using: key.symmetric, authenticating: authenticated)
        guard let combined = box.combined else { throw Failure.damaged }
        return combined
    }

    /// Opens a file's head; its body is opened when it is asked for.
    init(_ file: Data, for place: Place, key: OutboxKey) throws(Failure) {
        let bytes = [UInt8](file.prefix(SealedFile.prefixLength))
        guard bytes.count == SealedFile.prefixLength, Data(bytes[0..<4]) == SealedFile.magic else { throw .damaged }
        // Reading is by version: a reader of older versions is added here when there is a newer one.
        switch bytes[4] {
        case 1: break
        case let version where version > SealedFile.version: throw .newer(version)
        default: throw .damaged
        }
        let length = bytes[8...].reduce(0) { $0 << 8 | Int($1) }
        guard bytes[5] == place.kind.rawValue, bytes[6] == 0, bytes[7] == 0,
            file.count - SealedFile.prefixLength >= length
        else { throw .damaged }
        let start = file.startIndex + SealedFile.prefixLength
        head = try SealedFile.unbox(file[start..<start + length], place.authenticated(0), key)
        sealedBody = file[(start + length)...]
        self.place = place
        self.key = key
    }

    func body() throws(Failure) -> Data { try SealedFile.unbox(sealedBody, place.authenticated(1), key) }

    private static func unbox(_ sealed: Data, _ authenticated: Data, _ key: OutboxKey) throws(Failure) -> Data {
        do {
            return try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key.symmetric, authenticating: authenticated)
        } catch {
            throw .damaged
        }
    }
}
