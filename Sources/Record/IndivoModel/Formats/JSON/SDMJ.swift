import Foundation
import IndivoXML
import OrderedJSON

/// SDMJ, the JSON form of data models, which servers give for reports: it is turned into SDMX and made of it.
package enum SDMJ {
    /// Whether bytes begin as JSON's lists and objects do. No XML does.
    package static func isLikely(_ data: Data) -> Bool {
        let first = data.first { !($0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D) }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    }

    /// The models of an SDMJ text as a `Models` element.
    package static func models(parsing json: Data) throws(SDMJError) -> XMLNode {
        try SDMJReader.models(in: value(parsing: json))
    }

    /// - Throws: ``SDMJError`` for what is not JSON.
    static func value(parsing json: Data) throws(SDMJError) -> JSONValue {
        var limits = JSONLimits()
        // Servers write them, and they are unreadable values then.
        limits.takesNonFiniteNumbers = true
        do { return try JSONValue(parsing: json, limits: limits) } catch {
            throw SDMJError(reason: error.reason.description, at: error.location)
        }
    }

    /// The models of a `Models` element as SDMJ, a list even of one.
    static func text(of models: XMLNode) throws -> Data {
        try list(SDMX.models(in: models), path: "", depth: 1).fileData
    }

    private static func object(_ model: XMLNode, path: String, depth: Int) throws(SDMJError) -> JSONValue {
        guard depth <= SDMX.maximumDepth else { throw SDMJError(path: path, reason: tooDeep) }
        let name = model.attr("name") ?? ""
        guard !name.isEmpty else {
            throw SDMJError(path: path, reason: "the model has no name, and SDMJ has no models without one")
        }
        var members = [JSONMember(name: "__modelname__", value: JSONValue(name))]
        if let id = model.attr("documentId"), !id.isEmpty {
            members.append(JSONMember(name: "__documentid__", value: JSONValue(id)))
        }
        let schema = DocumentClasses.schema(ofModel: name)
        // A field that is given twice is a member twice: of both the last counts, for servers as for most who
        // read JSON.
        for field in model.ownChildren(named: "Field") {
            let name = field.attr("name") ?? ""
            let place = "\(path).\(name)"
            guard name != "__modelname__", name != "__documentid__" else {
                throw SDMJError(
                    path: place,
                    reason: "a field cannot be called so in SDMJ, which says something else by it"
                )
            }
            members.append(
                JSONMember(name: name, value: try value(of: field, name, schema, path: place, depth: depth))
            )
        }
        return JSONValue(members: members)
    }

    private static func list(_ models: [XMLNode], path: String, depth: Int) throws(SDMJError) -> JSONValue {
        JSONValue(
            try models.enumerated().map { (index, model) throws(SDMJError) in
                try object(model, path: "\(path)[\(index)]", depth: depth)
            }
        )
    }

    /// What is wrong with models inside each other that nobody could read.
    static let tooDeep = "models lie more than \(SDMX.maximumDepth) deep"

    private static func value(
        of field: XMLNode,
        _ name: String,
        _ schema: ModelSchema,
        path: String,
        depth: Int
    ) throws(SDMJError) -> JSONValue {
        let models = field.relatedModels
        if field.ownChild(named: "Models") != nil || models.count > 1 {
            return try list(models, path: path, depth: depth + 1)
        }
        if let model = models.first { return try object(model, path: path, depth: depth + 1) }
        let text = field.text()
        if let relation = schema.relation(named: name), text.trimmingXMLSpace.isEmpty {
            return relation.shape.isList ? [] : .null
        }
        guard !text.isEmpty else { return .null }
        guard case .leaf(let leaf)? = schema.field(named: name)?.target else { return JSONValue(text) }
        switch schema.leaves[leaf].type.dataType {
        case .number: return JSONValue(digits: text)
        case .boolean where text.lowercased() == "true": return true
        case .boolean where text.lowercased() == "false": return false
        default: return JSONValue(text)
        }
    }

    /// A list of flat objects, each by its members' names: texts as they are, numbers by their digits, null
    /// left out.
    package static func rows(parsing json: Data) throws(SDMJError) -> [[String: String]] {
        let root = try value(parsing: json)
        guard let items = root.elements else { throw SDMJError(at: root, in: root, "expected a list") }
        return try items.map { (item) throws(SDMJError) in
            guard let members = item.members else {
                throw SDMJError(at: item, in: root, "expected an object")
            }
            var row: [String: String] = [:]
            for member in members where !member.value.isNull {
                guard let text = member.value.scalarText else {
                    throw SDMJError(at: member.value, in: root, "expected a single value")
                }
                row[member.name] = text
            }
            return row
        }
    }
}

extension SDMXDocument {
    /// Reads SDMJ, the JSON form of data models: a list of models, or one.
    /// - Throws: ``SDMJError`` with line, column and the path of the value that is not a model;
    ///   ``DocumentError``.
    public init(json: Data) throws { try self.init(SDMJ.models(parsing: json)) }

    /// Reads as much of every model as can be read; see ``IndivoDocument/read(from:problems:)``.
    /// - Parameter problems: What could not be read is added here.
    /// - Throws: ``SDMJError``, ``DocumentError``.
    public init(json: Data, problems: inout [DocumentError]) throws {
        try self.init(SDMJ.models(parsing: json), problems: &problems)
    }

    /// The document in SDMJ, a list even of one model.
    public func json(naming: IndivoDocument.FieldNaming = .asRead) throws -> Data {
        try SDMJ.text(of: xml(naming: naming))
    }
}
