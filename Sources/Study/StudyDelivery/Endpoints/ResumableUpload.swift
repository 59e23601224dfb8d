import Crypto
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import StudyFormats

/// An upload that continues where it broke off, after the IETF's draft of resumable uploads for HTTP.
///
/// A HEAD request asks how much of the upload the server has. It responds with `Upload-Complete: ?1`, or
/// `Upload-Offset: N` for N bytes from the start, or 404 for nothing. Then a PATCH brings the rest, or a POST
/// the whole. All of them name the upload by its id, and the bytes by `Repr-Digest` (RFC 9530): the same
/// content is encrypted anew when it is submitted anew, and bytes of one encryption do not continue those of
/// another.
struct ResumableUpload {
    let engine: CallEngine
    let address: StudyAddress
    let fields: [(HTTPField.Name, String)]

    /// A smaller body costs no more than to ask.
    static let smallest = 1 << 20

    static let offset = HTTPField.Name("Upload-Offset")!  // A constant that is a token.
    static let complete = HTTPField.Name("Upload-Complete")!  // A constant that is a token.
    static let digest = HTTPField.Name("Repr-Digest")!  // A constant that is a token.

    private enum Progress {
        case nothing
        case bytes(Int)
        case everything
        case response(StudyResponse)
    }

    func send(_ body: BodySource) async throws -> StudyResponse {
        let digest = (Self.digest, "sha-256=:\(try Self.hash(of: body).base64EncodedString()):")
        switch try await progress(digest, size: body.size) {
        case .everything: return .accepted
        case .response(let response): return response
        case .nothing:
            let request = address.request(.post, "", fields + [digest, (Self.complete, "?1")])
            return StudyResponse(status: try await send(request, .upload(body)).status.code)
        case .bytes(let offset):
            let partial = [
                (HTTPField.Name.contentType, "application/partial-upload"), (Self.offset, "\(offset)"),
            ]
            let request = address.request(.patch, "", fields + [digest, (Self.complete, "?1")] + partial)
            let rest = BodySource(size: body.size - offset) { try body.read(at: offset + $0, count: $1) }
            let status = try await send(request, .upload(rest)).status.code
            // What the server has is not what it said: the next attempt asks again.
            guard status != 409 else {
                return .failed(reason: "the server does not have the \(offset) bytes that it reported")
            }
            return StudyResponse(status: status)
        }
    }

    private func send(_ request: HTTPRequest, _ body: CallEngine.Body) async throws -> HTTPResponse {
        try await engine.transfer(body) { request }.response
    }

    private func progress(_ digest: (HTTPField.Name, String), size: Int) async throws -> Progress {
        let response = try await send(address.request(.head, "", fields + [digest]), .data(nil))
        switch response.status.code {
        case 200..<300: break
        // Nothing of it is there, or the server knows no such request.
        case 400, 404, 405, 410, 501: return .nothing
        default: return .response(StudyResponse(status: response.status.code))
        }
        if response.headerFields[Self.complete] == "?1" { return .everything }
        guard let text = response.headerFields[Self.offset], text.isASCIIDigits,
            let offset = Int(text), 0 < offset, offset <= size
        else { return .nothing }
        return .bytes(offset)
    }

    private static func hash(of body: BodySource) throws -> Data {
        var hash = SHA256()
        try body.forEachPiece { hash.update(data: $0) }
        return Data(hash.finalize())
    }
}
