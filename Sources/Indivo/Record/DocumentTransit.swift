/// Where a document stands on its way to a server.
enum DocumentTransit: Sendable {
    /// It is not on its way.
    case none
    /// A request is being made that brings it.
    case beingSent
    /// It went out, and whether the server stored it is not known.
    case unresolved(UnresolvedWrite)
}

/// A write of which it is not known whether the server has done it.
struct UnresolvedWrite: Sendable {
    /// The record's id.
    let record: String
    let call: IndivoCall
    /// The values of the path's variables, without those that the record gives.
    let path: [String: String]
    /// The id under which it went out.
    let externalID: ExternalID
    /// What may be stored, the latest last: what changed between two attempts makes another.
    private(set) var contents: [FileContent]

    init(_ content: FileContent, to record: IndivoRecord, _ call: IndivoCall, _ path: [String: String], as id: ExternalID) {
        self.record = record.id
        self.call = call
        self.path = path
        externalID = id.usedBefore
        contents = [content]
    }

    /// Whether a call does what this one did.
    func isSame(as call: IndivoCall, _ path: [String: String], in record: IndivoRecord, externalID: String?) -> Bool {
        self.record == record.id && self.call == call && self.path == path
            && (externalID == nil || externalID == self.externalID.text)
    }

    /// The same, after another attempt of which the same is not known.
    func adding(_ content: FileContent) -> UnresolvedWrite {
        var write = self
        write.contents.removeAll { $0 == content }
        write.contents.append(content)
        return write
    }
}

extension RecordDocument {
    /// The external id under which the document may be stored already: it went out, and nobody knows whether it arrived.
    package var unresolvedExternalID: String? {
        if case .unresolved(let write) = documentPlace.transit { write.externalID.text } else { nil }
    }
}
