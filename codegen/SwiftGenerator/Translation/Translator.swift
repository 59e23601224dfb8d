import SDML

/// The second stage of the compiler: ``SDML/SDMLSchema`` → ``SwiftFile``. All that is decided is decided here.
struct Translator {
    let options: GeneratorOptions

    /// The files, by name in alphabetical order, and what stands in the way of some.
    func translate(_ schema: SDMLSchema) -> (files: [SwiftFile], diagnostics: [Diagnostic]) {
        let diagnostics = Diagnostics()
        let classNames = ClassNames(schema: schema, options: options, diagnostics: diagnostics)
        let pairs = schema.models.map { model in (model, translate(model, classNames, diagnostics)) }
            .sorted { $0.1.name.utf8.lexicographicallyPrecedes($1.1.name.utf8) }
        let classes = pairs.map(\.1)
        let list = options.listName.map {
            SwiftClassList(name: $0, access: options.listAccess ?? options.access, classes: classes.map(\.name))
        }

        let files: [SwiftFile]
        if let name = options.singleFile {
            files = [file(name, sources: Set(schema.models.map(\.fileName)).sorted(), classes: classes, list: list)]
        } else {
            files = pairs.map { file($1.name, sources: [$0.fileName], classes: [$1]) }
                + (list.map { [file(fileName(of: $0), list: $0)] } ?? [])
        }
        return (files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, diagnostics.sorted)
    }

    private func file(
        _ name: String, sources: [String] = [], classes: [SwiftClass] = [], list: SwiftClassList? = nil
    ) -> SwiftFile {
        SwiftFile(
            name: "\(name).swift", sources: sources, command: options.command, imports: options.imports.sorted(),
            classes: classes, list: list)
    }

    /// A name for the list's file that no class's file has, on disks that ignore letter case either.
    private func fileName(of list: SwiftClassList) -> String {
        let name = SwiftSpelling.firstLetterUppercased(list.name)
        return list.classes.contains { $0.lowercased() == name.lowercased() } ? "\(name)List" : name
    }

    private func translate(_ model: SDMLModel, _ names: ClassNames, _ diagnostics: Diagnostics) -> SwiftClass {
        let className = names.name(ofModel: model.name)
        let propertyNames = PropertyNames(model: model, classNames: names, diagnostics: diagnostics)
        let properties = model.fields.map { field in
            SwiftProperty(
                name: propertyNames.name(ofField: field.name), fieldName: field.name,
                formerNames: field.notes.formerly, type: type(of: field, names), columnType: columnType(of: field),
                rules: field.rules, documentation: FieldDocumentation(field).paragraphs)
        }
        let title = "model `\(DocComment.oneLine(model.name))`."
        let documentation = model.notes.documentation.map { [$0, "SDML \(title)"] }
        return SwiftClass(
            name: className, modelName: model.name,
            documentation: documentation ?? ["A document of the SDML \(title)"],
            access: options.access, properties: properties)
    }

    private func columnType(of field: SDMLField) -> String? {
        guard case .value(let type) = field.type else { return nil }
        return type == .date && field.notes.isDay ? "XMLDate" : SwiftValueTypes.name(of: type)
    }

    private func type(of field: SDMLField, _ names: ClassNames) -> String {
        switch field.type {
        case .value: "\(columnType(of: field) ?? "String")?"
        case .one(let model): "\(names.name(ofModel: model))?"
        case .many(let model): "[\(names.name(ofModel: model))]"
        }
    }
}
