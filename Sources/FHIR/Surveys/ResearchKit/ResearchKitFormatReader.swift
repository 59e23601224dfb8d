import FHIR
import FHIRPathEngine
import Foundation
import OrderedJSON
import UCUM

/// Reads an answer format of ResearchKit into the members of a questionnaire's item.
struct ResearchKitFormatReader {
    private let json: JSONValue
    private let placeholder: String?

    /// The item's type.
    private(set) var type = "string"
    /// What the item has besides: extensions, options, the initial value.
    var members: [JSONMember] {
        var members: [JSONMember] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(name: name, value: value)) }
        }
        add("extension", extensions.isEmpty ? nil : JSONValue(extensions))
        add("repeats", repeats ? true : nil)
        add("maxLength", maxLength.map { JSONValue($0) })
        add("answerOption", answerOptions.isEmpty ? nil : JSONValue(answerOptions))
        add("initial", initial.map { [$0] })
        return members
    }
    /// The answers of options by the values that ResearchKit has for them.
    private(set) var options: [ResearchKitCondition.Value: JSONValue] = [:]
    private(set) var unit: JSONValue?
    /// What the members cannot express, as a text for people.
    private(set) var note: String?
    /// What was lost because a questionnaire cannot express it.
    private(set) var reports: [String] = []

    private var extensions: [JSONValue] = []
    private var answerOptions: [JSONValue] = []
    private var repeats = false
    private var maxLength: Int?
    private var initial: JSONValue?

    init(_ json: JSONValue, placeholder: String?) {
        self.json = json
        self.placeholder = placeholder
    }

    private static let maximumOptions = 10_000

    mutating func read() {
        let kind = json["_class"]?.string ?? ""
        if isTrue("showDontKnowButton") { reports.append("There is no button “I don’t know”.") }
        switch kind {
        case "ORKBooleanAnswerFormat":
            type = "boolean"
            if let yes = text("yes"), let no = text("no") {
                reports.append("The answers are called yes and no, not “\(yes)” and “\(no)”.")
            }
        case "ORKTextChoiceAnswerFormat": readChoices("textChoices")
        case "ORKImageChoiceAnswerFormat": readChoices("imageChoices")
        case "ORKValuePickerAnswerFormat":
            control("drop-down")
            readChoices("textChoices")
        case "ORKTextScaleAnswerFormat":
            readChoices("textChoices", selected: json["defaultIndex"]?.integer)
        case "ORKScaleAnswerFormat": readScale()
        case "ORKContinuousScaleAnswerFormat": readContinuousScale()
        case "ORKNumericAnswerFormat": readNumber()
        case "ORKHealthKitQuantityTypeAnswerFormat":
            reports.append("The value is not read from HealthKit; it is asked for.")
            readNumber()
        case "ORKHeightAnswerFormat": readMeasure("cm")
        case "ORKWeightAnswerFormat":
            readMeasure("kg")
            bounds("minimumValue", "maximumValue", ignoring: 0)
        case "ORKAgeAnswerFormat":
            type = "integer"
            bounds("minimumAge", "maximumAge", ignoring: nil)
            if isTrue("useYearForResult") { reports.append("The age is asked for, not the year of birth.") }
        case "ORKSESAnswerFormat":
            type = "integer"
            bound(ExtensionURL.minimum[0], 1)
            bound(ExtensionURL.maximum[0], 10)
        case "ORKTextAnswerFormat": readText()
        case "ORKEmailAnswerFormat":
            addRegex("[^@\\s]+@[^@\\s]+", message: nil)
            add(ExtensionURL.keyboard[0], "String", "emailAddress")
        case "ORKDateAnswerFormat": readDate()
        case "ORKTimeOfDayAnswerFormat":
            type = "time"
            if let text = text("defaultComponents") { setInitial("Time", text, "\(text):00") }
        case "ORKTimeIntervalAnswerFormat":
            type = "decimal"
            addUnit("s", display: "s")
        default:
            reports.append(
                "Answers of the kind \(kind.isEmpty ? "that is missing" : kind) are asked as a text."
            )
        }
        if let placeholder = text("placeholder") ?? placeholder {
            add(ExtensionURL.entryFormat, "String", JSONValue(placeholder))
        }
    }

    // MARK: Members

    private func text(_ name: String) -> String? { ResearchKitTaskReader.text(json, name) }

    private func isTrue(_ name: String) -> Bool {
        json[name]?.boolean == true || json[name]?.integer.map { $0 != 0 } == true
    }

    /// A number of the format.
    private func number(_ name: String) -> JSONValue? {
        guard let value = json[name], value.kind == .number else { return nil }
        return value
    }

    private mutating func add(_ url: String, _ type: String, _ value: JSONValue) {
        extensions.append(["url": JSONValue(url), "value\(type)": value])
    }

    private mutating func control(_ code: String) {
        add(ExtensionURL.itemControl, "CodeableConcept", .itemControl(code))
    }

    private mutating func setInitial(_ type: String, _ shown: String, _ value: String) {
        guard SurveyAnswer(type, JSONValue(value)) != nil else {
            reports.append("The default answer “\(shown)” is no \(type.lowercased()); it is left out.")
            return
        }
        initial = ["value\(type)": JSONValue(value)]
    }

    // MARK: Numbers

    private var numberType: String {
        switch type {
        case "integer": "Integer"
        case "quantity": "Quantity"
        default: "Decimal"
        }
    }

    private func value(_ number: JSONValue) -> JSONValue? {
        switch type {
        case "integer": return number.integer.map { JSONValue($0) }
        case "quantity":
            var quantity: JSONValue = ["value": number]
            for (from, to) in [("display", "unit"), ("system", "system"), ("code", "code")] {
                if let text = unit?[from] { quantity[to] = text }
            }
            return quantity
        default: return number
        }
    }

    private mutating func bound(_ url: String, _ number: JSONValue) {
        guard let value = value(number) else {
            reports.append("The bound \(number.text()) is not a whole number; it is left out.")
            return
        }
        let isMinimum = url == ExtensionURL.minimum[0]
        let name = type == "quantity" ? (isMinimum ? ExtensionURL.minimum[1] : ExtensionURL.maximum[1]) : url
        add(name, numberType, value)
    }

    /// - Parameter ignored: The number that stands for no bound.
    private mutating func bounds(_ minimum: String, _ maximum: String, ignoring ignored: Double?) {
        for (name, url) in [(minimum, ExtensionURL.minimum[0]), (maximum, ExtensionURL.maximum[0])] {
            guard let number = number(name), ignored == nil || number.double != ignored else { continue }
            bound(url, number)
        }
    }

    private mutating func setInitial(_ name: String) {
        guard let number = number(name), let value = value(number) else { return }
        initial = ["value\(numberType)": value]
    }

    private mutating func addUnit(_ code: String, display: String?) {
        var unit: JSONValue = [:]
        if (try? UCUMUnit(code)) != nil {
            unit["system"] = "http://unitsofmeasure.org"
            unit["code"] = JSONValue(code)
            unit["display"] = JSONValue(display ?? code)
        } else {
            unit["display"] = JSONValue(display ?? code)
        }
        self.unit = unit
        add(ExtensionURL.unit, "Coding", unit)
    }

    private mutating func readMeasure(_ unit: String) {
        type = "quantity"
        addUnit(unit, display: unit)
        if let number = number("defaultValue"), number.double != 0 { setInitial("defaultValue") }
    }

    private mutating func readNumber() {
        let isWhole = (text("style") ?? text("numericAnswerStyle")) == "integer"
        let code = text("unit")
        type = isWhole ? "integer" : code == nil ? "decimal" : "quantity"
        if let code { addUnit(code, display: text("displayUnit")) }
        bounds("minimum", "maximum", ignoring: nil)
        if !isWhole, let digits = number("maximumFractionDigits") {
            add(ExtensionURL.maxDecimalPlaces, "Integer", digits)
        }
        setInitial("defaultNumericAnswer")
    }

    private mutating func readScale() {
        type = "integer"
        control("slider")
        bounds("minimum", "maximum", ignoring: nil)
        if let step = number("step"), step.integer != nil, step.integer != 1 {
            add(ExtensionURL.sliderStep, "Integer", step)
        }
        readScaleDefault()
    }

    private mutating func readContinuousScale() {
        type = "decimal"
        control("slider")
        bounds("minimum", "maximum", ignoring: nil)
        if let digits = number("maximumFractionDigits") {
            add(ExtensionURL.maxDecimalPlaces, "Integer", digits)
        }
        readScaleDefault()
    }

    private mutating func readScaleDefault() {
        // A default outside the scale is ignored.
        if let value = number("defaultValue")?.double, let low = number("minimum")?.double,
            let high = number("maximum")?.double, (low...max(low, high)).contains(value)
        {
            setInitial("defaultValue")
        }
        let ends = [("minimum", "minimumValueDescription"), ("maximum", "maximumValueDescription")].compactMap
        {
            end,
            name in
            text(name).map { "\(json[end]?.text() ?? end): \($0)" }
        }
        if !ends.isEmpty { note = ends.joined(separator: "; ") }
    }

    // MARK: Choices

    private mutating func readChoices(_ name: String, selected: Int? = nil) {
        type = "choice"
        repeats = text("style") == "multipleChoice"
        let choices = json[name]?.elements.map(Array.init) ?? []
        if choices.count > Self.maximumOptions {
            reports.append("Of \(choices.count) choices the first \(Self.maximumOptions) are there.")
        }
        var hasPictures = name == "imageChoices"
        var details: [String] = []
        for (index, choice) in choices.prefix(Self.maximumOptions).enumerated() {
            let label = ResearchKitTaskReader.text(choice, "text") ?? ""
            if choice["image"]?.isNull == false { hasPictures = true }
            if let detail = ResearchKitTaskReader.text(choice, "detailText") {
                details.append("\(label): \(detail)")
            }
            if choice["_class"]?.string == "ORKTextChoiceOther" {
                type = "open-choice"
                if !label.isEmpty, label != "Other" {
                    add(ExtensionURL.openLabel, "String", JSONValue(label))
                }
                continue
            }
            var option = self.option(choice["value"] ?? .null, label)
            if repeats, choice["exclusive"]?.boolean == true || choice["exclusive"]?.integer == 1 {
                option.addExtension(ExtensionURL.exclusive, "Boolean", true)
            }
            if index == selected { option["initialSelected"] = true }
            answerOptions.append(option)
        }
        if hasPictures { reports.append("The pictures of choices are left out.") }
        if !details.isEmpty { note = details.joined(separator: "\n") }
    }

    /// A choice as an option: a coding where its value is one or differs from its text, else its text.
    private mutating func option(_ value: JSONValue, _ label: String) -> JSONValue {
        let code = value.string ?? value.number ?? value.text()
        let key = Self.key(value)
        if let text = value.string, text.utf8.first == UInt8(ascii: "{"),
            let json = try? JSONValue(parsing: text),
            let display = ResearchKitTaskReader.text(json, "display")
                ?? ResearchKitTaskReader.text(json, "code")
        {
            var coding: JSONValue = [:]
            // FHIR has no empty strings.
            for name in ["system", "code", "display"] {
                if let text = ResearchKitTaskReader.text(json, name) { coding[name] = JSONValue(text) }
            }
            var option: JSONValue = [:]
            if label != display {
                if label.hasSuffix(" " + display) {
                    let prefix = label.dropLast(display.count + 1)
                    option.addExtension(ExtensionURL.optionPrefix, "String", JSONValue(String(prefix)))
                } else if !label.isEmpty {
                    coding["display"] = JSONValue(label)
                }
            }
            option["valueCoding"] = coding
            options[key] = coding
            return option
        }
        if value.kind == .number, let number = value.integer, label.isEmpty || label == value.text() {
            options[key] = JSONValue(number)
            return ["valueInteger": JSONValue(number)]
        }
        guard label != code, !label.isEmpty else {
            options[key] = JSONValue(code)
            return ["valueString": JSONValue(code)]
        }
        let coding: JSONValue = ["code": JSONValue(code), "display": JSONValue(label)]
        options[key] = coding
        return ["valueCoding": coding]
    }

    /// The value of a choice as conditions have it; 1 and 0 for true and false.
    private static func key(_ value: JSONValue) -> ResearchKitCondition.Value {
        if let flag = value.boolean { return .number(flag ? "1" : "0") }
        if let digits = value.number { return .number(ResearchKitNumber(digits)?.text ?? digits) }
        return .text(value.string ?? value.text())
    }

    // MARK: Texts

    private mutating func readText() {
        type = isTrue("multipleLines") ? "text" : "string"
        if let length = json["maximumLength"]?.integer, length > 0 { maxLength = length }
        if let regex = json["validationRegularExpression"], let pattern = regex["pattern"]?.string {
            let names = regex["options"]?.elements?.compactMap(\.string) ?? []
            if names.isEmpty {
                addRegex(Self.whole(pattern), message: text("invalidMessage"))
            } else if names == ["NSRegularExpressionCaseInsensitive"] {
                addRegex("(?i)" + Self.whole(pattern), message: text("invalidMessage"))
            } else {
                reports.append("The pattern has options, \(names.joined(separator: ", ")); it is left out.")
            }
        }
        if let content = text("textContentType") {
            add(ExtensionURL.textContent[0], "String", JSONValue(content))
        }
        if isTrue("secureTextEntry") { reports.append("What is typed is shown.") }
        if let text = text("defaultTextAnswer") { initial = ["valueString": JSONValue(text)] }
    }

    private mutating func addRegex(_ pattern: String, message: String?) {
        do {
            _ = try BoundedRegex(pattern)
        } catch {
            reports.append("The pattern “\(pattern)” is left out: \(error)")
            return
        }
        add(ExtensionURL.regex, "String", JSONValue(pattern))
        if let message, message != "Invalid input" {
            add(ExtensionURL.validationTexts[0], "String", JSONValue(message))
        }
    }

    /// A pattern that matches a whole text where the given one is found in it: ResearchKit looks for a match
    /// anywhere, a questionnaire's pattern has to match all.
    static func whole(_ pattern: String) -> String {
        if pattern.hasPrefix("^(?:"), pattern.hasSuffix(")$") {
            let inner = String(pattern.dropFirst(4).dropLast(2))
            if isBalanced(inner) { return inner }
        }
        let hasAlternatives = pattern.contains("|")
        let isAnchored = pattern.hasPrefix("^") && !hasAlternatives
        var characters = pattern[...]
        var before = "[\\s\\S]*"
        var after = "[\\s\\S]*"
        if isAnchored {
            characters = characters.dropFirst()
            before = ""
        }
        let backslashes = characters.dropLast().reversed().prefix { $0 == "\\" }.count
        if characters.hasSuffix("$"), !hasAlternatives, backslashes.isMultiple(of: 2) {
            characters = characters.dropLast()
            after = ""
        }
        if before.isEmpty, after.isEmpty { return String(characters) }
        return "\(before)(?:\(characters))\(after)"
    }

    /// Whether parentheses are opened and closed in pairs, outside of classes and escapes.
    private static func isBalanced(_ pattern: String) -> Bool {
        var depth = 0
        var isClass = false
        var isEscaped = false
        for character in pattern {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch character {
            case "\\": isEscaped = true
            case "[": isClass = true
            case "]": isClass = false
            case "(" where !isClass: depth += 1
            case ")" where !isClass:
                depth -= 1
                if depth < 0 { return false }
            default: break
            }
        }
        return depth == 0 && !isEscaped
    }

    // MARK: Dates

    private mutating func readDate() {
        type = text("style") == "date" ? "date" : "dateTime"
        let name = type == "date" ? "Date" : "DateTime"
        for (member, url) in [
            ("minimumDate", ExtensionURL.minimum[0]), ("maximumDate", ExtensionURL.maximum[0]),
        ] {
            guard let text = text(member) else { continue }
            guard let value = date(text) else {
                reports.append("“\(text)” is no date; the bound is left out.")
                continue
            }
            add(url, name, JSONValue(value))
        }
        if let days = json["daysBeforeCurrentDateToSetMinimumDate"]?.integer, days > 0 {
            bound(ExtensionURL.minimum[0], name, by: "today() - \(days) days")
        }
        if let days = json["daysAfterCurrentDateToSetMinimumDate"]?.integer, days > 0 {
            bound(ExtensionURL.minimum[0], name, by: "today() + \(days) days")
        }
        if isTrue("isMaxDateCurrentTime") {
            bound(ExtensionURL.maximum[0], name, by: type == "date" ? "today()" : "now()")
        }
        if let text = text("defaultDate") {
            if let value = date(text) {
                initial = ["value\(name)": JSONValue(value)]
            } else {
                reports.append("“\(text)” is no date; the default answer is left out.")
            }
        }
    }

    private mutating func bound(_ url: String, _ name: String, by expression: String) {
        extensions.append([
            "url": JSONValue(url),
            "_value\(name)": [
                "extension": [
                    [
                        "url": JSONValue(ExtensionURL.expression),
                        "valueExpression": [
                            "language": "text/fhirpath", "expression": JSONValue(expression),
                        ],
                    ]
                ]
            ],
        ])
    }

    private func date(_ text: String) -> String? {
        guard let value = ResearchKitDate.dateTime(text) else { return nil }
        return type == "date" ? value.date.description : value.description
    }
}
