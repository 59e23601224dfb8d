import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written as a draft, for its owner only, and gets its name when it is complete and on the
/// disk.
final class ZipDraft {
    private let path: String
    private let draft: String
    private var descriptor: Int32

    init(path: String) throws(ZipError) {
        self.path = path
        draft = "\(path).\(UUID().uuidString)"
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .system(reason: "\(path) cannot be written: \(ZipSource.systemError)")
        }
    }

    /// A draft that got no name is removed.
    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(draft)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let base = UnsafeRawBufferPointer(rebasing: rest)
            #if canImport(Darwin)
            let count = Darwin.write(descriptor, base.baseAddress, base.count)
            #elseif canImport(Glibc)
            let count = Glibc.write(descriptor, base.baseAddress, base.count)
            #else
            let count = Musl.write(descriptor, base.baseAddress, base.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .system(reason: "\(path) cannot be written: \(ZipSource.systemError)")
            }
            rest = rest.dropFirst(count)
        }
    }

    func commit() throws(ZipError) {
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
            throw .system(reason: "\(path) cannot be written: \(ZipSource.systemError)")
        }
        close(descriptor)
        descriptor = -1
        // The name is on the disk when the folder is, where the system lets one ask for that.
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL else {
            throw .system(reason: "\(path) cannot be written: \(ZipSource.systemError)")
        }
    }
}
