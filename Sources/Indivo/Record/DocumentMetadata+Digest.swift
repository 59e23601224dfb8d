import Foundation
import IndivoModel

extension DocumentMetadata {
    /// Checks content against the digest and size that the server reported.
    /// - Throws: ``IndivoError`` when it is not what was stored.
    func verify(_ response: CallResponse) throws {
        guard let mismatch = mismatch(with: response.body) else { return }
        throw differs(
            "the content is not what was stored: its \(mismatch.what) differs; fetch it again", response.call, [mismatch.details])
    }

    /// Checks that the server stored what was sent to it.
    func verify(_ content: FileContent, sentWith call: IndivoCall) throws {
        guard let mismatch = mismatch(with: content.data) else { return }
        var error = differs(
            "the document was stored, but not as it was sent: its \(mismatch.what) differs; look at what is there", call,
            ["it was stored under the id \(id)", mismatch.details])
        // It is there: to send it again would store it twice.
        error.isSafeToRetry = false
        throw error
    }

    private func differs(_ what: String, _ call: IndivoCall, _ details: [String]) -> IndivoError {
        var error = IndivoError(.malformedResponse(what), call: call, details: details)
        error.status = 200
        return error
    }

    /// Whether the server says anything of the content by which one can check it.
    var tellsContent: Bool { size != nil || digest.flatMap { DocumentDigest(matchingFormOf: $0) } != nil }

    /// How content differs from what the server says of it, if it does.
    func mismatch(with data: Data) -> (what: String, details: String)? {
        if let digest, let hash = DocumentDigest(matchingFormOf: digest) {
            let found = hash.hex(of: data)
            if found != digest.lowercased() { return ("digest", "the digest is \(found), the server says \(digest)") }
        }
        if let size, size != data.count { return ("size", "there are \(data.count) bytes, the server says \(size)") }
        return nil
    }
}
