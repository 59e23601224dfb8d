import Foundation
import libxml2

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a document of any size, one wanted element after the other.
///
/// ```swift
/// for try await report in XMLReader(bytes, elements: "Report") {
///     print(report.child(named: "Meta")?.text() ?? "")
/// }
/// ```
///
/// Each element comes complete, with everything below it, in a document of its own. The rest of the document
/// is discarded, so that memory is bounded by the largest element. A wanted element inside another wanted one
/// is part of that one. An error in the document is thrown when it is reached.
///
/// The limits of the options hold. To read more than 512 MB set `limits.inputBytes`.
public struct XMLReader<Source: AsyncSequence>: AsyncSequence {
    public typealias Element = XMLNode

    fileprivate let source: Source
    fileprivate let elements: [String]
    fileprivate let options: XMLParseOptions
    fileprivate let append: (Source.Element, inout [UInt8]) -> Void

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Gives one wanted element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        /// Bytes are handed to the parser in pieces of about this size.
        private static var pieceSize: Int { 16_384 }

        private let reader: XMLReader
        private var base: Source.AsyncIterator
        private var parser: PushParser?
        private var ready: ArraySlice<XMLNode> = []
        private var isOver = false

        fileprivate init(_ reader: XMLReader) {
            self.reader = reader
            base = reader.source.makeAsyncIterator()
        }

        /// The next element; nil at the end of the document. It comes on the caller's actor.
        ///
        /// - Throws: `XMLError`, and what the source throws.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> XMLNode? {
            while ready.isEmpty, !isOver {
                // It stays over if anything throws.
                isOver = true
                let parser = try parser ?? PushParser(elements: reader.elements, options: reader.options)
                self.parser = parser
                var piece: [UInt8] = []
                while piece.count < Iterator.pieceSize, let part = try await base.next(isolation: actor) {
                    reader.append(part, &piece)
                }
                let isLast = piece.count < Iterator.pieceSize
                ready = try piece.withUnsafeBufferPointer { try parser.feed($0, isLast: isLast) }[...]
                isOver = isLast
            }
            return ready.popFirst()
        }
    }
}

extension XMLReader {
    /// A reader of single bytes, such as those of a URL session or a file handle.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(_ bytes: Source, elements: String..., options: XMLParseOptions = .init())
    where Source.Element == UInt8 {
        self.init(source: bytes, elements: elements, options: options) { $1.append($0) }
    }

    /// A reader of pieces, such as the `Data` a transport delivers.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(chunks: Source, elements: String..., options: XMLParseOptions = .init())
    where Source.Element: Sequence<UInt8> {
        self.init(source: chunks, elements: elements, options: options) { $1.append(contentsOf: $0) }
    }
}

extension XMLReader where Source == XMLFileChunks {
    /// A reader of a file.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(contentsOf file: URL, elements: String..., options: XMLParseOptions = .init()) {
        self.init(source: XMLFileChunks(path: file.path), elements: elements, options: options) {
            $1.append(contentsOf: $0)
        }
    }
}

/// The bytes of a file, in pieces, as `XMLReader` reads them.
public struct XMLFileChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    fileprivate let path: String

    public func makeAsyncIterator() -> Iterator { Iterator(path: path) }

    /// Gives one piece after the other. The file is opened when it is first read, and closed when nobody
    /// reads it any more.
    public final class Iterator: AsyncIteratorProtocol {
        private let path: String
        private var handle: UnsafeMutablePointer<FILE>?

        fileprivate init(path: String) { self.path = path }

        deinit { if let handle { fclose(handle) } }

        /// The next piece; nil at the end of the file.
        ///
        /// - Throws: `XMLError` of kind `file`.
        public func next() async throws -> [UInt8]? {
            handle = handle ?? fopen(path, "rb")
            guard let handle else { throw error("opened") }
            let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, handle)
            }
            if piece.isEmpty, ferror(handle) != 0 { throw error("read") }
            return piece.isEmpty ? nil : piece
        }

        private func error(_ what: String) -> XMLError {
            XMLError(
                .file,
                message: "the file \(path) cannot be \(what): \(String(cString: strerror(errno)))"
            )
        }
    }
}
