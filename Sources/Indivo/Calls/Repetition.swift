import HTTPTypes

/// Whether a call may be sent again when nobody knows what became of it.
enum Repetition: Sendable, Hashable {
    /// It may have been done, and would be done twice.
    case never
    /// It only reads, or sets what it sets however often it is sent.
    case freely
    /// It stores a document under an external id: a second sending would be refused if the first arrived, so the
    /// library looks first.
    case afterLookingUp

    init(of call: IndivoCall) {
        let isByExternalID = call.path.contains("/external/")
        switch call.method {
        case .get: self = .freely
        case .put where isByExternalID:
            let isStoredOnce =
                call.path.hasPrefix("/records/") && call.path.contains("/documents/")
                && !call.path.contains("/apps/") && !call.path.hasSuffix("/label")
            self = isStoredOnce ? .afterLookingUp : .freely
        default: self = .never
        }
    }
}
