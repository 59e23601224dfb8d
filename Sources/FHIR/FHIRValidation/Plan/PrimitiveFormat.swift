import FHIR
import FHIRTables
import FHIRXML
import OrderedJSON

/// How the values of a primitive type are written.
struct PrimitiveFormat: Sendable {
    enum Kind: Sendable {
        case boolean, integer, decimal
        case string, code, id, uri, canonical, oid, uuid, base64, date, dateTime, instant, time, xhtml
        /// The id of an element, which is a string without spaces.
        case elementID
        /// A code of BCP 47, ISO 4217 or BCP 13: too many to list, but not any text.
        case language, currency, mediaType
    }

    /// What is wrong with a value.
    struct Problem {
        var severity = IssueSeverity.error
        var code = IssueType.value
        var rule: String?
        let text: String
    }

    let kind: Kind
    let typeName: String
    private let range: ClosedRange<Int>
    private let maximumLength: Int?

    init(_ type: DefinedType, element: DefinedElement) {
        typeName = type.name
        let value = type.element(named: "value")
        let largest = Int(Int32.max)
        range =
            switch type.name {
            case "positiveInt": 1...largest
            case "unsignedInt": 0...largest
            default: value?.range ?? Int(Int32.min)...largest
            }
        maximumLength = value?.maximumLength
        kind = Self.kind(type.name, element)
    }

    private static func kind(_ type: String, _ element: DefinedElement) -> Kind {
        switch type {
        case "boolean": .boolean
        case "integer", "positiveInt", "unsignedInt": .integer
        case "decimal": .decimal
        case "code": specialCode(element) ?? .code
        case "id": .id
        case "uri", "url": .uri
        case "canonical": .canonical
        case "oid": .oid
        case "uuid": .uuid
        case "base64Binary": .base64
        case "date": .date
        case "dateTime": .dateTime
        case "instant": .instant
        case "time": .time
        case "xhtml": .xhtml
        default: element.name == "id" && element.isXMLAttribute ? .elementID : .string
        }
    }

    /// The kind for bindings to value sets that cannot be enumerated.
    private static func specialCode(_ element: DefinedElement) -> Kind? {
        guard let binding = element.binding else { return nil }
        if binding.maximumValueSet == "all-languages" { return .language }
        guard binding.strength == .required else { return nil }
        return switch binding.valueSet {
        case "currencies": .currency
        // What describes or tests a server may also say `xml` or `json`.
        case "mimetypes":
            element.path.hasPrefix("CapabilityStatement.") || element.path.hasPrefix("TestScript.")
                ? nil : .mediaType
        default: nil
        }
    }

    // MARK: Checking

    /// What is wrong with a value that is not `null`; `nil` for a good one.
    func problem(in value: ParsedNode) -> Problem? {
        switch kind {
        case .boolean: return value.kind == .boolean ? nil : wrongJSON("true or false")
        case .decimal: return value.kind == .number ? nil : wrongJSON("a number")
        case .integer:
            guard value.kind == .number else { return wrongJSON("a number") }
            guard let integer = value.value.integer else {
                return Problem(text: "not an integer of the type \(typeName)")
            }
            return range.contains(integer)
                ? nil
                : Problem(text: "not in the range of \(typeName): \(range.lowerBound) to \(range.upperBound)")
        default:
            guard value.kind == .string else { return wrongJSON("a string") }
            return value.withUTF8 { problem(in: $0) } ?? nil
        }
    }

    private func wrongJSON(_ expected: String) -> Problem {
        Problem(code: .structure, text: "a value of the type \(typeName) is \(expected) in JSON")
    }

    private func problem(in text: UnsafeBufferPointer<UInt8>) -> Problem? {
        guard !text.isEmpty else { return Problem(text: "an empty string is not a value") }
        // FHIR R4, “Data Types”, string: at most 1 MB.
        if kind == .elementID, text.count > 1_048_576 {
            return Problem(code: .tooLong, text: "a string has at most 1,048,576 characters")
        }
        switch kind {
        case .string: return problem(inString: text)
        case .xhtml:
            return NarrativeMarkup.problem(in: String(decoding: text, as: UTF8.self)).map {
                Problem(code: .invariant, rule: $0.rule, text: $0.description)
            }
        case .date: return TextScan.date(text) ? nil : wrongTime(text)
        case .dateTime: return TextScan.dateTime(text) ? nil : wrongTime(text)
        case .instant: return TextScan.instant(text) ? nil : wrongTime(text)
        case .time: return TextScan.time(text) ? nil : wrongFormat
        case .code: return TextScan.isCode(text) ? nil : wrongFormat
        case .id:
            if text.count > 64 { return Problem(text: "an id has at most 64 characters") }
            return text.allSatisfy(TextScan.isIDCharacter)
                ? nil : Problem(text: "an id has only letters, digits, '-' and '.'")
        case .elementID:
            return TextScan.hasSpace(text) ? Problem(text: "the id of an element has no spaces") : nil
        case .uri, .canonical, .oid, .uuid: return problem(inURI: text)
        case .base64: return TextScan.isBase64(text) ? nil : wrongFormat
        case .language: return TextScan.isLanguageTag(text) ? nil : notOf("BCP 47 (languages)")
        case .currency: return TextScan.isCurrency(text) ? nil : notOf("ISO 4217 (currencies)")
        case .mediaType: return TextScan.isMediaType(text) ? nil : notOf("BCP 13 (media types)")
        case .boolean, .integer, .decimal: return nil
        }
    }

    private var wrongFormat: Problem { Problem(text: "not written as the type \(typeName) is") }

    private func wrongTime(_ text: TextScan.Text) -> Problem {
        TextScan.timeProblem(text).map { Problem(text: $0) } ?? wrongFormat
    }

    private func notOf(_ system: String) -> Problem {
        Problem(code: .codeInvalid, text: "not a code of \(system)")
    }

    private func problem(inString text: UnsafeBufferPointer<UInt8>) -> Problem? {
        var hasText = false
        for byte in text {
            if byte > 0x20 {
                hasText = true
            } else if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                return Problem(
                    text: "a string has no control characters but tab, carriage return and line feed"
                )
            }
        }
        if let maximumLength, text.count > maximumLength,
            text.count(where: { $0 & 0xC0 != 0x80 }) > maximumLength
        {
            return Problem(code: .tooLong, text: "longer than \(maximumLength) characters")
        }
        return hasText ? nil : Problem(severity: .warning, text: "a string has only white space")
    }

    private func problem(inURI text: UnsafeBufferPointer<UInt8>) -> Problem? {
        if TextScan.hasSpace(text) { return Problem(text: "a URI has no spaces") }
        // A fragment is not a part of the UUID or OID.
        let text = UnsafeBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: "#") })
        if kind == .uuid || text.begins(with: "urn:uuid:") {
            return TextScan.isUUID(text)
                ? nil : Problem(text: "a UUID is written urn:uuid: and 36 characters in lower case")
        }
        if kind == .oid || text.begins(with: "urn:oid:") {
            return TextScan.isOID(text)
                ? nil : Problem(text: "an OID is written urn:oid: and numbers with points between")
        }
        if kind == .canonical, !text.isEmpty, !TextScan.hasScheme(text) {
            // Several of the specification's own examples have relative ones.
            return Problem(
                severity: .warning,
                text: "a canonical URL is absolute, or # and the id of a contained resource"
            )
        }
        return nil
    }
}
