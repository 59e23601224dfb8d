/// Why something of a study cannot be made, read or done. The descriptions never quote content or keys.
public enum StudyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The data that is read is not of its format.
    ///
    /// - offset: In bytes from its start, where that is known.
    case malformed(format: String, offset: Int? = nil, reason: String)
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
    /// The participant is not, or no longer, enrolled in the study.
    case notEnrolled
    /// What is stored of participants has a form that this version does not read.
    case otherVersion
    /// The form of a signed consent cannot be made: a trait is missing, or the library that sets text fails.
    case formUnavailable(reason: String)
    /// A delivery ended before everything was tried: the next submission needs more bytes than the budget has
    /// left. Where `left` is `nil`, the app allows nothing now.
    case outOfBudget(needed: Int, left: Int?)

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
        case .notEnrolled: "the participant is not enrolled in the study any more; enrol again to take part"
        case .otherVersion: "the store of participants was written by another version; update the app"
        case .formUnavailable(let reason): "the form cannot be made: \(reason)"
        case .outOfBudget(let needed, let left?):
            "the next submission has \(needed) bytes, and the budget has \(left) left; give a new one"
        case .outOfBudget(_, nil): "nothing may be sent now; deliver again when it may"
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
