import Foundation
import IndivoModel

extension DocumentMetadata {
    /// Checks content against the digest and size that the server told of it.
    /// - Throws: ``IndivoError`` when it is not what was stored.
    func verify(_ answer: Answer) throws {
        guard let problem = mismatch(with: answer.body) else { return }
        throw IndivoError.answer("the content is not what was stored: \(problem). Fetch it again.", answer.call)
    }

    /// Checks that the server stored what was sent to it.
    func verify(_ content: FileContent, sentWith call: IndivoCall) throws {
        guard let problem = mismatch(with: content.data) else { return }
        throw IndivoError.answer(
            "the document was stored under the id \(id), but not as it was sent: \(problem). "
                + "Look at what is there before you rely on it.", call)
    }

    private func mismatch(with data: Data) -> String? {
        if let digest, let hash = DocumentDigest(matchingFormOf: digest) {
            let found = hash.hex(of: data)
            if found != digest.lowercased() { return "its digest is \(found), and should be \(digest)" }
        }
        if let size, size != data.count { return "it has \(data.count) bytes, and should have \(size)" }
        return nil
    }
}
