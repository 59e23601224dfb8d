import Foundation
import IndivoBase

/// A document of a health record: typed (``IndivoModel/IndivoDocument``) or plain bytes (``FileDocument``).
///
/// ```swift
/// try await medication.setLabel("at breakfast")
/// try await medication.setStatus(.void, reason: "entered twice")
/// let notes = try await medication.related(as: .annotation)
/// ```
/// Documents are classes, and not `Sendable`: one belongs to the actor that uses it, and its methods run
/// there. An app's own class can be one (<doc:ReadingAndWritingARecord>): its `documentPlace` begins as
/// ``DocumentPlace/init()``, and `contentToStore()` says what is stored.
public protocol RecordDocument: AnyObject {
    /// Where the document is: its record, its id, its metadata. The library sets it before, during and after
    /// each call that stores the document.
    var documentPlace: DocumentPlace { get set }

    /// What is sent when the document is stored.
    /// - Throws: What keeps it from being written.
    func contentToStore() throws -> FileContent

    /// Whether the document is new, or says something else than the server has. Unless a class says it
    /// itself, the content is compared with the digest in the metadata; without one it counts as changed.
    var state: DocumentPlace.State { get }
}

/// Where a document is stored: in no record yet, or in one, with an id and metadata. Only the library changes
/// it.
public struct DocumentPlace: Sendable {
    /// In no record.
    public init() {}

    init(stage: DocumentStage, id: String? = nil, metadata: DocumentMetadata? = nil) {
        self.stage = stage
        self.id = id
        self.metadata = metadata
    }

    /// The record the document is in.
    public var record: IndivoRecord? { stage.record as? IndivoRecord }
    /// Where it is on its way between the app and the record.
    package internal(set) var stage = DocumentStage.inNoRecord
    /// The document's id; `nil` before it is on a server.
    public internal(set) var id: String?
    /// What the server says of it, as of the last call that reported it.
    public internal(set) var metadata: DocumentMetadata?

    /// How a document compares with what the server has.
    public enum State: Sendable, Hashable {
        /// It is on no server yet, as far as is known.
        case new
        /// Its content differs from the server's version.
        case changed
        /// It says what the server has.
        case pushed
    }
}

extension RecordDocument {
    public var state: DocumentPlace.State {
        guard documentPlace.id != nil else { return .new }
        guard let metadata = documentPlace.metadata,
            metadata.digest.flatMap({ DocumentDigest(matchingFormOf: $0) }) != nil,
            let content = try? contentToStore(), metadata.mismatch(with: content.data) == nil
        else { return .changed }
        return .pushed
    }

    /// The record the document is in; `nil` before it was added or fetched.
    public var record: IndivoRecord? { documentPlace.record }

    /// Whether a newer version is known, which has to be fetched before the document can be replaced.
    public var isOutdated: Bool {
        let place = documentPlace
        guard let id = place.id else { return false }
        if let newer = place.metadata?.replacedBy?.id ?? place.metadata?.latest?.id, newer != id {
            return true
        }
        return place.record?.replacedVersions.withLock { $0.contains(id) } ?? false
    }

    /// The record and id of a document that is on a server.
    func stored(for call: IndivoCall) throws -> (IndivoRecord, String) {
        let place = documentPlace
        guard let id = place.id else {
            throw call.refused("the \(kind) is not in a record yet; add it with record.add(_:) first")
        }
        guard let record else {
            throw call.refused("the \(kind) came through a carenet alone; fetch it from its record")
        }
        return (record, id)
    }

    func checkNewest(_ call: IndivoCall) throws {
        try call.require(!isOutdated, "the \(kind) is an old version; fetch the newest and change that")
    }

    /// Why it is not replaced as other documents are; `nil` where it is.
    package var refusalToReplace: String? {
        self is Demographics
            ? """
            demographics are set with setDemographics(_:): a server that has replaced them as any document \
            is fails (500) whenever they are set afterwards
            """ : nil
    }

    /// Checks a document by the rules of its model, and that the model can hold its values.
    /// - Throws: ``IndivoError`` with the problems; in a new version, only with those that the former one
    ///   lacked.
    package func check(
        _ validation: DocumentValidation,
        isNewVersion: Bool = false,
        for call: IndivoCall? = nil
    ) throws(IndivoError) {
        guard validation == .model, let document = self as? IndivoDocument else { return }
        let call = call ?? (isNewVersion ? .documentVersionByExternalID : .documentCreateByExternalID)
        let problems = try call.converting("the \(kind) cannot be written") {
            try isNewVersion ? document.newProblems() : document.problems()
        }
        if problems.isEmpty { return }
        throw IndivoError(.invalidDocument(problems: problems), call: call)
    }

    /// Its name in errors, which contain no ids.
    var kind: String { (self as? IndivoDocument)?.modelName ?? "document" }

    /// Records that the server has the document, under this id and with this metadata, if that is known.
    package func confirm(id: String, metadata: DocumentMetadata? = nil, in record: IndivoRecord) {
        documentPlace = DocumentPlace(stage: .inRecord(record), id: id, metadata: metadata)
    }
}

extension IndivoDocument: RecordDocument {
    /// Where the document is: its record, its id, its metadata.
    public var documentPlace: DocumentPlace {
        get { DocumentPlace(stage: documentStage, id: id, metadata: metadata) }
        set {
            documentStage = newValue.stage
            id = newValue.id
            metadata = newValue.metadata
        }
    }

    /// The document as XML.
    /// - Throws: `DocumentError` when a value cannot be written.
    public func contentToStore() throws -> FileContent { try FileContent(PreparedDocument(new: self)) }

    /// Whether the document is new, or differs from what was last read from or written to a server.
    public var state: DocumentPlace.State { id == nil ? .new : isChanged ? .changed : .pushed }
}

/// Whether a document is checked before it is sent.
public enum DocumentValidation: Sendable, Hashable {
    /// Checked by the rules of its model: what is required, value sets, units, lengths, also of related
    /// documents. A document that breaks one is not sent, and
    /// ``IndivoError/Reason/invalidDocument(problems:)`` lists all of them.
    ///
    /// In a new version of a document, only problems that the former version did not have count: a document
    /// that another app stored in an unusual form can still be changed and sent back.
    ///
    /// A ``FileDocument`` is sent as it is; `IndivoDocument.problems()` checks a model that it holds.
    case model
    /// Not at all: the server alone decides.
    case none
}

/// The external id under which a document is stored: the app's own, unique within app and record, beside the
/// server's.
///
/// ```swift
/// try await record.add(medication)                                    // .generated
/// try await record.add(medication, externalID: "visit-7")
/// try await record.add(medication, externalID: .chosen(visitID))     // a String known at run time
/// ```
public enum ExternalID: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The library makes one. When the response is lost, it searches by the id, and sends again only what is
    /// not there.
    case generated
    /// The app's own; ASCII without `/?#;`. A lost response is handled as with ``generated``.
    case chosen(String)
    /// None. When the response is lost, nobody knows whether the document was stored, and it is not sent
    /// again.
    case none

    public init(stringLiteral id: String) { self = .chosen(id) }

    /// The app's own.
    var chosen: String? { if case .chosen(let id) = self { id } else { nil } }

    /// An id that was never used: a UUID in the 22 characters of base64url (RFC 4648, section 5), since paths
    /// are bounded.
    static func made() -> String { Base64URL.encode(withUnsafeBytes(of: UUID().uuid) { Data($0) }) }
}
