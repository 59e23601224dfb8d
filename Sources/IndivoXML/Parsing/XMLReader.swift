#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a document of any size, one wanted element after the other.
///
/// ```swift
/// for try await report in XMLReader(bytes, elements: "Report") {
///     print(report.child(named: "Meta")?.text() ?? "")
/// }
/// ```
///
/// Each element comes complete, with all below it, in a document of its own; of the rest of the document nothing is
/// kept, so that memory is bounded by the largest element. A wanted element inside a wanted one is part of that one.
/// An error in the document is thrown when it is reached.
///
/// The limits of the options hold. To read more than 512 MB set `limits.inputBytes`.
public struct XMLReader<Source: AsyncSequence>: AsyncSequence {
    public typealias Element = XMLNode

    private let source: Source
    private let elements: [String]
    private let options: XMLParseOptions
    private let append: (Source.Element, inout [UInt8]) -> Void

    /// A reader of single bytes, such as those of a URL session or a file handle.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(_ bytes: Source, elements: String..., options: XMLParseOptions = .init()) where Source.Element == UInt8 {
        source = bytes
        self.elements = elements
        self.options = options
        append = { $1.append($0) }
    }

    /// A reader of pieces, such as the `Data` a transport delivers.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(chunks: Source, elements: String..., options: XMLParseOptions = .init()) where Source.Element: Sequence<UInt8> {
        source = chunks
        self.elements = elements
        self.options = options
        append = { $1.append(contentsOf: $0) }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(base: source.makeAsyncIterator(), elements: elements, options: options, append: append)
    }

    /// Gives one wanted element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        /// Bytes are handed to the parser in pieces of about this size.
        private static var pieceSize: Int { 16_384 }

        private var base: Source.AsyncIterator
        private let elements: [String]
        private let options: XMLParseOptions
        private let append: (Source.Element, inout [UInt8]) -> Void
        private var parser: PushParser?
        private var ready: ArraySlice<XMLNode> = []
        private var isOver = false

        init(
            base: Source.AsyncIterator, elements: [String], options: XMLParseOptions,
            append: @escaping (Source.Element, inout [UInt8]) -> Void
        ) {
            self.base = base
            self.elements = elements
            self.options = options
            self.append = append
        }

        /// The next element; nil at the end of the document.
        ///
        /// - Throws: `XMLError`, and what the source throws.
        public mutating func next() async throws -> XMLNode? { try await next(isolation: nil) }

        /// The next element; nil at the end of the document. It comes on the caller's actor.
        ///
        /// - Throws: `XMLError`, and what the source throws.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> XMLNode? {
            while true {
                if let node = ready.popFirst() { return node }
                if isOver { return nil }
                do {
                    ready = try await more(isolation: actor)[...]
                } catch {
                    isOver = true
                    throw error
                }
            }
        }

        private mutating func more(isolation actor: isolated (any Actor)?) async throws -> [XMLNode] {
            let parser = try self.parser ?? PushParser(elements: elements, options: options)
            self.parser = parser
            var piece: [UInt8] = []
            while piece.count < Iterator.pieceSize {
                guard let part = try await base.next(isolation: actor) else {
                    isOver = true
                    break
                }
                append(part, &piece)
            }
            let completed = try piece.withUnsafeBufferPointer { $0.isEmpty ? [] : try parser.feed($0) }
            return isOver ? completed + (try parser.finish()) : completed
        }
    }
}

extension XMLReader where Source == XMLFileChunks {
    /// A reader of a file.
    ///
    /// - Parameter elements: The local names of the wanted elements.
    public init(contentsOf file: URL, elements: String..., options: XMLParseOptions = .init()) {
        source = XMLFileChunks(file)
        self.elements = elements
        self.options = options
        append = { $1.append(contentsOf: $0) }
    }
}

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
