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

/// Why a document that is well-formed and valid makes no facts: what it nests is not what its model nests.
/// The server stores it all the same and says nothing.
struct NoFacts: Error {}

extension JSONValue {
    /// A number as the body of a fact holds it. JSON has no word for NaN: its text is stored, which SQLite
    /// sorts after all numbers, as the real server's database does. An infinite one is a number that is too
    /// large.
    init(storing number: Double) {
        self =
            number.isNaN
            ? JSONValue("nan")
            : JSONValue(number: number.isFinite ? "\(number)" : number < 0 ? "-1e999" : "1e999") ?? .null
    }

    /// The number that was stored so.
    var storedNumber: Double? { double ?? (string == "nan" ? .nan : nil) }
}

struct FactReader {
    let shape: ModelShape
    var values: [String: JSONValue] = [:]

    /// Reads one field. Where a field occurs twice the last one counts.
    mutating func read(_ name: String, _ text: String) throws {
        guard let type = shape.fieldTypes[name] else {
            throw ContentError(sentence: "Invalid SDM data: Non-existent data field: \(name)")
        }
        values[name] = text.isEmpty ? .null : try FactReader.value(of: text, type, name)
    }

    /// The fact, once every field is read: omitted fields are null, booleans false, and text that is never
    /// null is "".
    ///
    /// - Throws: ``Refusal`` where the real server's database, which is asked last, misses a value.
    func finish() throws -> FactDraft {
        var values = self.values
        for field in shape.fields where values[field.name] == nil {
            let isNeededText = field.type == .string && shape.constraints.neverNull.contains(field.name)
            values[field.name] = field.type == .boolean ? false : isNeededText ? "" : .null
        }
        let problem = shape.constraints.violation(in: values, of: shape)
        try require(problem == nil, sentence: "\(shape.name) object didn't validate: \(problem ?? "")")
        let missing = shape.constraints.neverNull.sorted().first { values[$0] == .null }
        try require(
            missing == nil,
            .serverFails(why: "the field \(missing ?? "") of a \(shape.name) must have a value")
        )
        return FactDraft(model: shape.name, values: values)
    }

    static func value(of text: String, _ type: DataModel.FieldType, _ name: String) throws -> JSONValue {
        func refuse(_ kind: String) -> ContentError {
            ContentError(
                sentence:
                    """
                    Invalid SDM data: SDM data for field \(name) should have been \(kind): \
                    got \(text) instead
                    """
            )
        }
        switch type {
        case .string: return JSONValue(text)
        case .number:
            guard let number = decimal(text) else { throw refuse("numeric") }
            return JSONValue(storing: number)
        case .boolean:
            guard let value = Bool(text.lowercased()) else { throw refuse("boolean") }
            return JSONValue(value)
        case .date, .dateTime:
            guard let instant = IndivoDate.parseDateTime(text) else { throw refuse("an iso8601 datetime") }
            return JSONValue(type == .date ? instant.day : instant.sortableText)
        }
    }

    /// The number that `float` of the real server's language makes of a text: blanks around it, an exponent,
    /// digits of any script, and the names of what is not finite are allowed. Its database keeps no sign of
    /// a zero.
    static func decimal(_ text: String) -> Double? {
        let trimmed = PythonText.plainNumber(text)
        let isSigned = trimmed.utf8.first.map { "+-".utf8.contains($0) } ?? false
        switch (isSigned ? String(trimmed.dropFirst()) : trimmed).lowercased() {
        case "nan": return .nan
        case "inf", "infinity": return trimmed.hasPrefix("-") ? -.infinity : .infinity
        default: break
        }
        guard trimmed.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(trimmed)
        else { return nil }
        return number == 0 ? 0 : number
    }
}
