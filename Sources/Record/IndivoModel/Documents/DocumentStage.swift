import Foundation

/// How far a document has come on its way from the app that made it to the record that keeps it. Every
/// document is in one of these states, and only the client and the outbox move it from one to another:
///
/// - `inNoRecord` → `beingSent` → `inRecord`: a call that stores it
/// - `beingSent` → `unconfirmed`: its outcome is not known; the next such call begins here and finds it out
/// - `beingSent` → `queued` → `inRecord`: the outbox takes it, and delivers it later
/// - `beingSent` → what it was before: the call failed
package enum DocumentStage: Sendable {
    /// In no record that is known: it is new, was read from a file, or came through a carenet alone.
    case inNoRecord
    /// In a record, under the document's id.
    case inRecord(any RecordReference)
    /// A call that stores or queues it is under way, and no other may begin.
    indirect case beingSent(from: DocumentStage)
    /// It was sent, and whether the server has stored it is not known.
    indirect case unconfirmed(SentWrite, from: DocumentStage)
    /// It is to be sent by the outbox in a folder, as an item of it.
    indirect case queued(item: String, outbox: URL)

    /// The record that has the document, or a version before it.
    package var record: (any RecordReference)? {
        switch self {
        case .inRecord(let record): record
        case .beingSent(let before), .unconfirmed(_, let before): before.record
        case .inNoRecord, .queued: nil
        }
    }
}

/// The client's object for a record; the model knows no more of it than its id.
package protocol RecordReference: AnyObject, Sendable {
    var id: String { get }
}

/// A write that was sent; whether the server has done it is not known.
package struct SentWrite: Sendable {
    /// The record's id.
    package let record: String
    /// The server's name for the call.
    package let call: String
    /// The values of the path's variables, without those that the record gives.
    package let path: [String: String]
    /// The id under which it was sent.
    package let externalID: String
    /// The contents that may be stored, the latest last. A change between two attempts adds another.
    package private(set) var contents: [Data]

    package init(_ content: Data, record: String, call: String, path: [String: String], externalID: String) {
        self.record = record
        self.call = call
        self.path = path
        self.externalID = externalID
        contents = [content]
    }

    /// The same, after another attempt with an unknown outcome.
    package func adding(_ content: Data) -> SentWrite {
        var write = self
        write.contents = contents.filter { $0 != content } + [content]
        return write
    }
}
