import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON

/// Reads a questionnaire's JSON into items, and notes what is wrong with it.
struct QuestionnaireReader {
    /// The most items that are read; what comes after them is reported.
    static let maximumItems = 50_000
    /// The deepest that items are nested; pages, responses and their JSON nest with them. What is deeper is
    /// reported.
    static let maximumDepth = 64

    let tree: JSONValue
    var valueSets: ValueSetReader
    var items: [SurveyItem] = []
    var roots: [Int] = []
    var indices: [String: Int] = [:]
    var variables: [SurveyExpression] = []
    var launchContexts: [LaunchContext] = []
    var sourceQueries: [SourceQueries] = []
    var constraints: [SurveyConstraint] = []
    var diagnostics: [SurveyDiagnostic] = []
    /// Patterns that were read, by their text.
    var patterns: [String: BoundedRegex] = [:]

    init(_ tree: JSONValue, valueSets: (String) -> ValueSet?) {
        self.tree = tree
        self.valueSets = withoutActuallyEscaping(valueSets) {
            ValueSetReader(questionnaire: tree, resolver: $0)
        }
    }

    mutating func read() {
        readItems()
        let extensions = ExtensionList(tree)
        variables = namedExpressions(extensions, nil)
        constraints = readConstraints(extensions, nil)
        launchContexts = extensions.all(ExtensionURL.launchContext[0], ExtensionURL.launchContext[1])
            .compactMap(LaunchContext.init)
        sourceQueries = extensions.values(ExtensionURL.sourceQueries).compactMap { readSourceQueries($0) }
        reportUnsupported(tree, nil)
        if tree.member("status")?.isString("retired") == true {
            report(
                .warning,
                "retired",
                "The questionnaire is retired; ask its publisher for the one that replaces it."
            )
        }
        if roots.isEmpty { report(.error, "noItems", "The questionnaire asks nothing: it has no items.") }
        if tree.member("modifierExtension") != nil {
            report(
                .warning,
                "modifierExtension",
                "The questionnaire has modifier extensions, which are not supported."
            )
        }
        for index in items.indices { readDetails(of: index) }
        inheritPeriods(extensions)
        inheritTerminologyServers(extensions)
        scoreByCodes()
        diagnostics += valueSets.diagnostics
    }

    // MARK: The tree

    /// Finds the items in document order.
    private mutating func readItems() {
        var stack: [(tree: JSONValue, parent: Int?, depth: Int)] = []
        func push(_ list: JSONValue?, _ parent: Int?, _ depth: Int) {
            for tree in (list?.elements.map(Array.init) ?? []).reversed() {
                stack.append((tree, parent, depth))
            }
        }
        push(tree.member("item"), nil, 1)
        while let (tree, parent, depth) = stack.popLast() {
            let index = items.count
            guard index < Self.maximumItems else {
                report(
                    .error,
                    "tooManyItems",
                    "The questionnaire has more than \(Self.maximumItems) items; the others are left out."
                )
                return
            }
            let linkId = tree.member("linkId")?.string ?? ""
            let code = tree.member("type")?.string
            var type = QuestionnaireItemType(code ?? (tree.member("item") == nil ? "string" : "group"))
            if case .other(let unknown) = type {
                if unknown != "question" { type = .string }
                let text =
                    unknown == "question"
                    ? "The type question is abstract; the item takes no answers."
                    : "The type is not one of FHIR R4; it is asked as a string."
                report(.warning, "unsupportedType", text, linkId, index)
            } else if code == nil {
                report(.error, "noType", "The item has no type; it is taken as \(type.code).", linkId, index)
            }
            items.append(SurveyItem(index: index, parent: parent, linkId: linkId, type: type, source: tree))
            if let parent { items[parent].children.append(index) } else { roots.append(index) }
            if linkId.isEmpty {
                report(.error, "noLinkId", "The item has no linkId; it cannot be answered.", nil, index)
            } else if indices[linkId] != nil {
                let text = "The linkId is not unique; conditions mean the first item that has it."
                report(.error, "duplicateLinkId", text, linkId, index)
            } else {
                indices[linkId] = index
            }
            if depth < Self.maximumDepth {
                push(tree.member("item"), index, depth + 1)
            } else if tree.member("item") != nil {
                let text =
                    "Items are nested more than \(Self.maximumDepth) deep; those under this one are left out."
                report(.error, "tooDeep", text, linkId, index)
            }
        }
    }

    // MARK: An item

    private mutating func readDetails(of index: Int) {
        var item = items[index]
        let tree = item.source
        let extensions = ExtensionList(tree)
        item.text = SurveyText(tree, "text")
        item.prefix = SurveyText(tree, "prefix")
        item.code = tree.elements(of: "code").compactMap { Coding(tree: $0) }
        item.definition = tree.member("definition")?.string
        item.isRequired = tree.member("required")?.boolean ?? false
        item.repeats = tree.member("repeats")?.boolean ?? false
        item.isReadOnly = tree.member("readOnly")?.boolean ?? false
        if !extensions.isEmpty { readPresentation(extensions, &item) }
        readFormat(extensions, &item)
        readInitial(&item)
        readConditions(&item)
        if !extensions.isEmpty {
            item.variables = namedExpressions(extensions, item)
            item.enableExpression =
                extensions
                .value(ExtensionURL.enableWhenExpression, ExtensionURL.finnishEnableWhen)
                .flatMap { expression($0.string.map(Self.expressionTree) ?? $0, item) }
            item.initialExpression = extensions.value(
                ExtensionURL.initialExpression[0],
                ExtensionURL.initialExpression[1]
            )
            .flatMap { expression($0, item) }
            item.calculatedExpression =
                extensions
                .value(ExtensionURL.calculatedExpression[0], ExtensionURL.calculatedExpression[1])
                .flatMap { expression($0, item) }
            readPopulation(extensions, &item)
            item.terminologyServers = readTerminologyServers(extensions, item)
            item.constraints = readConstraints(extensions, item)
        }
        reportUnsupported(tree, item)
        item.textExpression = textExpression(tree.member("_text"), item)
        item.prefixExpression = textExpression(tree.member("_prefix"), item)
        items[index] = item
        checkInvariants(item)
        if item.isHelp, let parent = item.parent, let text = item.text {
            items[parent].helpExpressions[items[parent].help.count] = item.textExpression
            items[parent].help.append(text)
        }
    }

    /// The expression that replaces a text.
    ///
    /// - Parameter element: What stands beside the text: `_text`, `_display`.
    mutating func textExpression(_ element: JSONValue?, _ item: SurveyItem) -> SurveyExpression? {
        guard let element else { return nil }
        return ExtensionList(element).value(ExtensionURL.expression).flatMap { expression($0, item) }
    }

    /// The variables of an item or of the questionnaire, and before them the other expressions with names,
    /// which are variables too (FHIR R4, `Expression.name`).
    private mutating func namedExpressions(_ extensions: ExtensionList, _ item: SurveyItem?)
        -> [SurveyExpression]
    {
        let named = [ExtensionURL.calculatedExpression, ExtensionURL.initialExpression]
            .compactMap { extensions.first($0)?.extensionValue }
            .filter { $0.member("name") != nil }
        return
            (named
            + extensions.values(ExtensionURL.variable[0], ExtensionURL.variable[1], ExtensionURL.variable[2]))
            .compactMap { expression($0, item) }
    }

    private mutating func readPresentation(_ extensions: ExtensionList, _ item: inout SurveyItem) {
        item.isHidden = extensions.value(ExtensionURL.hidden)?.boolean ?? false
        item.controls = Set(
            extensions.values(ExtensionURL.itemControl, ExtensionURL.androidItemControl).flatMap(
                \.conceptCodes
            )
        )
        item.orientation = extensions.value(ExtensionURL.orientation)?.string
        item.displayCategory = extensions.value(ExtensionURL.displayCategory)?.conceptCodes.first
        item.collapsible = extensions.value(ExtensionURL.collapsible)?.string
        item.columnCount = extensions.value(ExtensionURL.columnCount)?.integer.map { min(max(1, $0), 6) }
        item.usageMode = extensions.value(ExtensionURL.usageMode)?.string
        item.isSubject = item.type == .reference && extensions.value(ExtensionURL.isSubject)?.boolean == true
        item.fhirType = extensions.value(ExtensionURL.fhirType)?.string
        // What is there for showing an answered form is not asked.
        if let mode = item.usageMode, ["display", "display-non-empty"].contains(mode) {
            item.isHidden = true
        }
        item.supportLinks = extensions.values(ExtensionURL.supportLink, ExtensionURL.supportHyperlink)
            .compactMap(\.string)
        item.shortText = extensions.text(ExtensionURL.shortText)
        item.media = extensions.value(ExtensionURL.itemMedia).flatMap(Attachment.init(tree:))
        if extensions.value(ExtensionURL.answerRepeats)?.boolean == true { item.repeats = true }
        item.minOccurs = extensions.value(ExtensionURL.minOccurs)?.integer.map { max(0, $0) }
        item.maxOccurs = extensions.value(ExtensionURL.maxOccurs)?.integer.map { max(0, $0) }
    }

    // MARK: Diagnostics

    mutating func report(
        _ severity: SurveyDiagnostic.Severity,
        _ code: String,
        _ text: String,
        _ item: SurveyItem?
    ) {
        report(severity, code, text, item?.linkId, item?.index ?? -1)
    }

    private mutating func report(
        _ severity: SurveyDiagnostic.Severity,
        _ code: String,
        _ text: String,
        _ linkId: String? = nil,
        _ index: Int = -1
    ) {
        diagnostics.append(SurveyDiagnostic(severity, code, text, linkId: linkId, position: index))
    }
}
