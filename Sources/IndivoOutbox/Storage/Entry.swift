import Foundation
import Indivo

/// A queued change, as it is kept: the head of an item's file. The body is the document's content, where there is one.
struct Entry: Codable, Sendable {
    enum Change: String, Codable {
        case add, replace, status, label
        /// A replacement whose content is what changed of a document that was not known whole (`DocumentPatch`).
        case patch
    }

    /// What a change is about, unless it makes a new document.
    enum Target: Codable, Sendable, Hashable {
        /// A document that the server has.
        case document(String)
        /// What another queued change makes.
        case item(OutboxItem.ID)
    }

    let id: OutboxItem.ID
    let change: Change
    var target: Target?
    /// The name of the document's model.
    var model: String?
    var status: String?
    var reason: String?
    var label: String?
    /// Seconds since 1970-01-01T00:00:00Z.
    var queuedAt: Double
    /// Of the document's content.
    var byteCount = 0
    /// The content's type; XML unless it says so.
    var contentType: String?
}

/// How far the delivery of a change has come.
struct Progress: Codable, Sendable {
    /// What the change is signed with; kept so that copies of one sending are one to the server.
    var stamp: SigningStamp?
    /// How many equal changes of status the document had had before this one was sent first.
    var equalChangesBefore: Int?
    /// How often the server failed on this change while it was well otherwise.
    var serverFailures = 0
    /// How often it did not get through while the record could be used otherwise; nothing in files of earlier versions.
    var networkFailures: Int?
    /// Whether it was set aside although it could not be seen whether the server has it; nothing where it could be.
    var isUnsure: Bool?
    /// Why the change was set aside.
    var setAside: String?
}

/// What became of a change.
struct Receipt: Codable, Sendable {
    let entry: Entry
    /// The document that the change made, or was about.
    let document: String
    let deliveredAt: Double
}
