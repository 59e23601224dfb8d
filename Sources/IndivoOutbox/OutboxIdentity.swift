#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Indivo
import URLCoding

/// Whose outbox it is: of a server, an app and a record.
struct OutboxIdentity: Sendable, Hashable {
    /// All spellings of one address give one text.
    let text: String

    init(of record: IndivoRecord) {
        text = [record.server.normalizedAPI, record.server.app.id, record.id].joined(separator: "\n")
    }

    /// What the outbox's folder is called: a digest, since the ids say whose it is.
    var folderName: String { Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)).prefix(16)) }
}
