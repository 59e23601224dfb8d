import FHIR
import FHIRValidation
import OrderedJSON

/// Whatever the JSON: its issues have locations in the text, are the same for the text in another layout, say
/// nothing of values, and make a valid OperationOutcome. Limits end validation with a fatal issue.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let json = try? JSONValue(parsing: bytes) else { return 0 }
    var options = ValidationOptions()
    options.maximumSteps = 500_000
    let issues = ValidationIssue.all(of: json, options)
    for issue in issues {
        if issue.text.isEmpty { fatalError("an issue says nothing") }
        guard let location = issue.location else {
            guard issue.severity == .information else { fatalError("an issue is nowhere") }
            continue
        }
        guard bytes.indices.contains(location.offset) else { fatalError("an issue outside the text") }
    }
    if issues.compactMap(\.location) != issues.compactMap(\.location).sorted() { fatalError("not in order") }

    guard let pretty = try? JSONValue(parsing: json.utf8(.pretty)) else {
        fatalError("what was written cannot be parsed")
    }
    let again = ValidationIssue.all(of: pretty, options)
    guard again.map(Content.init) == issues.map(Content.init) else {
        fatalError("the layout changes the issues")
    }

    let outcome = OperationOutcome(issues)
    if outcome.issues().contains(where: \.isError) { fatalError("the outcome is invalid") }

    options.maximumIssues = 1
    options.maximumDepth = 8
    let few = ValidationIssue.all(of: json, options)
    if few.count > 5 { fatalError("more issues than the limit") }
    if few.contains(where: \.isError) != issues.contains(where: \.isError),
        !few.contains(where: { $0.severity == .fatal })
    {
        fatalError("a limit hides an error")
    }
    return 0
}

/// An issue without its location.
private struct Content: Equatable {
    let issue: [String]

    init(_ issue: ValidationIssue) {
        self.issue = [issue.severity.code, issue.code.code, issue.expression, issue.rule ?? "", issue.text]
    }
}
