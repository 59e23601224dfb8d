/// Whether a call may be sent again when nobody knows what became of it.
enum Repetition: Sendable, Hashable {
    /// It may have been done, and would be done twice.
    case never
    /// It only reads, or sets what it sets however often it is sent.
    case freely
    /// It stores a document under an external id: a second sending would be refused if the first arrived, so the
    /// library looks first.
    case afterLookingUp

    init(of call: IndivoCall) { self = call.repetition }
}
