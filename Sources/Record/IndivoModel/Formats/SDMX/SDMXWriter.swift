import IndivoXML

/// Writes documents into `Model` elements that are there, touching only what changed since they were read;
/// ``SDMXAssembler`` makes the elements of those that have no source. Three trees take part. The *source* is
/// what the object was read from: a value that still equals it has not changed. The *target* is the element
/// that is written into, a copy of the *original*. Source and original are the same element where a stored
/// document is written back; they differ where the object came from a report.
final class SDMXWriter {
    let naming: IndivoDocument.FieldNaming
    private(set) var written: [WrittenDocument] = []
    /// How many documents the one that is written next is in.
    private var depth = 0

    init(naming: IndivoDocument.FieldNaming) { self.naming = naming }

    /// Writes documents into a new tree. Documents without a source become new elements; the others are
    /// copies of their sources, with the changes.
    func newRoot(of documents: [IndivoDocument]) throws -> XMLNode {
        let assembler = SDMXAssembler()
        let root = try assembler.assemble(documents, depth: depth)
        written += assembler.written
        let outer = depth
        defer { depth = outer }
        for (document, element, depth) in assembler.placeholders {
            self.depth = depth
            element.replace(with: try newElement(for: document))
        }
        return root
    }

    /// An element for a document that is not in the target yet.
    private func newElement(for document: IndivoDocument) throws -> XMLNode {
        guard let source = document.source else { return try newRoot(of: [document]).children()[0] }
        let element =
            source.namespace == SDMX.namespace
            ? source.clone() : storable(source, by: ModelSchema.of(Swift.type(of: document)))
        try write(document, into: element, original: source)
        return element
    }

    func write(_ document: IndivoDocument, into target: XMLNode, original: XMLNode?) throws {
        try SDMX.check(depth: depth, document.modelName)
        written.append((document, target))
        depth += 1
        defer { depth -= 1 }
        let schema = ModelSchema.of(Swift.type(of: document))
        try schema.checkDataModel()
        let former = FieldTable(document.source, schema, .dataModel)
        let changes = FieldSchema.Writer(over: former, isNew: document.source == nil)
        changes.write(document)
        let isCopy = original != nil && original == document.source
        let keepsNames = naming == .asRead || (isCopy && !former.hasOlderNames)
        let hasRelations = schema.relations.indices.contains { index in
            !changes.table.relations[index].items.isEmpty || former.relations[index].origin != nil
        }
        // Then the target is an unchanged copy of the source, and there is nothing to write.
        if isCopy, keepsNames, !changes.table.isChanged, !hasRelations { return }
        let held = FieldTable(target, schema, .dataModel)
        apply(changes.table, to: target, held)
        if !keepsNames, held.hasOlderNames { schema.leaves.indices.forEach { rename($0, held) } }
        let originals = isCopy ? former : FieldTable(original, schema, .dataModel)
        for (index, field) in schema.relations.enumerated() {
            guard case .document(let relatedType) = field.shape.kind else { continue }
            let documents = changes.table.documents(of: index)
            var baselines = former.models(of: index)
            if !field.shape.isList, !documents.isEmpty {
                // If there are several models instead of one, only the first was read.
                baselines = Array(baselines.prefix(1))
            } else {
                // A model of another kind is not a document of the relation. It stays, unless a document
                // takes its place. If it stands where the one document should be, nothing was read, and so
                // nothing was removed.
                let isUnread = !field.shape.isList && baselines.first.map { relatedType.isModel($0) } == false
                baselines = isUnread ? [] : baselines.filter { relatedType.isModel($0) }
            }
            let holder = held.relations[index].origin?.node
            if naming == .current {
                // The current name. If both names hold models, both stay: the server refuses the older name,
                // so that no model is lost silently.
                for other in held.spares(of: .relation(index))
                where other.relatedModels.isEmpty && !other.hasOwnText {
                    other.remove()
                }
                if let holder, holder.attr("name") != field.name { holder.attr("name", field.name) }
            }
            try write(
                documents,
                field,
                into: holder,
                of: target,
                originals: originals.models(of: index),
                baselines: baselines,
                as: relatedType
            )
        }
    }

    /// Writes the leaves that changed into the target; `held` is its table.
    private func apply(_ changes: FieldTable, to target: XMLNode, _ held: FieldTable) {
        for leaf in changes.leaves.indices where changes.leaves[leaf].isChanged {
            let text = changes.string(of: leaf) ?? ""
            if let best = held.leaves[leaf].origin?.node {
                let elements = [best] + held.spares(of: .leaf(leaf))
                // A server fails on a boolean without a text.
                let isLeftOut = text.isEmpty && held.schema.leaves[leaf].type.dataType == .boolean
                for element in elements { if isLeftOut { element.remove() } else { element.text(text) } }
            } else if !text.isEmpty {
                appendField(held.schema.leaves[leaf].name, text: text, to: target)
            }
        }
    }

    /// Gives a leaf under an older name its current one. If the two hold different values, both stay: the
    /// server refuses the older name, so that no value is lost silently.
    private func rename(_ leaf: Int, _ held: FieldTable) {
        let others = held.spares(of: .leaf(leaf))
        guard let best = held.leaves[leaf].origin?.node, held.leaves[leaf].rank > 0 || !others.isEmpty else {
            return
        }
        let schema = held.schema.leaves[leaf]
        let text = best.text()
        for element in others {
            let other = element.text()
            if other.isEmpty || schema.type.isSameValue(other, text, isField: true) { element.remove() }
        }
        best.attr("name", schema.name)
    }

    private func write(
        _ documents: [IndivoDocument],
        _ field: FieldSchema,
        into holder: XMLNode?,
        of model: XMLNode,
        originals: [XMLNode],
        baselines: [XMLNode],
        as relatedType: IndivoDocument.Type
    ) throws {
        let targets = holder?.relatedModels ?? []
        if documents.isEmpty && targets.isEmpty {
            // The server refuses a relation's field without a list in it.
            if naming == .current, let holder, holder.children().isEmpty, !holder.hasOwnText {
                holder.remove()
            }
            return
        }
        let holder = holder ?? appendField(field.name, to: model)
        var container = holder.ownChild(named: "Models") ?? holder
        // A server requires a `Models` element around a list; a file keeps its form.
        if container == holder, field.shape.isList, naming == .current || targets.isEmpty {
            container = addList(to: holder).append(targets)
        }
        try writeList(
            documents,
            into: container,
            targets: targets,
            originals: originals,
            baselines: baselines,
            as: relatedType
        )
        if !field.shape.isList, container.children().isEmpty { container.remove() }
    }

    private func addList(to field: XMLNode) -> XMLNode {
        field.appendElement("Models", namespace: SDMX.namespace)
    }

    /// Writes documents as the `Model` elements of `container`, which now holds `targets`, copies of
    /// `originals`. The list was read from `baselines`. A target that is not among these was unknown to the
    /// app, and stays.
    func writeList(
        _ documents: [IndivoDocument],
        into container: XMLNode,
        targets: [XMLNode],
        originals: [XMLNode],
        baselines: [XMLNode],
        as relatedType: IndivoDocument.Type
    ) throws {
        let targetOfBaseline = try positions(of: baselines, among: originals, documents, relatedType)
        let placeOfBaseline = Dictionary(firstOf: zip(baselines, baselines.indices))
        var kept = Set(targets.indices).subtracting(targetOfBaseline)
        // The last element in the container of the documents so far. A new or moved one goes after it.
        var previous: (element: XMLNode, target: Int)?
        var previousBaseline = -1
        for document in documents {
            let baseline = document.source.flatMap { placeOfBaseline[$0] }
            let element: XMLNode
            if let baseline, kept.insert(targetOfBaseline[baseline]).inserted {
                let known = targetOfBaseline[baseline]
                element = targets[known]
                try write(document, into: element, original: originals[known])
                // A document that keeps its order among the others stays where it is stored: reports have
                // their own order.
                if baseline > previousBaseline {
                    previousBaseline = baseline
                    if known > previous?.target ?? -1 { previous = (element, known) }
                    continue
                }
            } else {
                element = try newElement(for: document)
            }
            if let previous {
                previous.element.after(element)
            } else if let first = container.ownChild(named: "Model") {
                first.before(element)
            } else {
                container.append(element)
            }
            previous = (element, previous?.target ?? -1)
        }
        for index in targets.indices where !kept.contains(index) { targets[index].remove() }
    }

    /// Finds the models that were read among those of the stored document: the same elements, or equal
    /// content.
    private func positions(
        of baselines: [XMLNode],
        among originals: [XMLNode],
        _ documents: [IndivoDocument],
        _ relatedType: IndivoDocument.Type
    ) throws -> [Int] {
        let positions = ListMatch.positions(
            of: baselines.count,
            among: originals.count,
            by: { originals[$1] == baselines[$0] },
            orBy: {
                originals[$1].isSameModel(
                    as: baselines[$0],
                    of: self.type(of: baselines[$0], documents, relatedType)
                )
            }
        )
        return try zip(positions, baselines).map { position, baseline in
            if let position { return position }
            // If it were written as a new model, it would be stored twice.
            throw DocumentError(
                found: "no stored model that says the same",
                expected: "the “\(baseline.attr("name") ?? "")” that was read; fetch the document again",
                document: type(of: baseline, documents, relatedType).modelName,
                line: baseline.line
            )
        }
    }

    private func type(of baseline: XMLNode, _ documents: [IndivoDocument], _ related: IndivoDocument.Type)
        -> IndivoDocument.Type
    {
        documents.first { $0.source == baseline }.map { Swift.type(of: $0) } ?? related
    }

    @discardableResult
    private func appendField(_ name: String, text: String? = nil, to model: XMLNode) -> XMLNode {
        model.appendElement("Field", namespace: SDMX.namespace, attributes: ["name": name], text: text)
    }

    /// A report's `Model` in the form that a server accepts: in the namespace, without the document's id and
    /// without the reverse side of relations.
    private func storable(_ report: XMLNode, by schema: ModelSchema?) -> XMLNode {
        let model = XMLNode("Model", namespace: SDMX.namespace)
        for attribute in report.attributes where attribute.name != "documentId" {
            model.attr(attribute.name, attribute.value)
        }
        for field in report.ownChildren(named: "Field") {
            let name = field.attr("name") ?? ""
            let related = field.relatedModels
            if related.isEmpty {
                let text = field.text()
                if !text.isEmpty { appendField(name, text: text, to: model) }
            } else if schema == nil || schema?.relation(named: name) != nil {
                let holder = appendField(name, to: model)
                let container = field.ownChild(named: "Models") == nil ? holder : addList(to: holder)
                container.append(related.map { storable($0, by: nil) })
            }
        }
        return model
    }
}
