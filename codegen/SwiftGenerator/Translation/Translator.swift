import SDML

/// The second stage of the compiler: ``SDML/SDMLSchema`` → ``SwiftFile``. All that is decided is decided here.
struct Translator {
    let options: GeneratorOptions

    /// The files, by name in alphabetical order, and what stands in the way of some.
    func translate(_ schema: SDMLSchema) -> (files: [SwiftFile], diagnostics: [Diagnostic]) {
        var diagnostics = Diagnostics()
        let classNames = ClassNames(schema: schema, options: options, diagnostics: &diagnostics)
        let pairs = schema.models
            .map { model in (model, translate(model, classNames, &diagnostics)) }
            .sorted { $0.1.name.utf8.lexicographicallyPrecedes($1.1.name.utf8) }
        let classes = pairs.map(\.1)
        let list = options.listName.map {
            SwiftClassList(name: $0, access: options.listAccess ?? options.access, classes: classes.map(\.name))
        }

        var files: [SwiftFile] = []
        if let name = options.singleFile {
            let sources = Set(schema.models.map(\.fileName)).sorted()
            files = [file(name, sources: sources, classes: classes, list: list)]
        } else {
            files = pairs.map { file($1.name, sources: [$0.fileName], classes: [$1], list: nil) }
            if let list {
                let name = SwiftSpelling.firstLetterUppercased(list.name)
                files.append(file(freeName(name, among: classes), sources: [], classes: [], list: list))
            }
        }
        return (files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }, diagnostics.sorted)
    }

    private func file(
        _ name: String, sources: [String], classes: [SwiftClass], list: SwiftClassList?
    ) -> SwiftFile {
        SwiftFile(
            name: "\(name).swift", sources: sources, command: options.command, imports: options.imports.sorted(),
            classes: classes, list: list)
    }

    /// A name for the list's file that no class's file has, on disks that ignore letter case either.
    private func freeName(_ name: String, among classes: [SwiftClass]) -> String {
        let taken = Set(classes.map { $0.name.lowercased() })
        return taken.contains(name.lowercased()) ? "\(name)List" : name
    }

    private func translate(_ model: SDMLModel, _ names: ClassNames, _ diagnostics: inout Diagnostics) -> SwiftClass {
        let className = names.name(ofModel: model.name)
        let propertyNames = PropertyNames(model: model, classNames: names, diagnostics: &diagnostics)
        let properties = model.fields.map { field in
            SwiftProperty(
                name: propertyNames.name(ofField: field.name), fieldName: field.name,
                formerNames: field.notes.formerly, type: type(of: field, names), columnType: columnType(of: field),
                rules: SwiftRule.rules(of: field), documentation: FieldDocumentation(field).paragraphs)
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
