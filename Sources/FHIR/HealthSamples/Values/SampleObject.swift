import FHIR
import IndivoBase
import OrderedJSON

/// An object of a sample's JSON, whose members are known.
struct SampleObject {
    private var values: [String: JSONValue] = [:]

    /// - Throws: ``SampleError`` where it is not an object, or has a member twice or one of another name.
    init(_ json: JSONValue, _ name: String, members known: [String]) throws(SampleError) {
        guard let members = json.members else { throw .malformed(name: name, expected: "an object") }
        for member in members {
            guard known.contains(member.name) else {
                let name = String(member.name.prefix(60))
                throw .unknownMember(name, hint: Spelling.hint(for: name, among: known))
            }
            guard values.updateValue(member.value, forKey: member.name) == nil else {
                throw .malformed(name: member.name, expected: "there once only")
            }
        }
    }

    subscript(name: String) -> JSONValue? { values[name] }

    func optionalText(_ name: String) throws(SampleError) -> String? {
        guard let value = values[name] else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 1 << 20 else {
            throw .malformed(name: name, expected: "a text")
        }
        try SampleText.check(text, name)
        return text
    }

    func text(_ name: String) throws(SampleError) -> String {
        guard let text = try optionalText(name) else { throw .missing(name) }
        return text
    }

    func texts(_ name: String) throws(SampleError) -> [String] {
        guard let value = values[name] else { return [] }
        guard let elements = value.elements, elements.count <= 1000 else {
            throw .malformed(name: name, expected: "an array of texts")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string, !text.isEmpty else {
                throw .malformed(name: name, expected: "an array of texts")
            }
            try SampleText.check(text, name)
            texts.append(text)
        }
        return texts
    }

    func date(_ name: String) throws(SampleError) -> FHIRDateTime {
        let text = try text(name)
        guard let date = FHIRDateTime(text: text), date.time != nil else {
            throw .date(name: name, text: text)
        }
        return date
    }

    func number(_ name: String) throws(SampleError) -> FHIRDecimal {
        guard let value = values[name] else { throw .missing(name) }
        return try SampleNumber.read(value.number ?? value.text(), name)
    }

    func optionalNumber(_ name: String) throws(SampleError) -> FHIRDecimal? {
        values[name] == nil ? nil : try number(name)
    }

    /// `value` with `unit` or `ucum`.
    func quantity() throws(SampleError) -> SampleQuantity {
        let value = try number("value")
        switch (try optionalText("unit"), try optionalText("ucum")) {
        case (let unit?, nil): return SampleQuantity(value: value, unit: .healthKit(unit))
        case (nil, let unit?): return SampleQuantity(value: value, unit: .ucum(unit))
        case (nil, nil): throw .missing("unit")
        default: throw .malformed(name: "ucum", expected: "left out, as 'unit' is there")
        }
    }

    func optionalQuantity(_ name: String) throws(SampleError) -> SampleQuantity? {
        guard let value = values[name] else { return nil }
        return try SampleObject(value, name, members: ["value", "unit", "ucum"]).quantity()
    }
}
