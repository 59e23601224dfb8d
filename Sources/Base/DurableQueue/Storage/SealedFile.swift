import Foundation
import IndivoBase

/// The format of a queue's files, version 1.
///
/// ```
/// offset  bytes
/// 0       4      "DURQ"
/// 4       1      version of the form: 1
/// 5       1      what the file is (Kind)
/// 6       1      whether there is a body: 0 or 1
/// 7       1      0
/// 8       4      length h of the head, big-endian
/// 12      16     the mark: random, the same in all files of one item
/// 28      h      the head: AES-GCM nonce (12), ciphertext, tag (16)
/// 28+h    …      the body in chunks of 1 MiB, the last one shorter, each sealed the same way
/// ```
/// Each part is authenticated together with the first 28 bytes, the queue, the item's number, the part's
/// index, and whether it is the last part. So no byte can be changed, no file opens under another name or in
/// another queue, and parts of different files cannot be combined.
///
/// The head of the folder's own file keeps this form in all versions, so that a later version can be
/// authenticated before it is believed.
struct SealedFile {
    enum Kind: UInt8 {
        /// Says which queue the folder is, and whether a key is its key.
        case queue = 1
        /// A queued item.
        case item = 2
        /// How far the delivery of an item has come.
        case progress = 3
        /// A delivered item.
        case receipt = 4
        /// The largest number that was given.
        case numbers = 5
    }

    /// What the files of one item have in common: 16 random bytes.
    typealias Mark = UUID

    /// Reads `count` bytes of content from a position on; fewer at the end.
    typealias Source = (_ position: Int, _ count: Int) throws -> Data

    typealias Failure = StoredFile.Failure

    static let version: UInt8 = 1
    static let magic = Data("DURQ".utf8)
    static let prefixLength = 28
    static let chunkLength = 1 << 20
    /// More than any head has.
    static let maximumHeadLength = 1 << 20
    private static let sealLength = 28

    /// What the head says.
    let head: Data
    let mark: Mark
    /// Authenticated, like all that is read.
    let version: UInt8
    private let file: StoredFile
    /// What is authenticated with every part.
    private let binding: Data
    private let bodyStart: Int
    private let hasBody: Bool
    private let key: QueueKey

    // MARK: Writing

    /// Hands a file's bytes to `write`, one part after the other. The body, where there is one, is asked for
    /// in order.
    static func seal(
        head: Data,
        mark: Mark,
        version: UInt8 = SealedFile.version,
        for place: Place,
        key: QueueKey,
        body: Source? = nil,
        to write: (Data) throws -> Void
    ) throws {
        guard head.count <= maximumHeadLength - sealLength else { throw Failure.damaged }
        var prefix = magic + [version, place.kind.rawValue, body == nil ? 0 : 1, 0]
        withUnsafeBytes(of: UInt32(head.count + sealLength).bigEndian) { prefix.append(contentsOf: $0) }
        withUnsafeBytes(of: mark.uuid) { prefix.append(contentsOf: $0) }
        let binding = binding(prefix, place)
        try write(prefix + key.seal(head, authenticating: binding + [0]))
        guard let body else { return }
        var index = 0
        var chunk = try body(0, chunkLength)
        while true {
            let next = chunk.count < chunkLength ? Data() : try body((index + 1) * chunkLength, chunkLength)
            try write(key.seal(chunk, authenticating: part(index, isLast: next.isEmpty, of: binding)))
            if next.isEmpty { return }
            index = index + 1
            chunk = next
        }
    }

    // MARK: Reading

    /// Opens a file's head; its body is opened when it is asked for. `nil` when there is no file.
    init?(_ path: String, for place: Place, key: QueueKey) throws(Failure) {
        guard let file = try StoredFile(path) else { return nil }
        let prefix = try file.read(at: 0, count: SealedFile.prefixLength)
        let bytes = [UInt8](prefix)
        guard bytes.count == SealedFile.prefixLength, prefix.prefix(4) == SealedFile.magic else {
            throw .damaged
        }
        let length = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard bytes[5] == place.kind.rawValue,
            (SealedFile.sealLength...SealedFile.maximumHeadLength).contains(length)
        else { throw .damaged }
        binding = SealedFile.binding(prefix, place)
        head = try key.open(
            file.read(at: SealedFile.prefixLength, count: length),
            authenticating: binding + [0]
        )
        // From here on, everything is authenticated.
        version = bytes[4]
        hasBody = bytes[6] == 1
        mark = prefix.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: 12, as: uuid_t.self)) }
        bodyStart = SealedFile.prefixLength + length
        self.file = file
        self.key = key
        guard version == SealedFile.version || place.kind == .queue, hasBody || file.size == bodyStart else {
            throw .damaged
        }
    }

    /// The file of a place; `nil` if it is missing, or is not as it was written.
    /// - Throws: ``QueueError`` if the system lacks a resource.
    static func intact(_ place: Place, in folder: String, key: QueueKey) throws -> SealedFile? {
        do { return try SealedFile("\(folder)/\(place)", for: place, key: key) } catch Failure.system(
            let code
        ) {
            throw QueueError(.system(code), folder)
        } catch {
            return nil
        }
    }

    /// Passes the body to `body`, chunk by chunk. Only when this returns is the body known to be complete.
    func readBody(_ body: (Data) throws -> Void) throws {
        var index = 0
        var isLast = false
        while !isLast {
            let chunk = try chunk(index)
            try body(chunk.content)
            index = index + 1
            isLast = chunk.isLast
        }
    }

    /// Reads `count` bytes of the body from a position on; fewer at its end.
    func readBody(at position: Int, count: Int) throws(Failure) -> Data {
        var result = Data()
        while result.count < count {
            let (index, offset) = (position + result.count).quotientAndRemainder(
                dividingBy: SealedFile.chunkLength
            )
            let part = try chunk(index).content.dropFirst(offset).prefix(count - result.count)
            guard !part.isEmpty else { throw .damaged }
            if part.count == count { return part }
            result.append(part)
        }
        return result
    }

    private func chunk(_ index: Int) throws(Failure) -> (content: Data, isLast: Bool) {
        let sealedLength = SealedFile.chunkLength + SealedFile.sealLength
        let start = bodyStart + index * sealedLength
        guard hasBody, start < file.size else { throw .damaged }
        let isLast = file.size - start <= sealedLength
        let part = SealedFile.part(index, isLast: isLast, of: binding)
        return (try key.open(file.read(at: start, count: sealedLength), authenticating: part), isLast)
    }

    // MARK: What is authenticated

    private static func binding(_ prefix: Data, _ place: Place) -> Data {
        Data("durable queue".utf8) + prefix + withUnsafeBytes(of: UInt64(place.number).bigEndian) { Data($0) }
            + place.queue
    }

    private static func part(_ index: Int, isLast: Bool, of binding: Data) -> Data {
        binding + [isLast ? 2 : 1] + withUnsafeBytes(of: UInt64(index).bigEndian) { Data($0) }
    }
}
