import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON

/// How items are answered: options, bounds, units, patterns.
extension QuestionnaireReader {
    // MARK: How it is answered

    mutating func readFormat(_ extensions: ExtensionList, _ item: inout SurveyItem) {
        var format = AnswerFormat()
        format.isOpen = item.type == .openChoice
        format.maxLength = item.source.member("maxLength")?.integer.flatMap { $0 > 0 ? $0 : nil }
        if let url = item.source.member("answerValueSet")?.string {
            let position = item.index
            if valueSets.isTooCostly(url) {
                format.options = .searched(url)
                report(
                    .information,
                    "valueSetSearched",
                    "The value set is too large to be listed; its codes are searched, and any code is taken.",
                    item
                )
            } else if let list = valueSets.options(url, linkId: item.linkId, position: position) {
                format.options = .listed(list.options)
                format.optionsByCode = list.byCode
            } else {
                format.options = .external(url)
                report(
                    .warning,
                    "valueSetNotFound",
                    "The value set is neither contained nor given; any code is taken as an answer.",
                    item
                )
            }
        } else if let list = item.source.member("answerOption")?.elements {
            var options: [SurveyOption] = []
            for tree in list {
                guard let option = Self.option(tree) else { continue }
                if let expression = textExpression(Self.textElement(of: tree), item) {
                    format.optionLabels.append((options.count, expression))
                }
                options.append(option)
            }
            if options.count < list.count {
                report(
                    .error,
                    "optionWithoutValue",
                    "\(list.count - options.count) options have no value of a type that options can have.",
                    item
                )
            }
            format.options = .listed(options)
            format.optionsByCode = OptionList(options).byCode
        }
        if !extensions.isEmpty { readExtensions(extensions, item, &format) }
        if case .listed(let options)? = format.options, options.isEmpty {
            report(.warning, "noOptions", "There is nothing to choose from.", item)
        } else if item.type == .choice, format.options == nil {
            report(
                .warning,
                "noOptions",
                "A choice has neither options nor a value set; any code is taken as an answer.",
                item
            )
        }
        item.format = format
    }

    mutating func readExtensions(
        _ extensions: ExtensionList,
        _ item: SurveyItem,
        _ format: inout AnswerFormat
    ) {
        format.openLabel = extensions.text(ExtensionURL.openLabel)
        format.minLength = extensions.value(ExtensionURL.minLength)?.integer
        format.placeholder = extensions.text(ExtensionURL.entryFormat)
        format.maxDecimalPlaces = extensions.value(ExtensionURL.maxDecimalPlaces)?.integer
        format.sliderStep = extensions.value(ExtensionURL.sliderStep)?.integer
        format.mediaTypes = extensions.values(ExtensionURL.mimeType).compactMap(\.string)
        format.referenceTypes = extensions.values(ExtensionURL.referenceResource).compactMap(\.string)
        format.referenceProfiles = extensions.values(ExtensionURL.referenceProfile).compactMap(\.string)
        format.referenceFilter = extensions.value(ExtensionURL.referenceFilter)?.string
        format.keyboard =
            extensions.value(ExtensionURL.keyboard[0], ExtensionURL.keyboard[1])?.string
            ?? extensions.value(ExtensionURL.sdcKeyboard)?.string.flatMap { Self.keyboards[$0] }
        format.textContent =
            extensions.value(ExtensionURL.textContent[0], ExtensionURL.textContent[1])?.string
        format.capitalization =
            extensions.value(ExtensionURL.capitalization[0], ExtensionURL.capitalization[1])?.string
        if let megabytes = extensions.value(ExtensionURL.maxSize).flatMap(FHIRDecimal.init(tree:))?.decimal,
            megabytes >= 0, megabytes < 1_000_000_000
        {
            format.maxBytes = NSDecimalNumber(decimal: megabytes * 1_000_000).intValue
        }
        if let pattern = extensions.value(ExtensionURL.regex)?.string {
            let message = extensions.text(ExtensionURL.validationTexts[0], ExtensionURL.validationTexts[1])
            format.pattern = regex(pattern, item).map {
                AnswerPattern(pattern: pattern, message: message, regex: $0)
            }
        }
        format.minimum = bound(extensions.first(ExtensionURL.minimum), item)
        format.maximum = bound(extensions.first(ExtensionURL.maximum), item)
        let openness = extensions.value(ExtensionURL.unitOpen)?.string
        format.isUnitOpen = openness == "optionsOrType" || openness == "optionsOrString"
        format.units = extensions.values(ExtensionURL.unit, ExtensionURL.unitOption).compactMap(
            Coding.init(tree:)
        )
        if let url = extensions.value(ExtensionURL.unitValueSet)?.string {
            if let units = valueSets.options(url, linkId: item.linkId, position: item.index) {
                format.units += units.options.compactMap { $0.value.coding }
            } else {
                format.unitValueSet = url
            }
        }
        if let expression = extensions.value(ExtensionURL.answerExpression).flatMap({ expression($0, item) })
        {
            format.options = .expression(expression)
        }
        if let tree = extensions.value(ExtensionURL.candidateExpression) {
            if item.isGroup {
                report(.information, "unsupportedExtension", "Not supported: candidates of a group.", item)
            } else {
                format.candidates = expression(tree, item)
            }
        }
        format.displayPaths = readDisplayPaths(extensions, item)
        format.optionToggles = extensions.all(ExtensionURL.optionToggle).compactMap { toggle in
            let parts = ExtensionList(toggle)
            guard let expression = parts.value("expression").flatMap({ expression($0, item) }) else {
                return nil
            }
            return OptionToggle(
                options: parts.all("option").compactMap(\.answerValue),
                expression: expression
            )
        }
    }

    /// The keyboards of SDC's codes.
    private static let keyboards = [
        "phone": "phonePad", "email": "emailAddress", "number": "numberPad", "url": "URL", "chat": "default",
    ]

    /// What stands beside the text of an option.
    private static func textElement(of option: JSONValue) -> JSONValue? {
        guard let member = option.valueMember else { return nil }
        return member.name == "valueCoding" ? member.value.member("_display") : option["_" + member.name]
    }

    private static func option(_ tree: JSONValue) -> SurveyOption? {
        guard let member = tree.valueMember,
            let value = SurveyAnswer(String(member.name.dropFirst(5)), member.value),
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
        option.prefix =
            extensions.value(ExtensionURL.optionPrefix)?.string
            ?? inner.value(ExtensionURL.optionPrefix)?.string
        option.media = extensions.value(ExtensionURL.answerMedia).flatMap(Attachment.init(tree:))
        option.score = inner.score ?? extensions.score
        return option
    }

    mutating func bound(_ tree: JSONValue?, _ item: SurveyItem) -> AnswerBound? {
        guard let tree else { return nil }
        guard let member = tree.valueMember else {
            // An expression stands beside a value, which may be missing.
            let sibling = tree.members?.first { $0.name.hasPrefix("_value") }?.value
            return sibling.flatMap { boundExpression($0, item) }
        }
        // Norway's extensions have an expression as a string.
        if member.name == "valueString", let text = member.value.string {
            let expression = Self.expressionTree(text)
            return self.expression(expression, item).map { .expression($0) }
        }
        if let bound = tree["_" + member.name].flatMap({ boundExpression($0, item) }) { return bound }
        if let value = tree.answerValue { return .value(value) }
        report(.error, "malformedBound", "The smallest or largest value cannot be read.", item)
        return nil
    }

    private mutating func boundExpression(_ sibling: JSONValue, _ item: SurveyItem) -> AnswerBound? {
        let extensions = ExtensionList(sibling)
        return extensions.value(ExtensionURL.expression, ExtensionURL.calculatedValue)
            .flatMap { expression($0, item) }.map { .expression($0) }
    }

    static func expressionTree(_ text: String) -> JSONValue {
        ["language": "text/fhirpath", "expression": JSONValue(text)]
    }

    mutating func regex(_ pattern: String, _ item: SurveyItem) -> BoundedRegex? {
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
}
