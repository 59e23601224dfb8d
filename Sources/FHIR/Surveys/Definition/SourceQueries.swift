import FHIR
import OrderedJSON

/// Searches that a questionnaire has as a contained batch, and the variable that has their results.
/// (SDC `sourceQueries`)
struct SourceQueries: Sendable {
    /// The id of the batch, by which expressions refer to the bundle of the results.
    let name: String
    /// The searches in the order of the entries; nil for an entry that is not a search, whose result is
    /// empty.
    let queries: [SurveyExpression?]

    /// All variables that the searches refer to.
    var variables: Set<String> { queries.reduce(into: []) { $0.formUnion($1?.reads.variables ?? []) } }
}
