import FHIR
import FHIRPathEngine
import IndivoBase

/// Checks single answers of an item.
struct AnswerChecker {
    let item: SurveyItem
    /// What may be chosen; nil where that is not known or anything may be entered.
    var options: [SurveyOption]?
    var minimum: SurveyAnswer?
    var maximum: SurveyAnswer?

    init(item: SurveyItem) { self.item = item }

    func reasons(against answer: SurveyAnswer) -> [SurveyProblem.Reason] {
        var reasons: [SurveyProblem.Reason] = []
        if !isStorable(answer) { reasons.append(.malformed) }
        switch answer {
        case .string(let text): reasons += check(text)
        case .uri(let uri): reasons += check(uri.rawValue)
        case .integer, .decimal, .quantity: reasons += checkNumber(answer)
        case .attachment(let attachment): reasons += check(attachment)
        case .reference(let reference): reasons += check(reference)
        default: break
        }
        if let minimum, answer.compared(to: minimum) == .less {
            reasons.append(.tooSmall(minimum: minimum.label))
        }
        if let maximum, answer.compared(to: maximum) == .greater {
            reasons.append(.tooLarge(maximum: maximum.label))
        }
        for bound in [minimum, maximum].compactMap({ $0 }) where !reasons.hasUnit {
            if case .quantity(let quantity) = bound, answer.isInOtherDimension(than: quantity) {
                reasons.append(.unit(allowed: [SurveyText(quantity.unit ?? quantity.code ?? "")]))
            }
        }
        if let options, !isOption(answer, of: options) { reasons.append(.notAnOption) }
        return reasons
    }

    private func isOption(_ answer: SurveyAnswer, of options: [SurveyOption]) -> Bool {
        if item.format.isOpen, case .string = answer { return true }
        return item.format.candidates(options, for: answer).contains { $0.value.equals(answer) }
    }

    /// Whether the value is one of FHIR's (R4, datatypes).
    private func isStorable(_ answer: SurveyAnswer) -> Bool {
        switch answer {
        case .integer(let value): Int32(exactly: value) != nil
        case .decimal(let value): value.decimal != nil
        case .uri(let uri): isURI(uri.rawValue)
        case .string(let text): text.utf8.count <= 1_048_576
        case .coding(let coding): coding.code != nil || coding.display != nil
        case .quantity(let quantity): quantity.value != nil
        default: true
        }
    }

    /// Whether a text is a URI: no white space, and of a UUID lower case.
    private func isURI(_ text: String) -> Bool {
        guard !text.utf8.contains(where: { $0 <= 0x20 }) else { return false }
        guard text.hasPrefix("urn:uuid:") else { return true }
        let digits = text.utf8.dropFirst(9).split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        return digits.map(\.count) == [8, 4, 4, 4, 12]
            && digits.joined().allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
    }

    // MARK: Texts

    private func check(_ text: String) -> [SurveyProblem.Reason] {
        var reasons: [SurveyProblem.Reason] = []
        let length = text.unicodeScalars.count
        if let maximum = item.format.maxLength, length > maximum {
            reasons.append(.tooLong(maximum: maximum))
        }
        if let minimum = item.format.minLength, length < minimum {
            reasons.append(.tooShort(minimum: minimum))
        }
        if let pattern = item.format.pattern, (try? pattern.regex.matchesWhole(text)) != true {
            reasons.append(.pattern(message: pattern.message))
        }
        return reasons
    }

    // MARK: Numbers

    private func checkNumber(_ answer: SurveyAnswer) -> [SurveyProblem.Reason] {
        var reasons: [SurveyProblem.Reason] = []
        var digits: String?
        if case .decimal(let value) = answer { digits = value.description }
        if case .quantity(let quantity) = answer {
            digits = quantity.value?.description
            if !item.format.units.isEmpty, !item.format.isUnitOpen, !hasUnit(quantity) {
                reasons.append(.unit(allowed: item.format.units.map { SurveyText($0) }))
            }
        }
        if let maximum = item.format.maxDecimalPlaces, let digits,
            let point = digits.utf8.firstIndex(of: UInt8(ascii: "."))
        {
            let fraction = digits[digits.index(after: point)...].prefix { $0.isNumber }
            if fraction.count > maximum { reasons.append(.tooManyDecimals(maximum: maximum)) }
        }
        return reasons
    }

    private func hasUnit(_ quantity: Quantity) -> Bool {
        item.format.units.contains { unit in
            quantity.code == nil
                ? quantity.unit != nil && (quantity.unit == unit.display || quantity.unit == unit.code)
                : quantity.code == unit.code
                    && (quantity.system == unit.system || quantity.system == nil || unit.system == nil)
        }
    }

    // MARK: Attachments and references

    private func check(_ attachment: Attachment) -> [SurveyProblem.Reason] {
        var reasons: [SurveyProblem.Reason] = []
        let allowed = item.format.mediaTypes
        if !allowed.isEmpty {
            let type = (attachment.contentType ?? "").prefix { $0 != ";" }.lowercased()
            let fits = allowed.contains { pattern in
                let pattern = pattern.lowercased()
                return pattern.hasSuffix("/*")
                    ? type.hasPrefix(pattern.dropLast()) : pattern == type || pattern == "*/*"
            }
            if !fits { reasons.append(.attachmentType(allowed: allowed)) }
        }
        // Base64 has four characters for three bytes.
        let bytes = attachment.tree.member("data")?.string.map { data in
            let digits = data.utf8.count { $0 > 0x20 }
            return digits / 4 * 3 - data.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        }
        if let bytes, let stated = attachment.size, bytes != stated {
            reasons.append(.attachmentSize(stated: stated, found: bytes))
        }
        if let maximum = item.format.maxBytes, max(bytes ?? 0, attachment.size ?? 0) > maximum {
            reasons.append(.attachmentTooLarge(maximum: maximum))
        }
        return reasons
    }

    private func check(_ reference: Reference<AnyResource>) -> [SurveyProblem.Reason] {
        let allowed = item.format.referenceTypes
        guard let type = reference.target?.type ?? reference.type?.rawValue else { return [] }
        if case .other = ResourceType(type) { return [.malformed] }
        guard !allowed.isEmpty, !allowed.contains(type) else { return [] }
        return [.referenceType(allowed: allowed)]
    }
}

extension [SurveyProblem.Reason] {
    fileprivate var hasUnit: Bool { contains { if case .unit = $0 { true } else { false } } }
}

extension SurveyItem {
    /// Whether the item's answers can be of the answer's type (FHIR R4, `item-type`).
    func accepts(_ answer: SurveyAnswer) -> Bool {
        switch (type, answer) {
        case (.boolean, .boolean), (.decimal, .decimal), (.decimal, .integer), (.integer, .integer),
            (.date, .date),
            (.dateTime, .dateTime), (.dateTime, .date), (.time, .time), (.string, .string), (.text, .string),
            (.url, .uri),
            (.attachment, .attachment), (.reference, .reference), (.quantity, .quantity):
            return true
        case (.choice, .coding), (.openChoice, .coding), (.openChoice, .string): return true
        case (.choice, _), (.openChoice, _):
            // Options of other types have answers of those types.
            guard case .listed(let options)? = format.options else {
                if case .string = answer { return !isCodingOnly }
                return false
            }
            return options.contains { $0.value.typeSuffix == answer.typeSuffix }
        case (.group, _), (.display, _): return false
        default: return false
        }
    }

    /// Whether an answer of another type can be taken for one of the item's type, though a response must not
    /// have it: an integer for a decimal, a date for a date and time.
    func converts(_ answer: SurveyAnswer) -> Bool {
        switch (type, answer) {
        case (.decimal, .integer), (.dateTime, .date): true
        default: false
        }
    }

    private var isCodingOnly: Bool {
        switch format.options {
        case .external?, .searched?: true
        default: false
        }
    }
}

extension SurveyAnswer {
    /// Whether the answer says nothing: a text of white space, an object without members.
    var isEmpty: Bool {
        switch self {
        case .string(let text): text.utf8.allSatisfy { $0 <= 0x20 }
        case .uri(let uri): uri.rawValue.isEmpty
        case .attachment(let value): value.tree.members?.isEmpty ?? true
        case .coding(let value): value.tree.members?.isEmpty ?? true
        case .quantity(let value): value.tree.members?.isEmpty ?? true
        case .reference(let value): value.tree.members?.isEmpty ?? true
        default: false
        }
    }
}
