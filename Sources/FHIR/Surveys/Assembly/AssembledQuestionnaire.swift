import FHIR
import FHIRPathEngine
import OrderedJSON

/// A questionnaire with the items of those that it refers to. (SDC, modular forms, `$assemble`)
///
/// ```swift
/// let assembled = AssembledQuestionnaire(root) { canonical in library[canonical] }
/// for diagnostic in assembled.diagnostics { print(diagnostic) }
/// let survey = Survey(assembled.questionnaire)
/// ```
/// A display with `subQuestionnaire` is replaced by the items of that questionnaire, their linkIds with the
/// value of `%linkIdPrefix` before them. Its variables and constraints go to the item that the display is in;
/// its launch contexts, libraries and contained resources to the root.
public struct AssembledQuestionnaire: Sendable {
    /// The questionnaire. A reference that could not be followed is left as it was.
    public let questionnaire: Questionnaire
    /// What could not be assembled, with the display's linkId.
    public let diagnostics: [SurveyDiagnostic]
    /// The canonical URLs of questionnaires that were asked for and not given.
    public let missing: [String]

    /// How deep questionnaires may refer to others.
    public static let maximumDepth = 16

    /// Assembles a questionnaire.
    ///
    /// - Parameter library: Gives a questionnaire by its canonical URL, with `|version` where the reference
    ///   has it; nil where there is none.
    public init(_ questionnaire: Questionnaire, library: (String) -> Questionnaire?) {
        var assembler = Assembler()
        let tree = withoutActuallyEscaping(library) { library in
            assembler.library = library
            defer { assembler.library = { _ in nil } }
            return assembler.assemble(questionnaire.tree)
        }
        self.questionnaire = Questionnaire(tree: tree) ?? questionnaire
        diagnostics = assembler.diagnostics
        missing = assembler.missing
    }
}

private struct Assembler {
    var library: (String) -> Questionnaire? = { _ in nil }
    var diagnostics: [SurveyDiagnostic] = []
    var missing: [String] = []
    private var items = 0
    private var assembledFrom: [String] = []
    private var rootExtensions: [JSONValue] = []
    private var contained: [JSONValue] = []

    /// Where a questionnaire's items go.
    private struct Scope {
        /// The questionnaires around, by which cycles are found.
        var path: [String] = []
        /// The text before each linkId of this questionnaire.
        var prefix = ""
        /// The value of `%linkIdPrefix` here.
        var nextPrefix = ""
    }

    mutating func assemble(_ root: JSONValue) -> JSONValue {
        var tree = root
        var scope = Scope()
        if let canonical = root["url"]?.string { scope.path = [canonical] }
        scope.nextPrefix = linkIdPrefix(of: root, scope)
        contained = root.elements(of: "contained")
        var inherited: [JSONValue] = []
        tree["item"] = list(root["item"], scope, &inherited)
        let own = root.elements(of: "extension")
        // Of several modules that say the same, one does.
        var known = Set(own.map { $0.text() })
        let added = (rootExtensions + inherited).filter { known.insert($0.text()).inserted }
        let origins: [JSONValue] = assembledFrom.map {
            ["url": JSONValue(ExtensionURL.assembledFrom), "valueCanonical": JSONValue($0)]
        }
        let extensions = own + origins + added
        tree["extension"] = extensions.isEmpty ? nil : JSONValue(extensions)
        tree["contained"] = contained.isEmpty ? nil : JSONValue(contained)
        return tree
    }

    /// The items of a list, those of other questionnaires in the places of their references.
    ///
    /// - Parameter inherited: Takes what other questionnaires say at their roots about their items.
    private mutating func list(_ list: JSONValue?, _ scope: Scope, _ inherited: inout [JSONValue])
        -> JSONValue?
    {
        guard let elements = list?.elements else { return list }
        var result: [JSONValue] = []
        for element in elements {
            guard items < QuestionnaireReader.maximumItems else {
                report("tooManyItems", "The assembled questionnaire has too many items.", element)
                break
            }
            items += 1
            let reference = ExtensionList(element).value(ExtensionURL.subQuestionnaire)?.string
            if let reference, let found = module(reference, element, scope, &inherited) {
                result += found
            } else {
                result.append(item(element, scope))
            }
        }
        return result.isEmpty ? nil : JSONValue(result)
    }

    private mutating func item(_ element: JSONValue, _ scope: Scope) -> JSONValue {
        var element = element
        var scope = scope
        scope.nextPrefix = linkIdPrefix(of: element, scope)
        if !scope.prefix.isEmpty {
            element["linkId"] = element["linkId"]?.string.map { JSONValue(scope.prefix + $0) }
            if let conditions = element["enableWhen"]?.elements {
                element["enableWhen"] = JSONValue(
                    conditions.map { condition in
                        var condition = condition
                        condition["question"] = condition["question"]?.string.map {
                            JSONValue(scope.prefix + $0)
                        }
                        return condition
                    }
                )
            }
        }
        var inherited: [JSONValue] = []
        element["item"] = list(element["item"], scope, &inherited)
        if !inherited.isEmpty {
            let own = element.elements(of: "extension")
            element["extension"] = JSONValue(own + inherited)
        }
        return element
    }

    /// The items of another questionnaire; nil where it is not to be had.
    private mutating func module(
        _ reference: String,
        _ display: JSONValue,
        _ scope: Scope,
        _ inherited: inout [JSONValue]
    ) -> [JSONValue]? {
        let canonical = String(reference.prefix { $0 != "|" })
        guard !scope.path.contains(canonical) else {
            report("cycle", "The questionnaire \(canonical) is part of itself.", display)
            return nil
        }
        guard scope.path.count < AssembledQuestionnaire.maximumDepth else {
            let text =
                "Questionnaires refer to each other more than \(AssembledQuestionnaire.maximumDepth) deep."
            report("tooDeep", text, display)
            return nil
        }
        guard let found = library(reference)?.tree else {
            if !missing.contains(reference) { missing.append(reference) }
            report("questionnaireNotFound", "The questionnaire \(reference) is not given.", display)
            return nil
        }
        var inner = scope
        inner.path.append(canonical)
        inner.prefix = scope.nextPrefix
        if !assembledFrom.contains(reference) { assembledFrom.append(reference) }
        for tree in found.elements(of: "extension") {
            switch tree["url"]?.string {
            case ExtensionURL.launchContext[0]?, ExtensionURL.launchContext[1]?, ExtensionURL.library?:
                rootExtensions.append(tree)
            case ExtensionURL.variable[0]?, ExtensionURL.variable[1]?, ExtensionURL.variable[2]?,
                ExtensionURL.constraint?, ExtensionURL.targetConstraint?:
                inherited.append(tree)
            default: continue
            }
        }
        contain(found.elements(of: "contained"), display)
        return list(found["item"], inner, &inherited)?.elements.map(Array.init) ?? []
    }

    private mutating func contain(_ resources: [JSONValue], _ display: JSONValue) {
        for resource in resources {
            guard let same = contained.first(where: { $0["id"] == resource["id"] }) else {
                contained.append(resource)
                continue
            }
            if same != resource {
                let id = resource["id"]?.string ?? ""
                report(
                    "containedTwice",
                    "Two questionnaires contain different resources with the id \(id).",
                    display
                )
            }
        }
    }

    /// The value of the variable `linkIdPrefix` that an element has, else that around it.
    private func linkIdPrefix(of element: JSONValue, _ scope: Scope) -> String {
        let variables = ExtensionList(element)
            .values(ExtensionURL.variable[0], ExtensionURL.variable[1], ExtensionURL.variable[2])
        guard let variable = variables.last(where: { $0["name"]?.string == "linkIdPrefix" }),
            let text = variable["expression"]?.string, let path = try? FHIRPath(text)
        else { return scope.nextPrefix }
        var context = FHIRPathContext()
        context.variables["linkIdPrefix"] = [FHIRPathItem(scope.nextPrefix)]
        context.limits.steps = 10_000
        return (try? path.evaluate(on: [], in: context).first?.text) ?? scope.nextPrefix
    }

    private mutating func report(_ code: String, _ text: String, _ display: JSONValue) {
        diagnostics.append(SurveyDiagnostic(.error, code, text, linkId: display["linkId"]?.string))
    }
}
