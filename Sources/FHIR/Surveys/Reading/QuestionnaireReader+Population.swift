import FHIR
import FHIRPathEngine
import OrderedJSON

/// What a questionnaire says about filling it from a record.
extension QuestionnaireReader {
    mutating func readPopulation(_ extensions: ExtensionList, _ item: inout SurveyItem) {
        item.populationContext = extensions.value(ExtensionURL.populationContext)
            .flatMap { expression($0, item) }
        if item.populationContext != nil, !item.isGroup {
            report(
                .warning,
                "contextOfQuestion",
                "Only groups have population contexts; it is ignored.",
                item
            )
            item.populationContext = nil
        }
        item.observationPeriod = readPeriod(extensions, item)
        if item.observationPeriod != nil, item.code.isEmpty, item.source.member("item") == nil {
            report(
                .warning,
                "periodWithoutCode",
                "The item has observationLinkPeriod but no code by which Observations are found.",
                item
            )
        }
    }

    private mutating func readPeriod(_ extensions: ExtensionList, _ item: SurveyItem?) -> FHIRDuration? {
        guard var period = extensions.value(ExtensionURL.observationPeriod) else { return nil }
        // Tools write the number as a string.
        if let text = period["value"]?.string, let number = FHIRDecimal(text) {
            period["value"] = number.tree
        }
        if let duration = FHIRDuration(tree: period), duration.calendarUnit != nil { return duration }
        report(
            .error,
            "malformedPeriod",
            "observationLinkPeriod needs a value and one of the units a, mo, wk, d, h, min of UCUM.",
            item
        )
        return nil
    }

    /// A period counts for all items under it that have none of their own.
    mutating func inheritPeriods(_ root: ExtensionList) {
        let period = readPeriod(root, nil)
        for index in items.indices where items[index].observationPeriod == nil {
            items[index].observationPeriod =
                items[index].parent.map { items[$0].observationPeriod } ?? period
        }
    }

    /// The columns by which candidates are shown.
    mutating func readDisplayPaths(_ extensions: ExtensionList, _ item: SurveyItem) -> [FHIRPath] {
        extensions.all(ExtensionURL.choiceColumn).compactMap { column in
            let parts = ExtensionList(column)
            guard parts.value("forDisplay")?.boolean == true, let text = parts.value("path")?.string else {
                return nil
            }
            do {
                return try FHIRPath(text)
            } catch {
                report(.error, "malformedExpression", "The path of a choiceColumn is wrong: \(error)", item)
                return nil
            }
        }
    }

    /// The searches of a contained batch.
    mutating func readSourceQueries(_ reference: JSONValue) -> SourceQueries? {
        let address = reference.member("reference")?.string ?? ""
        let contained = tree.elements(of: "contained")
        let batch = contained.first {
            address.hasPrefix("#") && $0.member("id")?.string == String(address.dropFirst())
        }
        guard let batch, batch.member("resourceType")?.isString("Bundle") == true else {
            report(
                .warning,
                "sourceQueriesNotFound",
                "sourceQueries refers to no contained Bundle; its variable is empty.",
                nil
            )
            return nil
        }
        let entries = batch.elements(of: "entry")
        let queries = entries.map { entry -> SurveyExpression? in
            let request = entry.member("request")
            guard request?.member("method")?.isString("GET") == true, let url = request?.member("url") else {
                report(
                    .warning,
                    "sourceQueryNotGET",
                    "An entry of sourceQueries is no search; it is empty.",
                    nil
                )
                return nil
            }
            return expression(["language": "application/x-fhir-query", "expression": url], nil)
        }
        return SourceQueries(name: String(address.dropFirst()), queries: queries)
    }
}

extension FHIRDuration {
    /// The word that FHIRPath has for the unit; nil for a unit that is not a length of time.
    var calendarUnit: String? {
        guard value != nil else { return nil }
        switch code ?? unit {
        case "a", "year", "years": return "years"
        case "mo", "month", "months": return "months"
        case "wk", "week", "weeks": return "weeks"
        case "d", "day", "days": return "days"
        case "h", "hour", "hours": return "hours"
        case "min", "minute", "minutes": return "minutes"
        default: return nil
        }
    }
}
