/// A place in a document from which fields are read: what the formats have in common.
///
/// A format subclasses it and says how text, compounds and related documents are found there; the values
/// (``LexicalValue``, ``CompoundValue``, ``IndivoDocument``) ask for what they are.
public class FieldReader {
    /// The model or class being read, for messages.
    let documentName: String
    /// The properties entered so far, outermost first.
    private var path: [FieldLayout] = []

    /// Where problems are put instead of being thrown, when reading is to go on behind them.
    let problems: ReadingProblems?

    init(documentName: String, problems: ReadingProblems?) {
        self.documentName = documentName
        self.problems = problems
    }

    /// Notes what is wrong with a value, or throws it where nobody collects problems.
    final func report(_ error: DocumentError) throws {
        guard let problems else { throw error }
        problems.all.append(error)
    }

    /// Whether leaves follow the rules of data models (``LexicalValue/fromField(_:)``).
    var readsDataModels: Bool { false }

    /// The field's text; `nil` when there is none.
    func text(of field: FieldLayout) throws -> FieldText? { nil }

    /// Whether the field is there at all, if only empty.
    func isPresent(_ field: FieldLayout) -> Bool { false }

    /// Goes into a compound; `false`, having gone nowhere, when it is not there.
    func enter(_ field: FieldLayout, _ layout: Layout) throws -> Bool { false }

    /// Comes back out of a compound.
    func leave(_ field: FieldLayout) { path.removeLast() }

    /// Calls `body` at each of the field's values.
    func eachItem(of field: FieldLayout, _ body: () throws -> Void) throws {}

    /// The element of the related document at this place.
    func related(_ field: FieldLayout, _ type: IndivoDocument.Type) throws -> IndivoDocument? { nil }

    /// Where in the source the field stands, as far as that is known.
    func line(of field: FieldLayout) -> Int? { nil }

    /// Comes back out of everything, if an error ended reading somewhere inside.
    final func leaveAll() { if !path.isEmpty { path.removeAll() } }

    final func enterPath(_ field: FieldLayout) { path.append(field) }

    final func failure(_ field: FieldLayout, text: String, _ error: LexicalError) -> DocumentError {
        DocumentError(
            .unreadableValue(text: text, error), document: documentName, property: propertyPath(field),
            line: line(of: field))
    }

    final func missing(_ field: FieldLayout) -> DocumentError {
        DocumentError(.missingValue, document: documentName, property: propertyPath(field), line: line(of: field))
    }

    final func propertyPath(_ field: FieldLayout) -> String { (path + [field]).map(\.property).joined(separator: ".") }
}
