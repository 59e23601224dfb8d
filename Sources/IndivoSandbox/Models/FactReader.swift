import Foundation
import IndivoModel
import OrderedJSON

/// An object of a data model on its way into the database, with what is nested in it.
struct FactDraft: Sendable {
    var model: String
    var values: [String: JSONValue]
    /// By the names under which reports list them.
    var children: [(relation: String, fact: FactDraft)] = []
}

/// Why a document that is well-formed and valid makes no facts. The server stores it all the same and says nothing.
struct NoFacts: Error {}

struct FactReader {
    let shape: ModelShape
    var values: [String: JSONValue] = [:]

    /// Reads one field. Where a field occurs twice the last one counts.
    mutating func read(_ name: String, _ text: String) throws {
        guard let type = shape.fieldTypes[name] else {
            throw ContentError(sentence: "Invalid SDM data: Non-existent data field: \(name)")
        }
        guard !text.isEmpty else {
            if shape.constraints.neverNull.contains(name) { throw NoFacts() }
            values[name] = .null
            return
        }
        values[name] = try FactReader.value(of: text, type, name)
    }

    /// The fact, once every field is read: omitted fields are null, booleans false, and text that is never null is "".
    func finish() throws -> FactDraft {
        var values = self.values
        for field in shape.fields where values[field.name] == nil {
            let isNeeded = shape.constraints.neverNull.contains(field.name)
            guard !isNeeded || field.type == .string || field.type == .boolean else { throw NoFacts() }
            values[field.name] = field.type == .boolean ? false : isNeeded ? "" : .null
        }
        let problem = shape.constraints.violation(in: values, of: shape)
        try require(problem == nil, sentence: "\(shape.name) object didn't validate: \(problem ?? "")")
        return FactDraft(model: shape.name, values: values)
    }

    static func value(of text: String, _ type: DataModel.FieldType, _ name: String) throws -> JSONValue {
        func refuse(_ kind: String) -> ContentError {
            ContentError(sentence: "Invalid SDM data: SDM data for field \(name) should have been \(kind): got \(text) instead")
        }
        switch type {
        case .string: return JSONValue(text)
        case .number:
            guard let number = decimal(text) else { throw refuse("numeric") }
            return JSONValue(decimal: number)
        case .boolean:
            guard let value = Bool(text.lowercased()) else { throw refuse("boolean") }
            return JSONValue(value)
        case .date, .dateTime:
            guard let instant = IndivoDate.parseDateTime(text) else { throw refuse("an iso8601 datetime") }
            return JSONValue(type == .date ? instant.day : instant.sortableText)
        }
    }

    /// A number as people write it, blanks around it and an exponent allowed; nothing that is not finite.
    static func decimal(_ text: String) -> Double? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(trimmed), number.isFinite
        else { return nil }
        return number
    }
}
