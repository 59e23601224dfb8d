import IndivoXML
import OrderedJSON

/// Reads SDMJ into the tree of its twin, SDMX.
struct SDMJReader {
    private let root: JSONValue
    private let xml = XMLAssembler()
    private let sdmx: SDMXNames

    /// The names met so far, which the document holds once: models of one kind have the same, in the same
    /// order.
    private var names: [(text: [UInt8], value: XMLAssembler.Value)] = []
    private var nextName = 0
    /// How many models are open.
    private var depth = 0
    private static let maximumNames = 64

    private init(_ root: JSONValue) {
        self.root = root
        sdmx = SDMXNames(xml)
    }

    /// The models of a text as a `Models` element.
    static func models(in json: JSONValue) throws(SDMJError) -> XMLNode {
        var reader = SDMJReader(json)
        if let items = json.elements {
            try reader.readModels(items)
        } else {
            guard json.members != nil else {
                throw reader.failure(json, "expected a list of models, found \(json.kindName)")
            }
            try reader.readModels(CollectionOfOne(json))
        }
        guard let root = reader.xml.root else { preconditionFailure("the root was ended") }
        return root
    }

    private mutating func readModels(_ items: some Sequence<JSONValue>) throws(SDMJError) {
        xml.start(sdmx.models)
        for item in items { try readModel(item) }
        xml.end()
    }

    private mutating func readModel(_ value: JSONValue) throws(SDMJError) {
        guard let members = value.members else {
            throw failure(value, "expected a model (an object), found \(value.kindName)")
        }
        guard let modelName = value.member("__modelname__"), modelName.kind == .string,
            !modelName.isString("")
        else {
            throw failure(value, "the model has no “__modelname__”")
        }
        guard depth < SDMX.maximumDepth else { throw failure(value, SDMJ.tooDeep) }
        depth += 1
        defer { depth -= 1 }
        xml.start(sdmx.model)
        xml.attribute(sdmx.name, try name(modelName))
        if let id = value.member("__documentid__"), id.kind == .string {
            xml.attribute(sdmx.documentID, try text(of: id) { [xml] in xml.value($0) })
        }
        for member in members where !member.isNamed("__modelname__") && !member.isNamed("__documentid__") {
            try readField(member)
        }
        xml.end()
    }

    private mutating func readField(_ member: JSONMember) throws(SDMJError) {
        xml.start(sdmx.field)
        xml.attribute(sdmx.name, try name(member.nameValue))
        let value = member.value
        switch value.kind {
        case .null: break
        case .boolean: xml.text(value.scalarText ?? "")
        case .number, .string: try text(of: value) { [xml] in xml.text($0) }
        case .object: try readModel(value)
        case .array: if let items = value.elements { try readModels(items) }
        }
        xml.end()
    }

    /// A name as an attribute's value.
    private mutating func name(_ value: JSONValue) throws(SDMJError) -> XMLAssembler.Value {
        // Not in a closure that would have to borrow the names: most are the one that is expected.
        let isNext = nextName < names.count && value.hasText(names[nextName].text)
        if let index = isNext ? nextName : names.firstIndex(where: { value.hasText($0.text) }) {
            nextName = index + 1
            return names[index].value
        }
        let (stored, bytes) = try text(of: value) { [xml] in (xml.value($0), Array($0)) }
        if names.count < Self.maximumNames { names.append((bytes, stored)) }
        nextName = names.count
        return stored
    }

    /// Hands on a text that XML can carry.
    private func text<Result>(of value: JSONValue, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
        throws(SDMJError) -> Result
    {
        let result: Result?? = value.withUTF8 { bytes in XMLText.isAllowed(bytes) ? body(bytes) : nil }
        guard case .some(.some(let result)) = result else {
            throw failure(value, XMLText.problem(in: value.string ?? "") ?? "expected a text")
        }
        return result
    }

    private func failure(_ value: JSONValue, _ reason: String) -> SDMJError {
        SDMJError(at: value, in: root, reason)
    }
}

extension JSONValue {
    @inline(__always)
    fileprivate func hasText(_ other: [UInt8]) -> Bool {
        withUTF8 { $0.count == other.count && $0.elementsEqual(other) } ?? false
    }
}
