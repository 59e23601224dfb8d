import IndivoBase
import OrderedJSON

/// An element of a resource: its JSON, the JSON of the member with `_` before its name, and its type.
struct TreeNode<Tree: PathTree>: Sendable {
    /// Nil for a primitive that has extensions but no value.
    let json: Tree?
    /// `id` and `extension` of a primitive.
    let sibling: Tree?
    /// Nil where the tables do not say what it is.
    let type: PathType?

    init(json: Tree?, sibling: Tree?, type: PathType?) {
        self.json = json
        self.sibling = sibling
        // Where any resource may be, it names its type itself.
        if type?.isResource ?? true, let own = json?.typeMember {
            self.type = own.kind == .string ? (own.read { PathType(named: $0) } ?? nil) ?? type : type
        } else {
            self.type = type
        }
    }

    fileprivate init(json: Tree?, sibling: Tree?, knownType: PathType?) {
        self.json = json
        self.sibling = sibling
        type = knownType
    }
}

/// An element that holds its text.
typealias PathNode = TreeNode<JSONValue>

extension PathNode {
    /// The element of a node that does not hold its text.
    init(_ node: TreeNode<ParsedNode>) {
        self.init(json: node.json?.value, sibling: node.sibling?.value, knownType: node.type)
    }

    /// The element without its text, which somebody else must hold; nil where it was not parsed.
    var borrowed: TreeNode<ParsedNode>? {
        let json = json?.parsedNode
        let sibling = sibling?.parsedNode
        guard (json == nil) == (self.json == nil), (sibling == nil) == (self.sibling == nil) else {
            return nil
        }
        return TreeNode<ParsedNode>(json: json, sibling: sibling, knownType: type)
    }

    init(_ json: JSONValue, typeNamed name: String? = nil) {
        self.init(json: json, sibling: nil, type: name.flatMap { PathType(named: $0) })
    }

    var typeName: String? { type?.name }

    /// The value of FHIRPath's own types; nil for elements of several parts other than quantities.
    var systemValue: SystemValue? {
        guard let json else { return nil }
        switch json.kind {
        case .boolean: return json.boolean.map { .boolean($0) }
        case .number:
            guard let digits = json.number else { return nil }
            if type?.name != "decimal", let integer = Int64(digits) {
                return Int32(exactly: integer).map { .integer($0) } ?? .long(integer)
            }
            return PathDecimal(digits).map { .decimal($0) }
        case .string:
            guard let text = json.string else { return nil }
            switch type?.name {
            case "date", "dateTime", "instant":
                guard var value = CivilDateTime(text: text) else { return nil }
                value.kind = .dateTime
                return .temporal(type?.name == "date" ? value.date : value)
            case "time": return CivilDateTime(text: "T" + text).map { .temporal($0) }
            default: return .string(text)
            }
        case .object: return quantity.map { .quantity($0) }
        case .null, .array: return nil
        }
    }

    /// A FHIR Quantity with a number and no comparator; codes of UCUM for years to milliseconds are the
    /// calendar's.
    private var quantity: PathQuantity? {
        guard let type, type.isQuantity, let json, let digits = json.member("value")?.number,
            let value = PathDecimal(digits), json.member("comparator") == nil
        else { return nil }
        let code = json.member("code")?.string
        guard json.member("system")?.isString("http://unitsofmeasure.org") == true, let code else {
            return PathQuantity(value: value, unit: .ucum(code ?? json.member("unit")?.string ?? "1"))
        }
        let word = CalendarUnit.allCases.first { $0.ucumCode == code }
        return PathQuantity(value: value, unit: word.map { .calendar($0) } ?? .ucum(code))
    }
}
