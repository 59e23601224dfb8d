import IndivoModel

/// Whether a document is checked before it is sent.
public enum DocumentValidation: Sendable, Hashable {
    /// Checked by the rules of its model: what is required, value sets, units, lengths, also of related documents. A document
    /// that breaks one is not sent, and ``IndivoError/Reason/invalidDocument(problems:)`` lists all of them.
    ///
    /// For a new version of a document, only problems count that the version that was read did not have: a document that
    /// another app stored in an unusual form can still be changed and sent back.
    ///
    /// A ``FileDocument`` is sent as it is; `IndivoDocument.problems()` checks a model that it holds.
    case model
    /// Not at all: the server alone decides.
    case none
}

extension RecordDocument {
    /// - Parameter isNewVersion: Whether the server has the version that the document was read from.
    /// - Throws: ``IndivoError`` with everything that breaks a rule of the model; `DocumentError` when the document holds
    ///   what its model cannot.
    package func check(_ validation: DocumentValidation, isNewVersion: Bool = false) throws {
        guard validation == .model, let document = self as? IndivoDocument else { return }
        let problems = try isNewVersion ? document.newProblems() : document.problems()
        guard problems.isEmpty else {
            let call: IndivoCall = isNewVersion ? .documentVersionByExternalID : .documentCreateByExternalID
            throw IndivoError(.invalidDocument(problems: problems), call: call)
        }
    }
}
