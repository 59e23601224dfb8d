import Foundation
import IndivoModel
import IndivoSandbox

/// The digests by which documents are told.
enum Digests {
    static func sha256(_ data: Data) -> String { DocumentDigest.text(data) }
    static func sha1(_ data: Data) -> String { DocumentDigest.binary(data) }
}
