import FHIR

extension SurveyAnswer {
    /// The answer as people read it.
    public var label: String {
        switch self {
        case .boolean(let value): value ? "Yes" : "No"
        case .decimal(let value): value.description
        case .integer(let value): String(value)
        case .date(let value): value.description
        case .dateTime(let value): value.description
        case .time(let value): value.description
        case .string(let value): value
        case .uri(let value): value.rawValue
        case .coding(let value): value.display ?? value.code ?? ""
        case .reference(let value): value.display ?? value.reference ?? value.identifier?.value ?? ""
        case .attachment(let value): value.title ?? value.url?.rawValue ?? value.contentType ?? ""
        case .quantity(let value):
            [value.value?.description, value.unit ?? value.code].compactMap { $0 }.joined(separator: " ")
        }
    }

    /// The end of the name in JSON: `Coding` of `valueCoding`.
    public var typeSuffix: String { content.suffix }
}
