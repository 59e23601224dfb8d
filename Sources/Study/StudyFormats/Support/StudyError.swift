/// Why a package cannot be made or read. The descriptions never quote content or keys.
public enum StudyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The data that is read is not of its format.
    ///
    /// - offset: In bytes from its start, where that is known.
    case malformed(format: String, offset: Int?, reason: String)
    /// Something that the format allows, and that is not read here.
    case unsupported(format: String, reason: String)
    /// More than the limits allow.
    case tooLarge(what: String, limit: Int)
    /// The content could not be decrypted: the key is another's, or bytes were changed. The error does not
    /// report which of the two, or what exactly failed, since that would help to decrypt without the key.
    case wrongKeyOrDamaged
    /// The message is for other recipients.
    case notForThisKey(recipients: [String])
    /// A key, or a file of one, that cannot be used.
    case unusableKey(reason: String)
    /// A proof that does not prove what it should: its signature, its chain of certificates or its content
    /// is another's.
    case notGenuine(what: String, reason: String)
    /// A certificate that cannot be used, with the problems found.
    case unusableCertificate(subject: String, reason: String)
    /// A name that no file of an archive should have.
    case badName(name: String, reason: String)
    /// The data to pack or send is not valid.
    case badInput(reason: String)
    /// Reading or writing the disk failed.
    case storage(reason: String)

    public var description: String {
        switch self {
        case .malformed(let format, let offset, let reason):
            "this is not a valid \(format)" + (offset.map { ", at byte \($0)" } ?? "") + ": \(reason)"
        case .unsupported(let format, let reason): "this \(format) cannot be read: \(reason)"
        case .tooLarge(let what, let limit): "\(what): more than the limit, \(limit)"
        case .wrongKeyOrDamaged: "it cannot be decrypted: wrong key or damaged"
        case .notForThisKey(let recipients):
            "it is not encrypted for this key; its recipients are \(recipients.joined(separator: "; "))"
        case .unusableKey(let reason): "the key cannot be used: \(reason)"
        case .notGenuine(let what, let reason): "\(what) proves nothing: \(reason)"
        case .unusableCertificate(let subject, let reason):
            "the certificate “\(subject)” cannot be used: \(reason)"
        case .badName(let name, let reason): "the name \(name.debugDescription) is refused: \(reason)"
        case .badInput(let reason): reason
        case .storage(let reason): reason
        }
    }

    /// What an error becomes that came of the content of a message which nothing authenticates.
    ///
    /// A wrong key, a wrong padding and a wrong content are one error: whoever changes blocks of somebody's
    /// message and sees which of them it was can decrypt the message without the key.
    var unauthenticated: StudyError {
        if case .storage = self { self } else { .wrongKeyOrDamaged }
    }
}
