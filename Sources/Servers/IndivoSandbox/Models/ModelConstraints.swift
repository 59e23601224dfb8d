import IndivoModel
import OrderedJSON

/// What the values of a model's fields must be like: lengths, choices, and the code systems of the core
/// models.
struct ModelConstraints: Sendable {
    /// The longest a text may be; nil for any length.
    private var lengths: [String: Int?] = [:]
    /// Of a core model: what its notes say of the leaves.
    private let rules: [String: LeafRules]
    private var choices: [String: [String]] = [:]
    private var emails: Set<String> = []
    /// Fields that hold something in every row: omitted text is "".
    let neverNull: Set<String>

    init(_ model: DataModel) {
        let names = Set(model.fields.map(\.name))
        let rules = DataModel.rules(ofCoreModel: model.name) ?? [:]
        neverNull =
            Self.modelsInColumns.contains(model.name) ? Set(rules.filter(\.value.isRequired).keys) : []
        self.rules = Self.modelsInColumns.contains(model.name) ? [:] : rules
        for field in model.fields where field.type == .string {
            lengths[field.name] = 255
            let name = field.name
            if name.hasSuffix("_postalcode") { lengths[name] = 12 }
            if name.hasSuffix("_preferred_p") { continue }
            // A telephone has three parts, a provider twenty-four: told by the parts beside.
            if name.hasSuffix("_number"), names.contains(name.dropLast(6) + "preferred_p") {
                lengths[name] = 20
            }
            if name.hasSuffix("_type"), names.contains(name.dropLast(4) + "preferred_p") {
                choices[name] = ["h", "w", "c"]
            }
            if name.hasSuffix("_gender"), names.contains(name.dropLast(6) + "npi_number") {
                choices[name] = ["m", "f"]
            }
            if name.hasSuffix("_email"), names.contains(name.dropLast(5) + "npi_number") {
                emails.insert(name)
            }
        }
        for (name, rules) in rules where lengths[name] != nil { lengths[name] = .some(rules.maximumLength) }
    }

    /// The oldest models, whose required fields the real server's database demands, and nobody before it.
    private static let modelsInColumns: Set = ["Equipment", "Measurement", "Procedure", "SimpleClinicalNote"]

    /// The first field, by name, whose value will not do, and why; nil when all will.
    func violation(in values: [String: JSONValue], of model: ModelShape) -> String? {
        model.fields.map(\.name).sorted().lazy.compactMap { name in
            violation(of: name, values[name] ?? .null).map { "\(name) -- \($0)" }
        }.first
    }

    private func violation(of field: String, _ value: JSONValue) -> String? {
        let text = value.string
        if let rules = rules[field] {
            if value.isNull || rules.allowed == nil && text == "" {
                if rules.isRequired { return "This field cannot be blank." }
            } else if let allowed = rules.allowed?.texts, case let written = text ?? value.text(),
                !allowed.contains(written)
            {
                return "Invalid value: \(written). Expected one of: \(allowed.joined(separator: ", "))"
            }
        }
        guard let text, !text.isEmpty else { return nil }
        if let options = choices[field], !options.contains(text) {
            return "Value '\(text)' is not a valid choice."
        }
        // The real server counts code points.
        if let length = lengths[field] ?? nil, case let count = text.unicodeScalars.count, count > length {
            return "Ensure this value has at most \(length) characters (it has \(count))."
        }
        if emails.contains(field), text.wholeMatch(of: /[^@\s]+@[^@\s]+\.[^@\s]+/) == nil {
            return "Enter a valid e-mail address."
        }
        return nil
    }
}
