#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation

/// The form of a queue's files, version 1.
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
/// With each part the first 28 bytes, the queue, the item's number, which part it is, and whether it is the last one,
/// are authenticated. So no byte can be changed, no file opens under another's name or in another queue, and no part of a
/// file goes with a part of another.
///
/// The head of the folder's own file keeps this form in all versions, so that a later version can be authenticated before
/// it is believed.
struct SealedFile {
    enum Kind: UInt8, CaseIterable {
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

    /// Where a file belongs.
    struct Place {
        let kind: Kind
        /// The queue's identity.
        let queue: Data
        /// The item's number; 0 for the queue's own files.
        let number: Int
    }

    /// What the files of one item have in common: 16 random bytes.
    struct Mark: Sendable, Hashable {
        let bytes: Data

        /// A new one.
        init() { bytes = withUnsafeBytes(of: UUID().uuid) { Data($0) } }

        fileprivate init(_ bytes: Data) { self.bytes = bytes }
    }

    typealias Failure = StoredFile.Failure

    static let version: UInt8 = 1
    static let magic = Data("DURQ".utf8)
    static let prefixLength = 28
    static let chunkLength = 1 << 20
    /// More than any head has.
    static let longestHead = 1 << 20
    private static let sealLength = 28

    /// What the head says.
    let head: Data
    let mark: Mark
    /// Authenticated, like all that is read.
    let version: UInt8
    private let file: StoredFile
    private let binding: Binding
    private let bodyStart: Int
    private let hasBody: Bool
    private let key: QueueKey

    // MARK: Writing

    /// Writes a file.
    /// - Parameters:
    ///   - body: Gives the next so many bytes, fewer at the end; `nil` for a file without a body.
    ///   - write: Takes the file's bytes one after the other.
    static func seal(
        head: Data, mark: Mark, version: UInt8 = SealedFile.version, for place: Place, key: QueueKey,
        body: ((Int) throws -> Data)? = nil, to write: (Data) throws -> Void
    ) throws {
        guard head.count <= longestHead - sealLength else { throw Failure.damaged }
        var prefix = magic
        prefix.append(contentsOf: [version, place.kind.rawValue, body == nil ? 0 : 1, 0])
        withUnsafeBytes(of: UInt32(head.count + sealLength).bigEndian) { prefix.append(contentsOf: $0) }
        prefix.append(mark.bytes)
        let binding = Binding(prefix: prefix, place: place)
        try write(prefix + box(head, binding.head, key))
        guard let body else { return }
        var index = 0
        var chunk = try body(chunkLength)
        while true {
            let next = chunk.count < chunkLength ? Data() : try body(chunkLength)
            try write(box(chunk, binding.chunk(index, isLast: next.isEmpty), key))
            if next.isEmpty { return }
            chunk = next
            index += 1
        }
    }

    private static func box(_ plain: Data, _ authenticated: Data, _ key: QueueKey) throws -> Data {
        let box = try AES.GCM.seal(plain, using: key.symmetric, authenticating: authenticated)
        guard let combined = box.combined else { throw Failure.damaged }
        return combined
    }

    // MARK: Reading

    /// Opens a file's head; `nil` when there is no file.
    static func open(_ path: String, for place: Place, key: QueueKey) throws(Failure) -> SealedFile? {
        try StoredFile(path).map { file throws(Failure) in try SealedFile(file, for: place, key: key) }
    }

    /// Opens a file's head; its body is opened when it is asked for.
    init(_ file: StoredFile, for place: Place, key: QueueKey) throws(Failure) {
        let prefix = try file.read(at: 0, count: SealedFile.prefixLength)
        let bytes = [UInt8](prefix)
        guard bytes.count == SealedFile.prefixLength, prefix.prefix(4) == SealedFile.magic else { throw .damaged }
        let length = bytes[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard bytes[5] == place.kind.rawValue, (SealedFile.sealLength...SealedFile.longestHead).contains(length)
        else { throw .damaged }
        binding = Binding(prefix: prefix, place: place)
        head = try SealedFile.unbox(file.read(at: SealedFile.prefixLength, count: length), binding.head, key)
        // From here on nothing is anybody else's word.
        version = bytes[4]
        hasBody = bytes[6] == 1
        mark = Mark(prefix.suffix(16))
        bodyStart = SealedFile.prefixLength + length
        self.file = file
        self.key = key
        guard version == SealedFile.version || place.kind == .queue else { throw .damaged }
        guard hasBody || file.size == bodyStart else { throw .damaged }
    }

    /// Hands out the body chunk by chunk. That it is whole is known when this returns.
    func readBody(_ body: (Data) throws -> Void) throws {
        guard hasBody else { throw Failure.damaged }
        let sealedLength = SealedFile.chunkLength + SealedFile.sealLength
        var position = bodyStart
        var index = 0
        while true {
            let isLast = file.size - position <= sealedLength
            let sealed = try file.read(at: position, count: sealedLength)
            try body(SealedFile.unbox(sealed, binding.chunk(index, isLast: isLast), key))
            if isLast { return }
            position += sealedLength
            index += 1
        }
    }

    /// So many bytes of the body from a position on; fewer at its end.
    func readBody(at position: Int, count: Int) throws(Failure) -> Data {
        guard hasBody else { throw .damaged }
        let sealedLength = SealedFile.chunkLength + SealedFile.sealLength
        var result = Data()
        while result.count < count {
            let (index, offset) = (position + result.count).quotientAndRemainder(dividingBy: SealedFile.chunkLength)
            let start = bodyStart + index * sealedLength
            guard start < file.size else { throw .damaged }
            let sealed = try file.read(at: start, count: sealedLength)
            let chunk = try SealedFile.unbox(sealed, binding.chunk(index, isLast: file.size - start <= sealedLength), key)
            let part = chunk.dropFirst(offset).prefix(count - result.count)
            guard !part.isEmpty else { throw .damaged }
            if part.count == count { return part }
            result.append(part)
        }
        return result
    }

    private static func unbox(_ sealed: Data, _ authenticated: Data, _ key: QueueKey) throws(Failure) -> Data {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: key.symmetric, authenticating: authenticated)
        else { throw .damaged }
        return plain
    }

    /// What is authenticated with the parts of a file.
    private struct Binding {
        private let data: Data

        init(prefix: Data, place: Place) {
            var data = Data("durable queue".utf8)
            data.append(prefix)
            withUnsafeBytes(of: UInt64(place.number).bigEndian) { data.append(contentsOf: $0) }
            data.append(place.queue)
            self.data = data
        }

        var head: Data { data + [0] }

        func chunk(_ index: Int, isLast: Bool) -> Data {
            data + [isLast ? 2 : 1] + withUnsafeBytes(of: UInt64(index).bigEndian) { Data($0) }
        }
    }
}
