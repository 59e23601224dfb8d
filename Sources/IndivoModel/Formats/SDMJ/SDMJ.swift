import Foundation
import IndivoXML

/// SDMJ, the JSON form of data models, which servers give for reports.
///
/// It is the twin of SDMX: each is turned into the other, and everything else works on SDMX.
package enum SDMJ {
    /// Whether bytes begin as JSON's lists and objects do. No XML does.
    package static func isLikely(_ data: Data) -> Bool {
        let first = data.first { !($0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D) }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    }

    /// The models of an SDMJ text as a `Models` element.
    package static func models(parsing json: Data) throws -> XMLNode {
        if let models = json.withUnsafeBytes({ SDMJReader.models(in: $0.bindMemory(to: UInt8.self)) }) { return models }
        let value = try JSONParser.parse(json)
        let items =
            switch value {
            case .array(let items): items
            case .object: [value]
            default: throw SDMJError(path: "", reason: "expected a list of models, found \(value.kindName)")
            }
        let root = XMLNode("Models", namespace: SDMX.namespace)
        for (index, item) in items.enumerated() { root.append(try model(item, path: "[\(index)]")) }
        return root
    }

    /// The models of a `Models` element as SDMJ, a list even of one.
    static func text(of models: XMLNode) throws -> Data {
        var text = ""
        try list(SDMX.models(in: models), path: "").write(to: &text)
        return Data((text + "\n").utf8)
    }

    // MARK: SDMJ to SDMX

    private static func model(_ value: JSONValue, path: String) throws(SDMJError) -> XMLNode {
        guard case .object(let members) = value else {
            throw SDMJError(path: path, reason: "expected a model (an object), found \(value.kindName)")
        }
        guard case .string(let name)? = members.last(where: { $0.name == "__modelname__" })?.value, !name.isEmpty else {
            throw SDMJError(path: path, reason: "the model has no “__modelname__”")
        }
        let element = XMLNode("Model", namespace: SDMX.namespace, attributes: ["name": name])
        if case .string(let id)? = members.last(where: { $0.name == "__documentid__" })?.value {
            element.attr("documentId", id)
        }
        for member in members where member.name != "__modelname__" && member.name != "__documentid__" {
            element.append(try field(member, path: path.isEmpty ? member.name : "\(path).\(member.name)"))
        }
        return element
    }

    private static func field(_ member: JSONValue.Member, path: String) throws(SDMJError) -> XMLNode {
        let field = XMLNode("Field", namespace: SDMX.namespace, attributes: ["name": member.name])
        switch member.value {
        case .null: break
        case .bool(let value): field.text(value.lexical)
        case .number(let digits): field.text(digits)
        case .string(let text): field.text(text)
        case .object: field.append(try model(member.value, path: path))
        case .array(let items):
            let list = XMLNode("Models", namespace: SDMX.namespace)
            for (index, item) in items.enumerated() { list.append(try model(item, path: "\(path)[\(index)]")) }
            field.append(list)
        }
        return field
    }

    // MARK: SDMX to SDMJ

    private static func object(_ model: XMLNode, path: String) throws(SDMJError) -> JSONValue {
        let name = model.attr("name") ?? ""
        guard !name.isEmpty else {
            throw SDMJError(path: path, reason: "the model has no name, and SDMJ has no models without one")
        }
        var members = [JSONValue.Member(name: "__modelname__", value: .string(name))]
        if let id = model.attr("documentId"), !id.isEmpty {
            members.append(JSONValue.Member(name: "__documentid__", value: .string(id)))
        }
        let schema = DocumentClasses.schema(ofModel: name)
        let fields = model.ownChildren(named: "Field")
        // A field that is given twice is a member twice: of both the last counts, for servers as for most who read JSON.
        for field in fields {
            let name = field.attr("name") ?? ""
            let place = "\(path).\(name)"
            guard name != "__modelname__", name != "__documentid__" else {
                throw SDMJError(path: place, reason: "a field cannot be called so in SDMJ, which says something else by it")
            }
            members.append(JSONValue.Member(name: name, value: try value(of: field, name, schema, path: place)))
        }
        return .object(members)
    }

    private static func list(_ models: [XMLNode], path: String) throws(SDMJError) -> JSONValue {
        var items: [JSONValue] = []
        for (index, model) in models.enumerated() { items.append(try object(model, path: "\(path)[\(index)]")) }
        return .array(items)
    }

    private static func value(
        of field: XMLNode, _ name: String, _ schema: ModelSchema, path: String
    ) throws(SDMJError) -> JSONValue {
        let models = field.relatedModels
        if field.ownChild(named: "Models") != nil || models.count > 1 { return try list(models, path: path) }
        if let model = models.first { return try object(model, path: path) }
        if let relation = schema.relationByName[name] { return relation.shape.isList ? .array([]) : .null }
        let text = field.text()
        guard !text.isEmpty else { return .null }
        switch schema.leafByName[name].map({ schema.leaves[$0.leaf].type.dataType }) {
        case .number where JSONValue.isNumber(text): return .number(text)
        case .boolean where text.lowercased() == "true": return .bool(true)
        case .boolean where text.lowercased() == "false": return .bool(false)
        default: return .string(text)
        }
    }
}

/// What is wrong with a text in SDMJ, and where.
public struct SDMJError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1; `nil` where the JSON is right and what it says is not.
    public let line: Int?
    /// Counted from 1, in characters; `nil` where ``line`` is.
    public let column: Int?
    /// The place inside the JSON, such as `[0].fulfillments[2]`.
    public let path: String
    /// What is wrong.
    public let reason: String

    init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        path = ""
        self.reason = reason
    }

    init(path: String, reason: String) {
        line = nil
        column = nil
        self.path = path
        self.reason = reason
    }

    public var description: String {
        if let line, let column { return "line \(line), column \(column): \(reason)" }
        return path.isEmpty ? reason : "\(path): \(reason)"
    }
}

extension SDMXDocument {
    /// Reads SDMJ, the JSON form of data models: a list of models, or one.
    /// - Throws: ``SDMJError`` with line and column, or the path of what is no model; ``DocumentError``.
    public init(json: Data) throws {
        try self.init(SDMJ.models(parsing: json))
    }

    /// Reads as much of every model as can be read; see ``IndivoDocument/read(from:problems:)``.
    /// - Parameter problems: What could not be read is added here.
    /// - Throws: ``SDMJError``, ``DocumentError``.
    public init(json: Data, problems: inout [DocumentError]) throws {
        try self.init(SDMJ.models(parsing: json), problems: &problems)
    }

    /// The document in SDMJ, a list even of one model.
    public func json(naming: FieldNaming = .asRead) throws -> Data {
        try SDMJ.text(of: xml(naming: naming))
    }
}
