import Foundation
import HTTPCalls
import OrderedJSON
import StudyFormats

/// How a submission is protected for the study, in addition to the connection's TLS.
///
/// ```swift
/// try await queue.submit(archive, protection: .cms(CMSEncryption(for: [certificate])))
/// try await queue.submit(patient, protection: .c3ProEnvelope(for: certificate, keyID: nil))
/// ```
public enum StudyProtection: Sendable {
    /// By the connection alone. On the disk the queue's own key protects it.
    case none
    /// A package as a CMS message, as receivers of ResearchKit's form take it.
    case cms(CMSEncryption)
    /// A resource in an envelope of C3-PRO.
    ///
    /// - keyID: Which of the study's keys it is; `nil` where the study has only one.
    /// - version: The FHIR version, as the study's server wants it.
    case c3ProEnvelope(
        for: StudyCertificate,
        keyID: KeyID?,
        version: String = "4.0.1",
        form: C3ProEnvelope.Form = .first
    )

    /// A protection without its keys, as a submission has it and endpoints look at it.
    enum Kind: String, Codable {
        /// By the connection alone.
        case none
        /// A CMS message.
        case cms
        case c3ProEnvelope
    }

    /// The protection without its keys.
    var kind: Kind {
        switch self {
        case .none: .none
        case .cms: .cms
        case .c3ProEnvelope: .c3ProEnvelope
        }
    }

    /// The bytes to deliver of a package.
    ///
    /// - Parameter folder: Where there is room for a file without a name; the system's temporary folder
    ///   unless given. What is not encrypted for the study is encrypted on the disk all the same.
    /// - Throws: ``/StudyFormats/StudyError``; what `content` throws.
    func package(
        in folder: URL? = nil,
        _ content: (_ write: @escaping (Data) throws -> Void) throws -> Void
    ) throws -> BodySource {
        switch self {
        case .none:
            let scratch = try ScratchFile(in: folder, isSealed: true)
            try content { try scratch.append($0) }
            return scratch.source
        case .cms(let encryption): return try encryption.encrypt(in: folder, content)
        case .c3ProEnvelope:
            throw StudyError.badInput(
                reason: "an envelope of C3-PRO has one resource, not a package; protect packages by .cms"
            )
        }
    }

    /// The bytes to deliver of a resource.
    ///
    /// - Throws: ``/StudyFormats/StudyError``.
    func resource(_ resource: Data, _ json: JSONValue) throws -> Data {
        switch self {
        case .none: return resource
        case .c3ProEnvelope(let certificate, let keyID, let version, let form):
            return try C3ProEnvelope(
                sealing: resource,
                json,
                for: certificate,
                keyID: keyID,
                version: version,
                form: form
            ).data
        case .cms:
            throw StudyError.badInput(
                reason:
                    """
                    a CMS message has a package, not a resource; add the resource to an archive, \
                    or protect it by .c3ProEnvelope
                    """
            )
        }
    }
}
