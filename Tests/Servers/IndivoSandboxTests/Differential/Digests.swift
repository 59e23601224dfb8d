import Foundation
import IndivoBase
import IndivoModel
import IndivoSandbox

/// The digests by which documents are told.
enum Digests {
    static func sha256(_ data: Data) -> String { DocumentDigest.sha256.hex(of: data) }
    static func sha1(_ data: Data) -> String { DocumentDigest.sha1.hex(of: data) }
}
