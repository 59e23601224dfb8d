import IndivoXML

/// Reads `Model` elements of SDMX: finds the `Field` elements of leaves and relations by their names. If
/// several stand for one leaf, one is used. Under the same name it is the last, as on a server; under
/// different names it is one with text, the current name first. The same holds for relations, with models in
/// place of text.
struct SDMXDecoder {
    /// The field that a name stands for, and the name's address: in one tree, equal names mostly have the
    /// same address.
    private struct Known {
        var start: UnsafePointer<UInt8>?
        var count = 0
        var found: NameIndex.Found?
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
        if model.nameNumber != modelNumber {
            modelNumber = model.nameNumber
            fieldNumber = nil
        }
        for element in model.elements where isField(element, in: model) {
            if let name = element.attribute("name"), let (target, rank) = meaning(of: name, table.schema) {
                add(element, target, rank, to: &table)
            }
        }
        for (group, leaves) in table.schema.leavesOfGroups.enumerated()
        where leaves.contains(where: { table.leaves[$0].hasText }) {
            table.groups[group].text = .empty
        }
        for index in table.relations.indices {
            guard let holder = table.relations[index].origin else { continue }
            table.relations[index].items.append(contentsOf: holder.models.map { .element($0) })
        }
    }

    private mutating func isField(_ element: XMLView, in model: XMLView) -> Bool {
        if element.nameNumber == fieldNumber { return true }
        guard element.isNamed("Field"), !element.isForeign(in: model) else { return false }
        fieldNumber = element.nameNumber
        return true
    }

    private mutating func meaning(of name: UnsafeBufferPointer<UInt8>, _ schema: ModelSchema) -> NameIndex
        .Found?
    {
        guard !known.isEmpty else { return schema.fieldByName[name] }
        // Names lie one behind the other, most of them some bytes long.
        let slot = Int(bitPattern: name.baseAddress) >> 2 & (known.count - 1)
        if known[slot].start == name.baseAddress, known[slot].count == name.count { return known[slot].found }
        known[slot] = Known(start: name.baseAddress, count: name.count, found: schema.fieldByName[name])
        return known[slot].found
    }

    @inline(__always)
    private func add(_ element: XMLView, _ target: FieldTarget, _ rank: Int32, to table: inout FieldTable) {
        if rank > 0 { table.hasOlderNames = true }
        switch target {
        case .leaf(let index):
            let cell = FieldTable.Cell(text: element.cellText, origin: element, rank: rank)
            guard let old = table.leaves[index].origin else { return table.leaves[index] = cell }
            let counts = Self.counts(
                rank,
                cell.hasText,
                over: table.leaves[index].rank,
                table.leaves[index].hasText
            )
            table.addSpare(target, counts ? old : element)
            if counts { table.leaves[index] = cell }
        case .relation(let index):
            let relation = FieldTable.Relation(origin: element, rank: rank)
            guard let old = table.relations[index].origin else { return table.relations[index] = relation }
            let counts = Self.counts(
                rank,
                element.holdsModels,
                over: table.relations[index].rank,
                old.holdsModels
            )
            table.addSpare(target, counts ? old : element)
            if counts { table.relations[index] = relation }
        case .group: break
        }
    }

    private static func counts(_ rank: Int32, _ hasText: Bool, over old: Int32, _ oldHasText: Bool) -> Bool {
        rank == old || (hasText && (rank < old || !oldHasText))
    }
}

extension XMLView {
    /// The `Model` elements of a `Field`, or of the `Models` in it.
    var models: some Sequence<XMLView> {
        let list = firstOwn("Models") ?? self
        return list.elements.lazy.filter { $0.isNamed("Model") && !$0.isForeign(in: list) }
    }

    fileprivate var holdsModels: Bool { (firstOwn("Models") ?? self).firstOwn("Model") != nil }

    /// The first child element of this name that belongs to the same vocabulary.
    private func firstOwn(_ name: StaticString) -> XMLView? {
        elements.first { $0.isNamed(name) && !$0.isForeign(in: self) }
    }

    /// The children that are elements.
    var elements: Elements { Elements(upcoming: firstElement) }

    struct Elements: Sequence, IteratorProtocol {
        fileprivate var upcoming: XMLView?

        @inline(__always)
        mutating func next() -> XMLView? {
            defer { upcoming = upcoming?.nextElement }
            return upcoming
        }
    }
}

extension XMLNode {
    /// The `Model` elements of a `Field`, or of the `Models` in it.
    var relatedModels: [XMLNode] { view?.models.map(\.node) ?? [] }

    /// The child elements of this name that belong to the same vocabulary, see `XMLView.isForeign(in:)`.
    func ownChildren(named name: String) -> [XMLNode] {
        guard let view else { return [] }
        return children(named: name).filter { $0.view.map { !$0.isForeign(in: view) } ?? false }
    }

    func ownChild(named name: String) -> XMLNode? { ownChildren(named: name).first }

    /// Whether text stands where a relation has its models. A server refuses it, and it is not removed
    /// silently.
    var hasOwnText: Bool { !text().trimmingXMLSpace.isEmpty }

    /// Whether this model of a stored document is the one that a report shows. Reports do not give the stored
    /// text word for word: they spell numbers and dates their own way, fill in `false` where a boolean was
    /// left out, leave out some relations and shuffle the rest.
    func isSameModel(as reported: XMLNode, of type: IndivoDocument.Type) -> Bool {
        guard type.isModel(self), type.isModel(reported) else { return false }
        let name = attr("name") ?? ""
        let isGeneral = type == IndivoDocument.self
        if isGeneral, name != reported.attr("name") ?? "" { return false }
        let schema = ModelSchema.of(isGeneral ? DocumentClasses.type(ofModel: name) : type)
        let a = FieldTable(self, schema, .dataModel)
        let b = FieldTable(reported, schema, .dataModel)
        return schema.leaves.indices.allSatisfy { leaf in
            schema.leaves[leaf].type.isSameValue(
                a.reportedText(of: leaf),
                b.reportedText(of: leaf),
                isField: true
            )
        }
            && schema.relations.indices.allSatisfy { index in
                guard case .document(let related) = schema.relations[index].shape.kind else { return true }
                let stored = a.models(of: index)
                let reported = b.models(of: index)
                // Reports leave out some relations.
                if reported.isEmpty { return true }
                return stored.count == reported.count
                    && ListMatch.positions(
                        of: reported.count,
                        among: stored.count,
                        by: {
                            stored[$1].isSameModel(as: reported[$0], of: related)
                        }
                    ).allSatisfy { $0 != nil }
            }
    }
}

/// SDMX, the XML form of data models: `<Models><Model name="…"><Field name="…">`.
enum SDMX {
    /// The namespace that a server requires for SDMX. The SDMX that it sends has no namespace.
    static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// How deeply models may be nested. Each level takes space on the stack; real models have two levels.
    static let maximumDepth = 64

    /// - Throws: ``DocumentError`` for a document that is in so many others that nobody could read it again:
    ///   one that is in itself, say.
    static func check(depth: Int, _ document: @autoclosure () -> String) throws {
        guard depth < maximumDepth else {
            throw DocumentError(
                found: "documents more than \(maximumDepth) deep",
                expected: "fewer documents inside each other",
                document: document()
            )
        }
    }

    /// The `Model` elements of a `Models` root.
    static func models(in root: XMLNode) throws -> [XMLNode] {
        guard root.kind == .element, root.name == "Models" else {
            throw DocumentError(root, isNot: "the root element <Models>", document: "SDMX")
        }
        return root.ownChildren(named: "Model")
    }

    /// The single `Model` of a class: the element itself, or the only model in it.
    static func soleModel(in element: XMLNode, for type: IndivoDocument.Type) throws -> XMLNode {
        var model = element
        if element.name == "Models" {
            let models = try models(in: element)
            guard models.count == 1 else {
                throw DocumentError(
                    found: "\(models.count) models in one document",
                    expected: "one (read several with SDMXDocument)",
                    document: type.modelName,
                    line: element.line
                )
            }
            model = models[0]
        }
        guard model.kind == .element, model.name == "Model" else {
            throw DocumentError(model, isNot: "<Model name=\"\(type.modelName)\">", document: type.modelName)
        }
        guard type.isModel(model) else {
            throw DocumentError(
                .otherModel(model.attr("name") ?? ""),
                document: type.modelName,
                line: model.line
            )
        }
        return model
    }
}
