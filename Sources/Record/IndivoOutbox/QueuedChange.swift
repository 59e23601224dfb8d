import DurableQueue
import Foundation
import Indivo

/// What a queued change is: the header of its item in the queue. The payload is the document's content, where
/// there is one.
struct QueuedChange: Codable, Sendable {
    enum Kind: String, Codable {
        case add, replace, status, label
        /// A replacement whose content is what changed of a document that was not known whole
        /// (`DocumentPatch`).
        case patch
    }

    var kind: Kind
    /// The document on the server that the change is about; `nil` for a new one, and for what another item
    /// makes.
    var document: String?
    /// The name of the document's model.
    var model: String?
    var status: String?
    var reason: String?
    var label: String?
    /// The content's type; XML unless it says so.
    var contentType: String?
    /// The digests of what may be stored under the item's id already, of a document that was sent before it
    /// was queued.
    var sentBefore: [String]?

    var documentStatus: DocumentStatus { DocumentStatus(rawValue: status ?? "") ?? .active }
}

/// What delivering a change has to know when it is tried again: the notes of its item in the queue.
struct DeliveryNotes: Codable, Sendable {
    /// What the change is signed with; kept so that copies of one sending are one to the server.
    var stamp: SigningStamp?
    /// How many equal changes of status the document had had before this one was sent first.
    var equalChangesBefore: Int?
    /// The label that the document had before this one was sent first.
    var labelBefore: String?
    /// Whether neither of the two could be read.
    var isBlind = false
    /// How often the server failed on this change while it was well otherwise.
    var serverFailures = 0
    /// How often it did not get through while the record could be used otherwise.
    var networkFailures = 0
    /// Whether it was given up although it could not be seen whether the server has it.
    var isUnsure = false

    /// The notes that were kept; what cannot be read is as if there had been none.
    init(_ data: Data? = nil) {
        if let data, let kept = try? JSONDecoder().decode(Self.self, from: data) { self = kept }
    }

    func data() throws -> Data { try JSONEncoder().encode(self) }

    /// The notes of a change that is tried again because the app says so.
    ///
    /// Unless nobody knows, the change is known not to be made. What was kept to find it by would find an
    /// equal change made since, too.
    var retried: DeliveryNotes {
        var notes = DeliveryNotes()
        if isUnsure {
            notes.stamp = stamp
            notes.equalChangesBefore = equalChangesBefore
            notes.labelBefore = labelBefore
        }
        return notes
    }
}
