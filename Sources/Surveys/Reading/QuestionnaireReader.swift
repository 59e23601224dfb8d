import BoundedRegex
import FHIR
import Foundation
import OrderedJSON

/// Reads a questionnaire's JSON into items, and notes what is wrong with it.
struct QuestionnaireReader {
    /// The most items that are read; what comes after them is reported.
    static let mostItems = 50_000

    let tree: JSONValue
    var valueSets: ValueSetReader
    var items: [SurveyItem] = []
    var roots: [Int] = []
    var indices: [String: Int] = [:]
    var variables: [SurveyExpression] = []
    var launchContexts: [String] = []
    var constraints: [SurveyConstraint] = []
    var diagnostics: [SurveyDiagnostic] = []
    /// Patterns that were read, by their text.
    private var patterns: [String: BoundedRegex] = [:]

    init(_ tree: JSONValue, valueSets: (String) -> ValueSet?) {
        self.tree = tree
        self.valueSets = withoutActuallyEscaping(valueSets) { ValueSetReader(questionnaire: tree, resolver: $0) }
    }

    mutating func read() {
        readItems()
        let extensions = ExtensionList(tree)
        variables = extensions.values(ExtensionURL.variable[0], ExtensionURL.variable[1], ExtensionURL.variable[2])
            .compactMap { expression($0, nil) }
        constraints = readConstraints(extensions, nil)
        for context in extensions.all(ExtensionURL.launchContext[0], ExtensionURL.launchContext[1]) {
            let name = ExtensionList(context).value("name")
            if let name = name?.string ?? name?.member("code")?.string ?? name?.member("id")?.string {
                launchContexts.append(name)
            }
        }
        reportUnsupported(extensions, nil)
        if roots.isEmpty { report(.error, "noItems", "The questionnaire asks nothing: it has no items.") }
        if tree.member("modifierExtension") != nil {
            report(.warning, "modifierExtension", "The questionnaire has modifier extensions, which are not understood.")
        }
        for index in items.indices { readDetails(of: index) }
        scoreByCodes()
        diagnostics += valueSets.diagnostics
    }

    // MARK: The tree

    /// Finds the items in document order, whatever their depth.
    private mutating func readItems() {
        var stack: [(tree: JSONValue, parent: Int?)] = []
        func push(_ list: JSONValue?, _ parent: Int?) {
            for tree in (list?.elements.map(Array.init) ?? []).reversed() { stack.append((tree, parent)) }
        }
        push(tree.member("item"), nil)
        while let (tree, parent) = stack.popLast() {
            let index = items.count
            guard index < Self.mostItems else {
                report(.error, "tooManyItems", "The questionnaire has more than \(Self.mostItems) items; the others are left out.")
                return
            }
            let linkId = tree.member("linkId")?.string ?? ""
            let code = tree.member("type")?.string
            var type = QuestionnaireItemType(code ?? (tree.member("item") == nil ? "string" : "group"))
            if case .other(let unknown) = type {
                if unknown != "question" { type = .string }
                report(
                    .warning, "unsupportedType", unknown == "question"
                        ? "The type question is abstract; the item takes no answers." : "The type is not one of FHIR R4; it is asked as a string.",
                    linkId, index)
            } else if code == nil {
                report(.error, "noType", "The item has no type; it is taken as \(type.code).", linkId, index)
            }
            items.append(SurveyItem(index: index, parent: parent, linkId: linkId, type: type, source: tree))
            if let parent { items[parent].children.append(index) } else { roots.append(index) }
            if linkId.isEmpty {
                report(.error, "noLinkId", "The item has no linkId; it cannot be answered.", nil, index)
            } else if indices[linkId] != nil {
                report(.error, "duplicateLinkId", "The linkId is not unique; conditions mean the first item that has it.", linkId, index)
            } else {
                indices[linkId] = index
            }
            push(tree.member("item"), index)
        }
    }

    // MARK: An item

    private mutating func readDetails(of index: Int) {
        var item = items[index]
        let tree = item.source
        let extensions = ExtensionList(tree)
        item.text = SurveyText(tree, "text")
        item.prefix = SurveyText(tree, "prefix")
        item.code = (tree.member("code")?.elements ?? []).compactMap { Coding(tree: $0) }
        item.definition = tree.member("definition")?.string
        item.isRequired = tree.member("required")?.boolean ?? false
        item.repeats = tree.member("repeats")?.boolean ?? false
        item.isReadOnly = tree.member("readOnly")?.boolean ?? false
        if !extensions.isEmpty { readPresentation(extensions, &item) }
        readFormat(extensions, &item)
        readInitial(&item)
        readConditions(&item)
        if !extensions.isEmpty {
            item.variables = extensions
                .values(ExtensionURL.variable[0], ExtensionURL.variable[1], ExtensionURL.variable[2])
                .compactMap { expression($0, item) }
            item.enableExpression = extensions
                .value(ExtensionURL.enableWhenExpression, ExtensionURL.finnishEnableWhen)
                .flatMap { expression($0.string.map(Self.expressionTree) ?? $0, item) }
            item.initialExpression = extensions.value(ExtensionURL.initialExpression[0], ExtensionURL.initialExpression[1])
                .flatMap { expression($0, item) }
            item.calculatedExpression = extensions
                .value(ExtensionURL.calculatedExpression[0], ExtensionURL.calculatedExpression[1])
                .flatMap { expression($0, item) }
            item.constraints = readConstraints(extensions, item)
            reportUnsupported(extensions, item)
        }
        items[index] = item
        checkInvariants(item)
        if item.isHelp, let parent = item.parent, let text = item.text { items[parent].help.append(text) }
    }

    private mutating func readPresentation(_ extensions: ExtensionList, _ item: inout SurveyItem) {
        item.isHidden = extensions.value(ExtensionURL.hidden)?.boolean ?? false
        item.controls = Set(
            extensions.values(ExtensionURL.itemControl, ExtensionURL.androidItemControl).flatMap(\.conceptCodes))
        item.orientation = extensions.value(ExtensionURL.orientation)?.string
        item.displayCategory = extensions.value(ExtensionURL.displayCategory)?.conceptCodes.first
        item.collapsible = extensions.value(ExtensionURL.collapsible)?.string
        item.supportLink = extensions.value(ExtensionURL.supportLink)?.string
        item.shortText = extensions.value(ExtensionURL.shortText)?.string
        item.media = extensions.value(ExtensionURL.itemMedia).flatMap(Attachment.init(tree:))
        if extensions.value(ExtensionURL.answerRepeats)?.boolean == true { item.repeats = true }
        item.minOccurs = extensions.value(ExtensionURL.minOccurs)?.integer
        item.maxOccurs = extensions.value(ExtensionURL.maxOccurs)?.integer
    }

    // MARK: How it is answered

    private mutating func readFormat(_ extensions: ExtensionList, _ item: inout SurveyItem) {
        var format = AnswerFormat()
        format.isOpen = item.type == .openChoice
        format.maxLength = item.source.member("maxLength")?.integer.flatMap { $0 > 0 ? $0 : nil }
        if let url = item.source.member("answerValueSet")?.string {
            let position = item.index
            if let options = valueSets.options(url, linkId: item.linkId, position: position) {
                format.options = .listed(options)
            } else {
                format.options = .external(url)
                report(
                    .warning, "valueSetNotFound",
                    "The value set is neither contained nor given; any code is taken as an answer.", item)
            }
        } else if let list = item.source.member("answerOption")?.elements {
            let options = list.compactMap { Self.option($0) }
            if options.count < list.count {
                report(.error, "optionWithoutValue", "\(list.count - options.count) options have no value of a type that options can have.", item)
            }
            format.options = .listed(options)
        }
        if !extensions.isEmpty { readExtensions(extensions, item, &format) }
        if case .listed(let options)? = format.options, options.isEmpty {
            report(.warning, "noOptions", "There is nothing to choose from.", item)
        } else if item.type == .choice, format.options == nil {
            report(.warning, "noOptions", "A choice has neither options nor a value set; any code is taken as an answer.", item)
        }
        item.format = format
    }

    private mutating func readExtensions(_ extensions: ExtensionList, _ item: SurveyItem, _ format: inout AnswerFormat) {
        format.openLabel = extensions.value(ExtensionURL.openLabel)?.string
        format.minLength = extensions.value(ExtensionURL.minLength)?.integer
        format.placeholder = extensions.value(ExtensionURL.entryFormat)?.string
        format.maxDecimalPlaces = extensions.value(ExtensionURL.maxDecimalPlaces)?.integer
        format.sliderStep = extensions.value(ExtensionURL.sliderStep)?.integer
        format.mediaTypes = extensions.values(ExtensionURL.mimeType).compactMap(\.string)
        format.referenceTypes = extensions.values(ExtensionURL.referenceResource).compactMap(\.string)
        format.keyboard = extensions.value(ExtensionURL.keyboard[0], ExtensionURL.keyboard[1])?.string
        format.textContent = extensions.value(ExtensionURL.textContent[0], ExtensionURL.textContent[1])?.string
        format.capitalization = extensions.value(ExtensionURL.capitalization[0], ExtensionURL.capitalization[1])?.string
        if let megabytes = extensions.value(ExtensionURL.maxSize)?.double, megabytes >= 0, megabytes < 1e9 {
            format.maxBytes = Int(megabytes * 1_000_000)
        }
        if let pattern = extensions.value(ExtensionURL.regex)?.string {
            let message = extensions.value(ExtensionURL.validationTexts[0], ExtensionURL.validationTexts[1])?.string
            format.pattern = regex(pattern, item).map { AnswerPattern(pattern: pattern, message: message, regex: $0) }
        }
        format.minimum = bound(extensions.first(ExtensionURL.minimum), item)
        format.maximum = bound(extensions.first(ExtensionURL.maximum), item)
        format.units = extensions.values(ExtensionURL.unit, ExtensionURL.unitOption).compactMap(Coding.init(tree:))
        if let url = extensions.value(ExtensionURL.unitValueSet)?.string {
            if let units = valueSets.options(url, linkId: item.linkId, position: item.index) {
                format.units += units.compactMap { $0.value.coding }
            } else {
                format.unitValueSet = url
            }
        }
        if let tree = extensions.value(ExtensionURL.answerExpression[0], ExtensionURL.answerExpression[1]),
            let expression = expression(tree, item)
        {
            format.options = .expression(expression)
        }
        format.optionToggles = extensions.all(ExtensionURL.optionToggle).compactMap { toggle in
            let parts = ExtensionList(toggle)
            guard let expression = parts.value("expression").flatMap({ expression($0, item) }) else { return nil }
            return OptionToggle(options: parts.all("option").compactMap(\.answerValue), expression: expression)
        }
    }

    private static func option(_ tree: JSONValue) -> SurveyOption? {
        guard let member = tree.valueMember, let value = SurveyAnswer(String(member.name.dropFirst(5)), member.value),
            !value.isEmpty
        else { return nil }
        let label: SurveyText? =
            switch value {
            case .coding: SurveyText(member.value, "display")
            case .string, .integer, .date, .time: SurveyText(tree, member.name)
            default: nil
            }
        var option = SurveyOption(value, label: label)
        option.isInitiallySelected = tree.member("initialSelected")?.boolean ?? false
        let extensions = ExtensionList(tree)
        let inner = ExtensionList(value.coding?.tree ?? tree["_" + member.name] ?? .null)
        option.isExclusive = extensions.value(ExtensionURL.exclusive)?.boolean ?? false
        option.prefix = extensions.value(ExtensionURL.optionPrefix)?.string ?? inner.value(ExtensionURL.optionPrefix)?.string
        option.media = extensions.value(ExtensionURL.answerMedia).flatMap(Attachment.init(tree:))
        option.score = inner.score ?? extensions.score
        return option
    }

    private mutating func bound(_ tree: JSONValue?, _ item: SurveyItem) -> AnswerBound? {
        guard let tree, let member = tree.valueMember else { return nil }
        // Norway's extensions have an expression as a string.
        if member.name == "valueString", let text = member.value.string {
            let expression = Self.expressionTree(text)
            return self.expression(expression, item).map { .expression($0) }
        }
        if let sibling = tree["_" + member.name] {
            let extensions = ExtensionList(sibling)
            if let nested = extensions.value(ExtensionURL.expression, ExtensionURL.calculatedValue),
                let expression = expression(nested, item)
            {
                return .expression(expression)
            }
        }
        if let value = tree.answerValue { return .value(value) }
        report(.error, "malformedBound", "The smallest or largest value cannot be read.", item)
        return nil
    }

    private static func expressionTree(_ text: String) -> JSONValue {
        ["language": "text/fhirpath", "expression": JSONValue(text)]
    }

    private mutating func regex(_ pattern: String, _ item: SurveyItem) -> BoundedRegex? {
        if let known = patterns[pattern] { return known }
        do {
            let regex = try BoundedRegex(pattern)
            patterns[pattern] = regex
            return regex
        } catch {
            report(.error, "malformedPattern", "\(error) It is not checked.", item)
            return nil
        }
    }

    // MARK: Values and conditions

    private mutating func readInitial(_ item: inout SurveyItem) {
        var initial: [SurveyAnswer] = []
        for tree in item.source.member("initial")?.elements ?? [] {
            if let value = tree.answerValue, item.accepts(value) {
                if let unit = value.quantity, unit.value == nil {
                    // A quantity without a value is the unit to begin with.
                    let index = item.format.units.firstIndex { $0.code == unit.code && $0.system == unit.system }
                    if let index { item.format.units.insert(item.format.units.remove(at: index), at: 0) }
                } else {
                    initial.append(value)
                }
            } else {
                report(.error, "malformedInitial", "An initial value is not of a type that the item's answers can have.", item)
            }
        }
        if initial.isEmpty, case .listed(let options)? = item.format.options {
            initial = options.filter(\.isInitiallySelected).map(\.value)
        }
        if initial.count > 1, !item.repeats {
            report(.error, "que-13", "There are several initial values, and the item does not repeat; the first is taken.", item)
            initial = [initial[0]]
        }
        item.initial = initial
    }

    private mutating func readConditions(_ item: inout SurveyItem) {
        let list = item.source.member("enableWhen")?.elements.map(Array.init) ?? []
        item.isEnabledByAny = item.source.member("enableBehavior")?.isString("any") ?? false
        for tree in list {
            let view = Questionnaire.Item.EnableWhen(view: tree)
            guard let question = view.question, let comparison = view.operator, let answer = view.answer,
                let value = SurveyAnswer(answer.content.suffix, answer.content.tree)
            else {
                report(.error, "malformedCondition", "A condition has no question, operator or answer; it is never met.", item)
                item.conditions.append(
                    EnableCondition(
                        question: "", comparison: .other(""), answer: .boolean(true), target: nil, isSupported: false))
                continue
            }
            let isSupported = EnableCondition.isDefined(comparison, for: value)
            if !isSupported {
                report(
                    .warning, "unsupportedOperator",
                    "The operator \(comparison.code) is not defined for an answer of the type \(value.typeSuffix); the condition is never met.", item)
            }
            let target = indices[question]
            if target == nil {
                report(.error, "unknownQuestion", "A condition asks for an item that the questionnaire does not have.", item)
            } else if let target, !items[target].isQuestion, comparison != .exists {
                report(.warning, "conditionOnGroup", "A condition asks for the answer of an item that has none.", item)
            }
            item.conditions.append(
                EnableCondition(
                    question: question, comparison: comparison, answer: value, target: target, isSupported: isSupported))
        }
    }

    /// In a questionnaire with scores, options that have none and whose codes count from 0 on count as their codes, as the
    /// last question of the International Prostate Symptom Score is published.
    private mutating func scoreByCodes() {
        func options(of item: SurveyItem) -> [SurveyOption] {
            if case .listed(let options)? = item.format.options { options } else { [] }
        }
        guard items.contains(where: { options(of: $0).contains { $0.score != nil } }) else { return }
        for index in items.indices {
            var options = options(of: items[index])
            guard options.count > 1, options.allSatisfy({ $0.score == nil }),
                options.enumerated().allSatisfy({ $1.value.coding?.code == String($0) })
            else { continue }
            for number in options.indices { options[number].score = FHIRDecimal(number) }
            items[index].format.options = .listed(options)
            report(.information, "scoreByCode", "The options have no scores; their codes are taken, which count from 0 on.", items[index])
        }
    }

    // MARK: Expressions

    private mutating func expression(_ tree: JSONValue, _ item: SurveyItem?) -> SurveyExpression? {
        guard let text = tree.member("expression")?.string else {
            report(.warning, "unsupportedExpression", "An expression has no text; expressions by reference are not supported.", item)
            return nil
        }
        let language = tree.member("language")?.string ?? "text/fhirpath"
        let name = tree.member("name")?.string
        guard language == "text/fhirpath" else {
            report(
                name == nil ? .warning : .information, "unsupportedLanguage",
                name.map { "The variable %\($0) is in \(language); it is empty where it is not given." }
                    ?? "Expressions in \(language) are not evaluated.", item)
            return SurveyExpression(name: name, language: language, text: text, path: nil)
        }
        do {
            // At an item the focus is the item, so that a path from the resource begins with the variable.
            let isAbsolute = item != nil && text.hasPrefix("QuestionnaireResponse.")
            let path = try FHIRPath(isAbsolute ? "%resource" + text.dropFirst("QuestionnaireResponse".count) : text)
            return SurveyExpression(name: name, language: language, text: text, path: path)
        } catch {
            report(.error, "malformedExpression", "An expression cannot be read: \(error)", item)
            return SurveyExpression(name: name, language: language, text: text, path: nil)
        }
    }

    private mutating func readConstraints(_ extensions: ExtensionList, _ item: SurveyItem?) -> [SurveyConstraint] {
        extensions.all(ExtensionURL.constraint, ExtensionURL.targetConstraint).compactMap { tree in
            let parts = ExtensionList(tree)
            guard let value = parts.value("expression") else {
                report(.error, "malformedConstraint", "A constraint has no expression.", item)
                return nil
            }
            let source = value.string.map(Self.expressionTree) ?? value
            guard let expression = expression(source, item) else { return nil }
            return SurveyConstraint(
                key: parts.value("key")?.string ?? "", isError: parts.value("severity")?.string != "warning",
                human: parts.value("human")?.string ?? "A rule of the questionnaire does not hold.", expression: expression)
        }
    }

    // MARK: Diagnostics

    private mutating func reportUnsupported(_ extensions: ExtensionList, _ item: SurveyItem?) {
        for url in extensions.urls {
            if let what = ExtensionURL.unsupported[url] {
                report(.information, "unsupportedExtension", "Not supported: \(what).", item)
            }
        }
    }

    mutating func report(_ severity: SurveyDiagnostic.Severity, _ code: String, _ text: String, _ item: SurveyItem?) {
        report(severity, code, text, item?.linkId, item?.index ?? -1)
    }

    private mutating func report(
        _ severity: SurveyDiagnostic.Severity, _ code: String, _ text: String, _ linkId: String? = nil, _ index: Int = -1
    ) {
        diagnostics.append(SurveyDiagnostic(severity, code, text, linkId: linkId, position: index))
    }
}

extension ExtensionList {
    /// What something counts in a score.
    var score: FHIRDecimal? {
        guard !isEmpty else { return nil }
        return first(ExtensionURL.scores)?.extensionValue.flatMap(FHIRDecimal.init(tree:))
    }
}
