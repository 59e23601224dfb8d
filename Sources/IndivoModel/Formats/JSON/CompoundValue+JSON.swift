import Foundation
import OrderedJSON

extension CompoundValue {
    /// Reads the value from a JSON object, such as an app's manifest.
    ///
    /// - Throws: ``SDMJError`` with line and column when the text is not JSON; ``DocumentError`` naming the property
    ///   and the reason when it says something else.
    public static func read(json: Data) throws -> Self { try read(SDMJ.value(parsing: json), collecting: nil) }

    /// Reads as much of the value as can be read; see ``IndivoDocument/read(from:problems:)``.
    /// - Throws: ``SDMJError`` when the text is not JSON; ``DocumentError`` when it is no object.
    public static func read(json: Data, problems: inout [DocumentError]) throws -> Self {
        let value = try SDMJ.value(parsing: json)
        return try ReadingProblems.collect(into: &problems) { try read(value, collecting: $0) }
    }

    /// Reads a JSON list of such values, such as the list of all apps.
    /// - Throws: As ``read(json:)``; also ``SDMJError`` when the JSON is no list.
    public static func readList(json: Data) throws -> [Self] {
        let value = try SDMJ.value(parsing: json)
        guard let items = value.elements else {
            throw SDMJError(at: value, in: value, "expected a list, found \(value.kindName)")
        }
        return try items.map { try read($0, collecting: nil) }
    }

    private static func read(_ json: JSONValue, collecting problems: ReadingProblems?) throws -> Self {
        guard json.kind == .object else {
            throw DocumentError(.notADocument(found: json.kindName, expected: "an object"), document: "\(Self.self)")
        }
        let schema = ModelSchema.of(Self.self)
        let reader = TableReader(schema, .json, documentName: schema.typeName, problems: problems)
        try reader.decode(json, key: nil)
        return try reader.value()
    }

    /// The value as a JSON object, indented.
    ///
    /// - Parameter source: The JSON the value was read from. What the type does not know is kept then, with the order
    ///   of the members and the spelling of numbers; only what changed is written anew.
    /// - Throws: ``DocumentError`` when a field cannot stand in JSON; ``SDMJError`` when the source is not JSON.
    public func json(updating source: Data? = nil) throws -> Data {
        try jsonValue(updating: source.map { try SDMJ.value(parsing: $0) }).fileData
    }

    fileprivate func jsonValue(updating source: JSONValue?) throws -> JSONValue {
        let table = FieldTable(self, .json)
        return try JSONFormat.updated(source, with: table, table.schema.group).value
    }
}

extension Array where Element: CompoundValue {
    /// The values as a JSON list.
    ///
    /// - Parameter source: The JSON list they were read from; see ``CompoundValue/json(updating:)``. Values may have
    ///   been added, moved or removed since: each is found by what it says.
    /// - Throws: As ``CompoundValue/json(updating:)``.
    public func json(updating source: Data? = nil) throws -> Data {
        let originals = try source.flatMap { try SDMJ.value(parsing: $0).elements }.map { [JSONValue]($0) } ?? []
        let positions = try ListMatch.positions(of: count, among: originals.count, guessesChanged: true, by: { index, position in
            try self[index].jsonValue(updating: originals[position]) == originals[position]
        })
        let items = try indices.map { index in
            try self[index].jsonValue(updating: positions[index].map { originals[$0] })
        }
        return JSONValue(items).fileData
    }
}
