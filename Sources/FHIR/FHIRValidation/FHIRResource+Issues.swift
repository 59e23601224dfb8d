import FHIR
import OrderedJSON

extension FHIRResource {
    /// Validates the resource, and all resources in it, against the definitions of FHIR R4.
    ///
    /// ```swift
    /// for issue in weight.issues() {
    ///     print(issue)  // 3:14: error: Observation.status: the code is not in …
    /// }
    /// ```
    ///
    /// Checked are elements, cardinalities, types and formats, required codes, references, rules (invariants)
    /// and narratives. Profiles, and terminologies outside the specification, are not.
    ///
    /// When the task is cancelled, validation stops with a `fatal` issue.
    ///
    /// - Returns: The issues in the order of the text; none for a valid resource.
    public func issues(_ options: ValidationOptions = ValidationOptions()) -> [ValidationIssue] {
        ValidationIssue.all(of: tree, options)
    }
}

extension ValidationIssue {
    /// The issues of JSON that should be a resource; one `fatal` issue when it is not.
    public static func all(of json: JSONValue, _ options: ValidationOptions = ValidationOptions())
        -> [ValidationIssue]
    {
        var validation = Validation(options)
        return validation.issues(of: json)
    }
}

extension OperationOutcome {
    private static let lineURL: FHIRURI =
        "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-line"
    private static let columnURL: FHIRURI =
        "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-col"

    /// The issues of a validation as an OperationOutcome; without issues it has one informational issue that
    /// says so.
    ///
    /// Lines and columns are in the extensions that FHIR defines for them.
    public init(_ issues: [ValidationIssue]) {
        var found = issues.map { issue in
            var result = Issue(severity: issue.severity, code: issue.code)
            result.details = CodeableConcept(text: issue.text)
            if !issue.expression.isEmpty { result.expression = [issue.expression] }
            if let location = issue.location {
                result.extension = [(Self.lineURL, location.line), (Self.columnURL, location.column)].map {
                    url,
                    number in
                    var part = Extension(url: url)
                    part.value = .integer(number)
                    return part
                }
            }
            return result
        }
        if found.isEmpty {
            var none = Issue(severity: .information, code: .informational)
            none.details = CodeableConcept(text: "no issues")
            found = [none]
        }
        self.init(issue: found)
    }
}
