import FHIR
import OrderedJSON

/// The resources of an exported file: NDJSON, one a line. A piece and a line are in memory, never the file.
public struct BulkResources: AsyncSequence, Sendable {
    public typealias Element = AnyResource

    let pieces: BulkPieces
    let limits: JSONLimits
    let problem: (@Sendable (_ line: Int, _ what: String) -> Void)?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes from line to line.
    public struct Iterator: AsyncIteratorProtocol {
        /// More than any resource has.
        private static let maximumLine = 16 << 20

        private var pieces: BulkPieces.Iterator
        private let resources: BulkResources
        /// What came of the pieces; before `start` it was read.
        private var buffer: [UInt8] = []
        private var start = 0
        /// What of the buffer has no line's end.
        private var searched = 0
        private var line = 0
        private var isFinished = false

        init(_ resources: BulkResources) {
            self.resources = resources
            pieces = resources.pieces.makeAsyncIterator()
        }

        /// The next resource; `nil` at the file's end.
        /// - Throws: ``FHIRClientError``
        public mutating func next() async throws -> AnyResource? {
            while let bytes = try await nextLine() {
                line += 1
                // Blank lines are nothing, as at the end of many files.
                guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
                let what: String
                do throws(JSONError) {
                    let tree = try JSONValue(parsing: bytes, limits: resources.limits)
                    if let resource = AnyResource(tree: tree) { return resource }
                    what = "it is not a resource"
                } catch {
                    what = "it is not JSON: \(error)"
                }
                guard let problem = resources.problem else { throw failure("line \(line): \(what)") }
                problem(line, what)
            }
            return nil
        }

        private mutating func nextLine() async throws -> ArraySlice<UInt8>? {
            while true {
                if let end = buffer[searched...].firstIndex(of: 0x0A) {
                    let bytes = buffer[start..<end]
                    start = end + 1
                    searched = start
                    return bytes
                }
                searched = buffer.count
                guard buffer.count - start <= Self.maximumLine else {
                    throw failure("line \(line + 1) has more than \(Self.maximumLine) bytes")
                }
                guard !isFinished else {
                    guard start < buffer.count else { return nil }
                    let bytes = buffer[start...]
                    start = buffer.count
                    return bytes
                }
                guard let piece = try await pieces.next() else {
                    isFinished = true
                    continue
                }
                buffer.removeFirst(start)
                searched -= start
                start = 0
                buffer += piece
            }
        }

        private func failure(_ what: String) -> FHIRClientError {
            FHIRClientError(
                .malformedResponse(what),
                FHIRRequest("$export-file", .get, ["$export-file"], retry: .freely)
            )
        }
    }
}
