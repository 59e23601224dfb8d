/// The extensions that say what a coding, or an option of a questionnaire, counts in a score.
package enum ScoreExtension {
    /// Those of SDC's `ordinal()` and `weight()`, by their URLs.
    package static let urls = [
        "http://hl7.org/fhir/StructureDefinition/ordinalValue",
        "http://hl7.org/fhir/StructureDefinition/itemWeight",
        "http://hl7.org/fhir/StructureDefinition/questionnaire-ordinalValue",
    ]
}
