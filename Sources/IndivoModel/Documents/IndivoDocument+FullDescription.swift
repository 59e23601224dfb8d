import IndivoXML

extension IndivoDocument {
    /// Everything that the document says, a value a line, related documents inside: for looking at it.
    ///
    /// ```
    /// Medication 6f9619ff-8b86-4d01-b42d-00cf4fc964ff
    ///   drugName.title: Vitamin C 500 MG
    ///   startDate: 2026-11-21
    ///   fulfillments[0]: Fill
    ///     dispenseDaysSupply: 30.0
    /// ```
    /// What the class does not know follows at the end, under the names that data has.
    ///
    /// It tells what the document says of the patient, and belongs into no log; ``description`` tells only the kind and
    /// the id.
    public final var fullDescription: String {
        let writer = FullDescriptionWriter()
        writer.add(self)
        return ([modelName + (id.map { " \($0)" } ?? "")] + writer.lines).joined(separator: "\n")
    }
}

/// Writes a document's values for people to read.
private final class FullDescriptionWriter: FieldWriter {
    private(set) var lines: [String] = []
    private var margin = "  "
    /// The compounds entered so far, outermost first.
    private var path: [String] = []
    /// The place in the list that is being written.
    private var index: Int?

    /// The values of a document, without its kind.
    func add(_ document: IndivoDocument) {
        // Nothing of what is asked for here can fail.
        try? Layout.of(type(of: document)).write(from: document.storage, self)
        guard type(of: document).format.isDataModel, let source = document.source else { return }
        let isUnknown: (String) -> Bool = document is GenericDocument
            ? { _ in true } : Set(document.sourceFields.filter { $0.meaning == .unknown }.map(\.name)).contains
        addFields(of: source, where: isUnknown)
    }

    override func leaf<Value: LexicalValue>(_ value: Value, _ field: FieldLayout) throws {
        add(name(of: field), value.lexical)
    }

    override func related(_ document: IndivoDocument, _ field: FieldLayout) throws {
        add(name(of: field), document.modelName)
        let outer = (path, index)
        (path, index) = ([], nil)
        inside { add(document) }
        (path, index) = outer
    }

    override func enter(_ field: FieldLayout, _ layout: Layout) throws {
        path.append(ownName(of: field))
        index = nil
    }

    override func leave(_ field: FieldLayout) { path.removeLast() }

    override func items(_ count: Int, of field: FieldLayout, _ body: (Int, FieldWriter) throws -> Void) throws {
        for place in 0..<count {
            index = place
            try body(place, self)
        }
        index = nil
    }

    // MARK: Fields without a property

    private func addFields(of model: XMLNode, where isWanted: (String) -> Bool) {
        for field in model.ownChildren(named: "Field") {
            guard let name = field.attr("name"), isWanted(name) else { continue }
            let models = field.relatedModels
            if models.isEmpty { add(name, field.text()) }
            for (place, model) in models.enumerated() {
                add(models.count == 1 ? name : "\(name)[\(place)]", model.attr("name") ?? "")
                inside { addFields(of: model) { _ in true } }
            }
        }
    }

    // MARK: Lines

    private func ownName(of field: FieldLayout) -> String { field.property + (index.map { "[\($0)]" } ?? "") }

    private func name(of field: FieldLayout) -> String { (path + [ownName(of: field)]).joined(separator: ".") }

    private func inside(_ body: () -> Void) {
        margin += "  "
        body()
        margin.removeLast(2)
    }

    private func add(_ name: String, _ text: String) {
        let line = "\(name): \(text)".split(whereSeparator: \.isNewline).joined(separator: "\n\(margin)  ")
        lines.append(margin + line)
    }
}
