import IndivoXML

/// The leaves of one fact, and which of them are in FHIR.
///
/// A mapping takes leaves by name; what nobody took is reported. So nothing is lost without a word, whatever
/// a mapping forgets.
final class FactFields {
    /// A text of the document.
    private struct Leaf {
        let name: String
        let text: String
        /// `nil` once it is in FHIR.
        var missing: UnmappedField.Reason? = .noElement
    }

    /// The data model, or the root element of nested XML.
    let model: String
    /// What stands before the names of the fact's leaves in a report, such as `fulfillments[0].`.
    private let prefix: String
    private var leaves: [Leaf] = []
    private var relations: [(name: String, fields: FactFields)] = []
    /// The names under which leaves were requested.
    private(set) var used: Set<String> = []

    init(model: String, prefix: String = "") {
        self.model = model
        self.prefix = prefix
    }

    // MARK: Filling

    func add(_ name: String, _ text: String) {
        if text.contains(where: { !$0.isWhitespace }) { leaves.append(Leaf(name: name, text: text)) }
    }

    /// The fields of a fact inside this one.
    func addRelated(_ name: String, model: String) -> FactFields {
        let index = relations.count { $0.name == name }
        let fields = FactFields(model: model, prefix: "\(prefix)\(name)[\(index)].")
        relations.append((name, fields))
        return fields
    }

    // MARK: Taking

    /// The text of a leaf, which is then known to be in FHIR.
    /// - Parameter names: Today's name first, then older ones. Of one name the last counts, as for a server.
    func text(_ names: String...) -> String? { value(names, { $0 }) }

    /// The value of a leaf's text; a leaf without one stays in the report.
    func value<Value>(_ names: [String], _ make: (String) -> Value?) -> Value? {
        used.formUnion(names)
        for name in names {
            guard let index = leaves.lastIndex(where: { $0.name == name }) else { continue }
            guard let value = make(leaves[index].text) else {
                leaves[index].missing = .unreadable
                return nil
            }
            for other in leaves.indices where names.contains(leaves[other].name) {
                let isSame = leaves[other].text.utf8.elementsEqual(leaves[index].text.utf8)
                leaves[other].missing = isSame ? nil : .repeated
            }
            return value
        }
        return nil
    }

    /// Says that a leaf which was taken is in FHIR only in part, or not at all.
    func report(_ reason: UnmappedField.Reason, _ names: String...) {
        for index in leaves.indices where names.contains(leaves[index].name) && leaves[index].missing == nil {
            leaves[index].missing = reason
        }
    }

    /// Says that nothing of the fact is in FHIR.
    func reportAll(_ reason: UnmappedField.Reason) {
        for index in leaves.indices where leaves[index].missing == nil { leaves[index].missing = reason }
    }

    /// Whether there is any leaf whose name begins so.
    func has(prefix: String) -> Bool { leaves.contains { $0.name.hasPrefix(prefix) } }

    /// The facts inside this one.
    func related(_ name: String) -> [FactFields] {
        used.insert(name)
        return relations.filter { $0.name == name }.map(\.fields)
    }

    // MARK: Reporting

    /// What is not in FHIR: paths and reasons, in the document's order.
    func unmapped(in document: String, model: String? = nil) -> [UnmappedField] {
        let model = model ?? self.model
        return leaves.compactMap { leaf in
            leaf.missing.map {
                UnmappedField(document: document, model: model, field: prefix + leaf.name, reason: $0)
            }
        } + relations.flatMap { $0.fields.unmapped(in: document, model: model) }
    }
}
