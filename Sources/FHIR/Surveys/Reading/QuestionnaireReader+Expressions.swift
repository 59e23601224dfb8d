import FHIR
import FHIRPathEngine
import OrderedJSON

/// Expressions and constraints.
extension QuestionnaireReader {
    // MARK: Expressions

    mutating func expression(_ tree: JSONValue, _ item: SurveyItem?) -> SurveyExpression? {
        guard let text = tree.member("expression")?.string else {
            report(
                .warning,
                "unsupportedExpression",
                "An expression has no text; expressions by reference are not supported.",
                item
            )
            return nil
        }
        let language = tree.member("language")?.string ?? "text/fhirpath"
        let name = tree.member("name")?.string
        do {
            switch language {
            case "text/fhirpath":
                return SurveyExpression(name: name, language: language, text: text, path: try FHIRPath(text))
            case "application/x-fhir-query":
                let query = try QueryTemplate(text)
                return SurveyExpression(name: name, language: language, text: text, query: query)
            default:
                report(
                    name == nil ? .warning : .information,
                    "unsupportedLanguage",
                    name.map { "The variable %\($0) is in \(language); it is empty where it is not given." }
                        ?? "Expressions in \(language) are not evaluated.",
                    item
                )
            }
        } catch {
            report(.error, "malformedExpression", "An expression cannot be read: \(error)", item)
        }
        return SurveyExpression(name: name, language: language, text: text)
    }

    mutating func readConstraints(_ extensions: ExtensionList, _ item: SurveyItem?) -> [SurveyConstraint] {
        extensions.all(ExtensionURL.constraint, ExtensionURL.targetConstraint).compactMap { tree in
            let parts = ExtensionList(tree)
            guard let value = parts.value("expression") else {
                report(.error, "malformedConstraint", "A constraint has no expression.", item)
                return nil
            }
            let source = value.string.map(Self.expressionTree) ?? value
            guard let expression = expression(source, item) else { return nil }
            return SurveyConstraint(
                key: parts.value("key")?.string ?? "",
                isError: parts.value("severity")?.string != "warning",
                human: parts.text("human") ?? SurveyText("A rule of the questionnaire does not hold."),
                requirements: parts.value("requirements")?.string,
                locations: parts.values("location").compactMap(\.string),
                expression: expression
            )
        }
    }
}
