import Crypto
import CryptoExtras
import Foundation
import HTTPCalls
import IndivoBase

/// A file without a name, readable by this process alone: what is in it is gone when the process ends,
/// however it ends.
package final class ScratchFile: Sendable {
    private let descriptor: Int32
    /// Under which the disk has what is written; a new one, which nobody else ever has.
    private let key: SymmetricKey?

    /// - Parameters:
    ///   - folder: Where there is room for it; the system's temporary folder unless given.
    ///   - isSealed: Whether it is encrypted on the disk. One that others are to open by its ``path`` is not.
    package init(in folder: URL? = nil, isSealed: Bool = false) throws(StudyError) {
        key = isSealed ? SymmetricKey(size: .bits256) : nil
        let folder = folder ?? FileManager.default.temporaryDirectory
        let path = folder.appending(path: ".new-\(UUID().uuidString)").filePath
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Self.failure("no scratch file in \(folder.filePath)")
        }
        unlink(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// A name by which this process can open the file.
    var path: String { "/dev/fd/\(descriptor)" }

    /// Writes bytes at the end.
    package func append(_ data: Data) throws(StudyError) {
        let data = try sealed(data, at: Int(lseek(descriptor, 0, SEEK_CUR)))
        var done = 0
        while done < data.count {
            let count = data.withUnsafeBytes { bytes in
                write(
                    descriptor,
                    UnsafeRawBufferPointer(rebasing: bytes[done...]).baseAddress,
                    bytes.count - done
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("the scratch file cannot be written") }
            done += count
        }
    }

    /// What was written up to now.
    package var source: BodySource {
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        return BodySource(size: size) { [self] offset, count in
            var data = Data(count: count)
            var done = 0
            while done < count {
                let number = data.withUnsafeMutableBytes { bytes in
                    pread(
                        descriptor,
                        UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).baseAddress,
                        count - done,
                        off_t(offset + done)
                    )
                }
                if number < 0, errno == EINTR { continue }
                guard number > 0 else { break }
                done += number
            }
            return try sealed(data.prefix(done), at: offset)
        }
    }

    /// Encrypts or decrypts, which in counter mode are one.
    private func sealed(_ data: Data, at offset: Int) throws(StudyError) -> Data {
        guard let key, !data.isEmpty else { return data }
        let (block, skipped) = offset.quotientAndRemainder(dividingBy: 16)
        do {
            let nonce = try AES._CTR.Nonce(
                nonceBytes: Data(count: 8) + withUnsafeBytes(of: UInt64(block).bigEndian) { Data($0) }
            )
            return try AES._CTR.encrypt(Data(count: skipped) + data, using: key, nonce: nonce).dropFirst(
                skipped
            )
        } catch {
            throw .storage(reason: "the scratch file cannot be encrypted: \(error)")
        }
    }

    private static func failure(_ what: String) -> StudyError {
        .storage(reason: "\(what): \(String(cString: strerror(errno)))")
    }
}

extension BodySource {
    /// A plain file. It is opened once: what is read is what was opened, whatever gets its name meanwhile.
    package static func file(_ url: URL) throws(StudyError) -> BodySource { try fileAndTime(url).source }

    /// A plain file, and when it was last changed.
    package static func fileAndTime(_ url: URL) throws(StudyError) -> (
        source: BodySource, modified: StudyTime
    ) {
        let path = url.filePath
        do {
            guard let file = try StoredFile(path, followsLinks: true) else {
                throw StudyError.badInput(reason: "\(path): there is no such file")
            }
            let source = BodySource(size: file.size) { try file.read(at: $0, count: $1) }
            return (source, StudyTime(seconds: file.modifiedSeconds))
        } catch let error as StudyError {
            throw error
        } catch StoredFile.Failure.unreadable(let reason) {
            throw .badInput(reason: "\(path): \(reason)")
        } catch {
            throw .badInput(reason: "\(path): the file cannot be read")
        }
    }
}
