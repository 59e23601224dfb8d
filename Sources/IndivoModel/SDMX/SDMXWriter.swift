import IndivoXML

/// Writes documents into `Model` elements, touching only what changed since they were read.
///
/// Three trees take part. The *source* is what the object was read from: a value that still equals it has not changed.
/// The *target* is the element that is written into, a copy of the *original*. Source and original are the same element
/// where a stored document is written back; they differ where the object came from a report.
final class SDMXWriter {
    let naming: FieldNaming
    private(set) var written: [(document: IndivoDocument, element: XMLNode)] = []

    init(naming: FieldNaming) { self.naming = naming }

    /// An element for a document that is not in the target yet, with all the document's source holds.
    func newElement(for document: IndivoDocument) throws -> XMLNode {
        let element =
            document.source.map { $0.namespace == SDMX.namespace ? $0.clone() : Self.storable($0, of: document) }
            ?? XMLNode("Model", namespace: SDMX.namespace, attributes: ["name": document.modelName])
        try write(document, into: element, original: document.source)
        return element
    }

    func write(_ document: IndivoDocument, into target: XMLNode, original: XMLNode?) throws {
        written.append((document, target))
        let changes = try FlatChanges(document)
        let isCopy = original != nil && original == document.source
        let keepsNames = naming == .asRead || (isCopy && !changes.source.hasOlderNames)
        let hasRelations = changes.relations.contains { !$0.isEmpty } || changes.source.hasRelations
        // The target is a copy of the source, then, and nothing in it is to be looked for.
        if isCopy, keepsNames, changes.leaves.isEmpty, !hasRelations { return }
        let layout = changes.layout
        let held = ModelFields(target, layout)
        for (leaf, text) in changes.leaves {
            if let holder = held.holder(of: leaf) {
                for element in holder.elements { element.text(text ?? "") }
            } else if let text, !text.isEmpty {
                Self.appendField(layout.leaves[leaf].name, text: text, to: target)
            }
        }
        if !keepsNames, held.hasOlderNames {
            for (index, leaf) in layout.leaves.enumerated() {
                if let holder = held.holder(of: index), holder.needsRenaming { rename(holder, leaf) }
            }
        }
        let originals = isCopy ? changes.source : ModelFields(original, layout)
        for (index, field) in layout.relations.enumerated() {
            guard case .document(let relatedType) = field.shape.kind else { continue }
            let documents = changes.relations[index]
            var baselines = changes.source.models(of: index)
            if !field.shape.isList, !documents.isEmpty {
                // Of several where there should be one, only the first was read.
                baselines = Array(baselines.prefix(1))
            } else {
                // A model of another kind is no document of the relation. It stays, unless one takes its place; and where
                // it is what should have been the one, nothing was read that could have been taken away.
                let isUnread = !field.shape.isList && baselines.first.map(relatedType.isModel) == false
                baselines = isUnread ? [] : baselines.filter(relatedType.isModel)
            }
            if naming == .current { rename(held.relation(index), field, others: held.others(ofRelation: index)) }
            try write(
                documents, field, into: held.relation(index), of: target, originals: originals.models(of: index),
                baselines: baselines, as: relatedType)
        }
    }

    // MARK: Leaves

    /// Gives a leaf that stands under older names today's name. Where two names hold different values both stay:
    /// the server refuses the old one, and nothing is lost unseen.
    private func rename(_ holder: ModelFields.Holder, _ leaf: FlatLayout.Leaf) {
        let text = holder.best.text()
        for element in holder.others {
            let other = element.text()
            if other.isEmpty || leaf.means(other, text) { element.remove() }
        }
        holder.best.attr("name", leaf.name)
    }

    // MARK: Relations

    private func write(
        _ documents: [IndivoDocument], _ field: FieldLayout, into holder: XMLNode?, of model: XMLNode,
        originals: [XMLNode], baselines: [XMLNode], as relatedType: IndivoDocument.Type
    ) throws {
        let targets = holder?.relatedModels ?? []
        if documents.isEmpty && targets.isEmpty {
            // The server refuses a relation's field without a list in it.
            if naming == .current, let holder, holder.children().isEmpty { holder.remove() }
            return
        }
        let container: XMLNode
        if let holder {
            container = holder.ownChild(named: "Models") ?? list(in: holder, of: field, targets)
        } else {
            let new = Self.appendField(field.name, to: model)
            container = field.shape.isList ? addList(to: new) : new
        }
        try writeList(
            documents, into: container, targets: targets, originals: originals, baselines: baselines, as: relatedType)
        if !field.shape.isList, container.children().isEmpty { container.remove() }
    }

    /// Where a relation's models go that stand in no list. A server wants those of a list in one; a file keeps its shape.
    private func list(in holder: XMLNode, of field: FieldLayout, _ models: [XMLNode]) -> XMLNode {
        if !field.shape.isList || (naming == .asRead && !models.isEmpty) { return holder }
        let list = addList(to: holder)
        list.append(models)
        return list
    }

    /// Gives a relation that stands under an older name today's. Where both names hold models both stay: the server
    /// refuses the older one, and nothing is lost unseen.
    private func rename(_ holder: XMLNode?, _ field: FieldLayout, others: [XMLNode]) {
        for other in others where other.relatedModels.isEmpty { other.remove() }
        if let holder, holder.attr("name") != field.name { holder.attr("name", field.name) }
    }

    private func addList(to field: XMLNode) -> XMLNode {
        field.appendElement("Models", namespace: SDMX.namespace)
    }

    /// Writes documents as the `Model` elements of `container`.
    ///
    /// - Parameters:
    ///   - targets: The models that are in the container now.
    ///   - originals: What the targets are copies of, one for one.
    ///   - baselines: The models from which the documents of the list were read. A target that is none of them
    ///     was never seen by the list's owner, and stays.
    ///   - relatedType: The class by which models are compared that no document stands for any more.
    func writeList(
        _ documents: [IndivoDocument], into container: XMLNode, targets: [XMLNode], originals: [XMLNode],
        baselines: [XMLNode], as relatedType: IndivoDocument.Type
    ) throws {
        let placeOfOriginal = Self.places(of: originals)
        let placeOfBaseline = Self.places(of: baselines)
        var isFree = Array(repeating: true, count: targets.count)
        // Which target belongs to which baseline.
        var targetOfBaseline: [Int] = []
        for baseline in baselines {
            let place =
                try placeOfOriginal[baseline].flatMap { isFree[$0] ? $0 : nil }
                ?? place(of: baseline, among: originals, where: isFree, documents, relatedType)
            isFree[place] = false
            targetOfBaseline.append(place)
        }
        var kept = Set(targets.indices.filter { isFree[$0] })
        // The last in the container of the documents before, behind which a new or moved one goes.
        var previous: (element: XMLNode, target: Int)?
        var previousBaseline = -1
        for document in documents {
            let baseline = document.source.flatMap { placeOfBaseline[$0] }
            let element: XMLNode
            if let baseline, kept.insert(targetOfBaseline[baseline]).inserted {
                let known = targetOfBaseline[baseline]
                element = targets[known]
                try write(document, into: element, original: originals[known])
                // What stands to the others as it did when it was read stays where it is stored: a report lists related
                // models in an order of its own.
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

    private static func places(of models: [XMLNode]) -> [XMLNode: Int] {
        Dictionary(models.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Finds a model that was read among those of the stored document, by what it says.
    private func place(
        of baseline: XMLNode, among originals: [XMLNode], where isFree: [Bool], _ documents: [IndivoDocument],
        _ relatedType: IndivoDocument.Type
    ) throws -> Int {
        let type = documents.first { $0.source == baseline }.map { Swift.type(of: $0) } ?? relatedType
        let place = originals.indices.first { isFree[$0] && ModelMatch.isSame(originals[$0], baseline, as: type) }
        guard let place else {
            // Written as if it were new it would be there twice.
            throw DocumentError(
                .notADocument(
                    found: "no stored model that says the same",
                    expected: "the “\(baseline.attr("name") ?? "")” that was read; fetch the document again"),
                document: type.modelName, line: baseline.line)
        }
        return place
    }

    // MARK: Elements

    @discardableResult
    private static func appendField(_ name: String, text: String? = nil, to model: XMLNode) -> XMLNode {
        model.appendElement("Field", namespace: SDMX.namespace, attributes: ["name": name], text: text)
    }

    /// A report's `Model` as a server takes it: in the namespace, and without what only reports have
    /// (the id of the document, the reverse side of relations).
    private static func storable(_ report: XMLNode, of document: IndivoDocument?) -> XMLNode {
        let model = XMLNode("Model", namespace: SDMX.namespace)
        fill(model, with: report, of: document)
        return model
    }

    private static func fill(_ model: XMLNode, with report: XMLNode, of document: IndivoDocument?) {
        for attribute in report.attributes where attribute.name != "documentId" {
            model.attr(attribute.name, attribute.value)
        }
        let layout = document.map { Layout.of(type(of: $0)).flat }
        for field in report.ownChildren(named: "Field") {
            let name = field.attr("name") ?? ""
            let related = field.relatedModels
            if related.isEmpty {
                let text = field.text()
                if !text.isEmpty { appendField(name, text: text, to: model) }
            } else if layout == nil || layout?.relationByName[name] != nil {
                let isList = field.ownChild(named: "Models") != nil
                let holder = appendField(name, to: model)
                let container = isList ? holder.appendElement("Models", namespace: SDMX.namespace) : holder
                for nested in related {
                    fill(container.appendElement("Model", namespace: SDMX.namespace), with: nested, of: nil)
                }
            }
        }
    }
}
