import Foundation
import HTTPCalls
import HTTPTypes

/// The bytes of an exported file, piece by piece.
///
/// Each piece is a request for a range (RFC 9110, section 14) that is retried by itself, so that a connection
/// that breaks costs one piece. A server that gives no ranges sends the whole file at once, which must then
/// fit into the transport's limit.
///
/// The token goes to the client's own server only. A file elsewhere is read without it, and not at all where
/// the manifest says that it needs one.
public struct BulkPieces: AsyncSequence, Sendable {
    public typealias Element = Data

    let client: FHIRClient
    let file: BulkManifest.File
    let needsToken: Bool
    let offset: Int

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes from piece to piece.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pieceLength = 4 << 20

        private let pieces: BulkPieces
        private var offset: Int
        /// What the file was when it was begun; one that changes is not put together of two.
        private var tag: String?
        private var isFinished = false

        init(_ pieces: BulkPieces) {
            self.pieces = pieces
            offset = pieces.offset
        }

        /// The next piece; `nil` at the file's end.
        /// - Throws: ``FHIRClientError``
        public mutating func next() async throws -> Data? {
            guard !isFinished else { return nil }
            var request = FHIRRequest("$export-file", .get, ["$export-file"], retry: .freely)
            request.fields[.accept] = "application/fhir+ndjson"
            request.fields[.range] = "bytes=\(offset)-\(offset + Self.pieceLength - 1)"
            if let tag { request.fields[.ifRange] = tag }
            let answer = try await pieces.answer(to: request)
            let fields = answer.response.headerFields
            switch answer.status {
            case 416:
                // The end was the end of a piece, or the file is empty.
                isFinished = true
                return nil
            case 206:
                guard let range = ContentRange(fields[.contentRange]), range.first == offset,
                    range.length == answer.body.count, range.length > 0
                else { throw Self.malformed("it is another range than was asked for", request) }
                if let known = tag, let now = fields[.eTag], known != now {
                    throw Self.malformed("the file changed while it was read; begin again", request)
                }
                if tag == nil, let given = fields[.eTag], !given.hasPrefix("W/") { tag = given }
                offset += range.length
                isFinished = range.total.map { offset >= $0 } ?? false
            default:
                guard offset == 0 else {
                    throw Self.malformed("the file changed, or cannot be read in parts; begin again", request)
                }
                isFinished = true
            }
            return answer.body
        }

        private static func malformed(_ what: String, _ request: FHIRRequest) -> FHIRClientError {
            FHIRClientError(.malformedResponse(what), request)
        }
    }

    /// `Content-Range: bytes 0-99/1234`, or `/*`.
    private struct ContentRange {
        let first: Int
        let length: Int
        let total: Int?

        init?(_ text: String?) {
            guard let match = text?.wholeMatch(of: /bytes ([0-9]{1,18})-([0-9]{1,18})\/([0-9]{1,18}|\*)/),
                let first = Int(match.1), let last = Int(match.2), first <= last
            else { return nil }
            self.first = first
            length = last - first + 1
            total = Int(match.3)
        }
    }

    private func answer(to request: FHIRRequest) async throws(FHIRClientError) -> HTTPAnswer {
        var request = request
        func isAccepted(_ status: Int) -> Bool { [200, 206, 416].contains(status) }
        if let target = client.address.target(ofLink: file.url.absoluteString) {
            request.link = target
            return try await client.sendRaw(request, isAccepted: isAccepted)
        }
        guard !needsToken else { throw FHIRClientError(.foreignLink, request) }
        // A client of that server, without a token.
        let path = file.url.path(percentEncoded: true)
        let query = file.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        guard let base = URL(string: "/", relativeTo: file.url)?.absoluteURL else {
            throw FHIRClientError(.foreignLink, request)
        }
        let other = try FHIRClient(
            base: base,
            transport: client.engine.transport,
            logger: client.logger,
            options: client.options
        )
        request.link = path + query
        return try await other.sendRaw(request, isAccepted: isAccepted)
    }
}
