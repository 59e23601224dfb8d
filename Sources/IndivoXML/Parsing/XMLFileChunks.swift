#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bytes of a file, in pieces, as `XMLReader` reads them.
public struct XMLFileChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private let path: String

    init(_ file: URL) { path = file.path }

    public func makeAsyncIterator() -> Iterator { Iterator(path: path) }

    /// Gives one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let path: String
        private var file: OpenFile?

        init(path: String) { self.path = path }

        /// The next piece; nil at the end of the file.
        ///
        /// - Throws: `XMLError` of kind `file`.
        public mutating func next() async throws -> [UInt8]? {
            let file = try self.file ?? OpenFile(path: path)
            self.file = file
            return try file.read()
        }
    }

    /// A file that is closed when nobody reads it any more.
    private final class OpenFile {
        private let handle: UnsafeMutablePointer<FILE>
        private let path: String

        init(path: String) throws {
            guard let handle = fopen(path, "rb") else {
                throw XMLError(.file, message: "the file \(path) cannot be opened: \(String(cString: strerror(errno)))")
            }
            self.handle = handle
            self.path = path
        }

        deinit { fclose(handle) }

        func read() throws -> [UInt8]? {
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, handle)
            }
            if !piece.isEmpty { return piece }
            if ferror(handle) != 0 {
                throw XMLError(.file, message: "the file \(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            return nil
        }
    }
}
