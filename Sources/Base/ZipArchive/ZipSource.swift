import Foundation
import IndivoBase

/// The bytes of an archive, from a file or from memory. A file is read by position, so that several entries
/// can be read at the same time.
enum ZipSource: Sendable {
    case file(StoredFile)
    case bytes(Data)

    /// A file that a person chose.
    init(path: String) throws(ZipError) {
        do throws(StoredFile.Failure) {
            guard let file = try StoredFile(path, followsLinks: true) else {
                throw .unreadable(DiskFailure.words(ENOENT))
            }
            self = .file(file)
        } catch  where error == .notPlain {
            throw .notAnArchive(reason: "\(path) is not a plain file; an archive is read from its end")
        } catch { throw .system(reason: "\(path) cannot be opened: \(error)") }
    }

    var size: UInt64 {
        switch self {
        case .file(let file): UInt64(file.size)
        case .bytes(let data): UInt64(data.count)
        }
    }

    /// `count` bytes from an offset.
    func read(at offset: UInt64, count: Int) throws(ZipError) -> [UInt8] {
        guard offset <= size, UInt64(count) <= size - offset else {
            throw .malformed(offset: offset, reason: "the archive ends at byte \(size)")
        }
        switch self {
        case .bytes(let data):
            let start = data.startIndex + Int(offset)
            return [UInt8](data[start..<start + count])
        case .file(let file):
            var bytes = [UInt8](repeating: 0, count: count)
            let filled: Int
            do {
                filled = try bytes.withUnsafeMutableBytes { try file.read(at: Int(offset), into: $0) }
            } catch {
                throw .system(reason: "\(error)")
            }
            guard filled == count else {
                throw .system(reason: "the archive became shorter while it was read")
            }
            return bytes
        }
    }
}
