/// Whether a call may be sent again when nobody knows what became of it.
enum Repetition: Sendable, Hashable {
    /// It may have been done, and would be done twice.
    case never
    /// It only reads, or sets what it sets however often it is sent.
    case freely
    /// It stores a document under an external id: a second sending would be refused if the first arrived, so the library
    /// searches for it first.
    case afterLookingUp
    /// It has an id of its own, and a server that has done it refuses to do it again: that refusal is a success.
    case untilRefusedAsDuplicate
}

/// How it is found out whether a server has done what a call asked, where its response does not say so.
enum LookUp: Sendable, Hashable {
    /// By what is stored under an external id, which is used once.
    case stored(IndivoCall)
    /// By what is stored under an external id, which can be overwritten.
    case overwritten(IndivoCall)
    /// By the document's label.
    case label(IndivoCall)
    /// By the changes of the document's status.
    case status(IndivoCall)

    /// The call that finds it out.
    var call: IndivoCall {
        switch self {
        case .stored(let call), .overwritten(let call), .label(let call), .status(let call): call
        }
    }
}

extension IndivoCall {
    /// How it is found out whether the call was done; `nil` where it cannot be found out.
    var lookUp: LookUp? { Self.lookUps[name] }

    private static let lookUps: [String: LookUp] = [
        documentCreateByExternalID.name: .stored(recordDocumentMetaByExternalID),
        documentCreateByRelWithExternalID.name: .stored(recordDocumentMetaByExternalID),
        documentVersionByExternalID.name: .stored(recordDocumentMetaByExternalID),
        recordAppDocumentCreateOrUpdateByExternalID.name: .overwritten(recordAppDocumentMetaByExternalID),
        appDocumentCreateOrUpdateByExternalID.name: .overwritten(appDocumentMetaByExternalID),
        recordDocumentLabel.name: .label(recordDocumentMeta),
        recordDocumentLabelByExternalID.name: .label(recordDocumentMetaByExternalID),
        recordAppDocumentLabel.name: .label(recordAppDocumentMeta),
        appDocumentLabel.name: .label(appDocumentMeta),
        documentSetStatus.name: .status(documentStatusHistory),
    ]
}
