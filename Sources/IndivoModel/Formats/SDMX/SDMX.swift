import IndivoXML

/// Reads `Model` elements of SDMX: finds the `Field` elements of leaves and relations by their names.
/// Of several that stand for one leaf, one counts: of one name the last, as a server has it; of several names that with
/// text, today's first. The same goes for relations, with models for text.
struct SDMXDecoder {
    /// The field that a name stands for, and its address: in a tree the same name mostly lies at the same address.
    private struct Known {
        var start: UnsafePointer<UInt8>?
        var count = 0
        var found: ModelSchema.Found?
    }

    /// The names found last; empty until there is a second model.
    private var known: [Known] = []
    private var isFirst = true
    private var modelNumber: UInt32?
    /// The number of the name `Field` in a model whose own name has the number above.
    private var fieldNumber: UInt32?

    mutating func decode(_ model: XMLView, into table: inout FieldTable) {
        if known.isEmpty {
            if !isFirst { known = Array(repeating: Known(), count: 64) }
            isFirst = false
        }
        if model.nameNumber != modelNumber { (modelNumber, fieldNumber) = (model.nameNumber, nil) }
        var next = model.firstElement
        while let element = next {
            if isField(element, in: model), let name = element.attribute("name"),
                let found = meaning(of: name, table.schema)
            {
                add(element, found, to: &table)
            }
            next = element.nextElement
        }
        for (group, leaves) in table.schema.leavesOfGroups.enumerated() {
            for leaf in leaves where table.leaves[leaf].hasText {
                table.groups[group].text = .empty
                break
            }
        }
        for index in table.relations.indices {
            guard let holder = table.relations[index].origin else { continue }
            holder.eachModel { table.relations[index].items.append(.element($0)) }
        }
    }

    private mutating func isField(_ element: XMLView, in model: XMLView) -> Bool {
        if element.nameNumber == fieldNumber { return true }
        guard element.isNamed("Field"), !element.isForeign(in: model) else { return false }
        fieldNumber = element.nameNumber
        return true
    }

    private mutating func meaning(of name: UnsafeBufferPointer<UInt8>, _ schema: ModelSchema) -> ModelSchema.Found? {
        guard !known.isEmpty else { return schema.fieldByName[name] }
        // Names lie one behind the other, most of them some bytes long.
        let slot = Int(bitPattern: name.baseAddress) >> 2 & (known.count - 1)
        if known[slot].start == name.baseAddress, known[slot].count == name.count { return known[slot].found }
        known[slot] = Known(start: name.baseAddress, count: name.count, found: schema.fieldByName[name])
        return known[slot].found
    }

    @inline(__always)
    private func add(_ element: XMLView, _ found: ModelSchema.Found, to table: inout FieldTable) {
        switch found {
        case .leaf(let index, let rank):
            let cell = FieldTable.Cell(text: element.cellText, origin: element, rank: Int32(rank))
            if rank > 0 { table.hasOlderNames = true }
            guard let old = table.leaves[index].origin else { return table.leaves[index] = cell }
            let counts = Self.counts(rank, cell.hasText, over: table.leaves[index].rank, table.leaves[index].hasText)
            table.addSpare(.init(isRelation: false, index: index, element: counts ? old : element))
            if counts { table.leaves[index] = cell }
        case .relation(let index, let rank):
            if rank > 0 { table.hasOlderNames = true }
            guard let old = table.relations[index].origin else {
                return table.relations[index] = FieldTable.Relation(origin: element, rank: Int32(rank))
            }
            let counts = Self.counts(rank, element.holdsModels, over: table.relations[index].rank, old.holdsModels)
            table.addSpare(.init(isRelation: true, index: index, element: counts ? old : element))
            if counts { table.relations[index] = FieldTable.Relation(origin: element, rank: Int32(rank)) }
        }
    }

    private static func counts(_ rank: Int, _ hasText: Bool, over old: Int32, _ oldHasText: Bool) -> Bool {
        rank == old || (hasText && (rank < old || !oldHasText))
    }
}

extension FieldTable {
    fileprivate mutating func addSpare(_ spare: Spare) {
        hasOlderNames = true
        spares.append(spare)
    }

    /// The elements of a leaf, or of a relation, that do not count.
    func spares(of index: Int, isRelation: Bool = false) -> [XMLNode] {
        spares.filter { $0.isRelation == isRelation && $0.index == index }.map(\.element.node)
    }
}

extension XMLView {
    /// Calls `body` with the `Model` elements of a `Field`, or of the `Models` in it.
    func eachModel(_ body: (XMLView) -> Void) {
        let list = firstOwn("Models") ?? self
        var next = list.firstElement
        while let element = next {
            if element.isNamed("Model"), !element.isForeign(in: list) { body(element) }
            next = element.nextElement
        }
    }

    fileprivate var holdsModels: Bool {
        let list = firstOwn("Models") ?? self
        return list.firstOwn("Model") != nil
    }

    /// The first child element of this name that belongs to the same vocabulary.
    private func firstOwn(_ name: StaticString) -> XMLView? {
        var next = firstElement
        while let element = next {
            if element.isNamed(name), !element.isForeign(in: self) { return element }
            next = element.nextElement
        }
        return nil
    }
}

extension XMLNode {
    /// The `Model` elements of a `Field`; see `XMLView.eachModel(_:)`.
    var relatedModels: [XMLNode] {
        var models: [XMLNode] = []
        view?.eachModel { models.append($0.node) }
        return models
    }

    /// The child elements of this name that belong to the same vocabulary, see `XMLView.isForeign(in:)`.
    func ownChildren(named name: String) -> [XMLNode] {
        guard let view else { return [] }
        return children(named: name).filter { $0.view.map { !$0.isForeign(in: view) } ?? false }
    }

    func ownChild(named name: String) -> XMLNode? { ownChildren(named: name).first }
}

/// SDMX, the XML form of data models: `<Models><Model name="…"><Field name="…">`.
enum SDMX {
    /// The namespace a server wants SDMX in. What it sends itself is in none.
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// The `Model` elements of a `Models` root.
    static func models(in root: XMLNode) throws -> [XMLNode] {
        guard root.kind == .element, root.name == "Models" else {
            throw DocumentError(
                .notADocument(found: describe(root), expected: "the root element <Models>"), document: "SDMX",
                line: root.line)
        }
        return root.ownChildren(named: "Model")
    }

    /// The one `Model` of a class in an element that is it or holds it.
    static func soleModel(in element: XMLNode, for type: IndivoDocument.Type) throws -> XMLNode {
        var model = element
        if element.name == "Models" {
            let models = try models(in: element)
            guard models.count == 1 else {
                throw DocumentError(
                    .notADocument(
                        found: "\(models.count) models in one document",
                        expected: "one (read several with SDMXDocument)"),
                    document: type.modelName, line: element.line)
            }
            model = models[0]
        }
        guard model.kind == .element, model.name == "Model" else {
            throw DocumentError(
                .notADocument(found: describe(model), expected: "<Model name=\"\(type.modelName)\">"),
                document: type.modelName, line: model.line)
        }
        guard type.isModel(model) else {
            throw DocumentError(.otherModel(model.attr("name") ?? ""), document: type.modelName, line: model.line)
        }
        return model
    }

    static func describe(_ node: XMLNode) -> String { node.kind == .element ? "<\(node.qualifiedName)>" : "no element" }
}

extension IndivoDocument {
    /// Whether a `Model` element is of this class's model.
    static func isModel(_ element: XMLNode) -> Bool { isModel(element, ModelSchema.of(self)) }

    static func isModel(_ element: XMLNode, _ schema: ModelSchema) -> Bool {
        if self is GenericDocument.Type || self == IndivoDocument.self { return true }
        guard let name = element.view?.attribute("name") else { return schema.modelName.isEmpty }
        return isText(schema.modelName, name)
    }
}
