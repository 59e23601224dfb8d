/// An object of a data model in a sample, and its SDMX.
struct SampleModel {
    private var name: String
    private var fields: [(name: String, value: Markup)] = []

    init(_ name: String) { self.name = name }

    func field(_ name: String, _ value: String?) -> SampleModel {
        guard let value else { return self }
        return adding(name, Markup(escaping: value))
    }

    func code(_ name: String, _ title: String, _ identifier: String, _ system: String) -> SampleModel {
        field(name + "_title", title).field(name + "_identifier", identifier).field(name + "_system", system)
    }

    func quantity(_ name: String, _ value: String, _ unit: String) -> SampleModel {
        field(name + "_value", value).field(name + "_unit", unit)
    }

    func list(_ name: String, _ models: [SampleModel]) -> SampleModel {
        adding(name, "<Models>\(models.map(\.markup))</Models>")
    }

    func one(_ name: String, _ model: SampleModel) -> SampleModel { adding(name, model.markup) }

    private func adding(_ name: String, _ value: Markup) -> SampleModel {
        var copy = self
        copy.fields.append((name, value))
        return copy
    }

    private var markup: Markup {
        let content = fields.map { field -> Markup in "<Field name=\"\(field.name)\">\(field.value)</Field>" }
        return "<Model name=\"\(name)\">\(content)</Model>"
    }

    /// A document that states this object alone.
    var document: String { ("<Models xmlns=\"\(DocumentType.namespace)\">\(markup)</Models>" as Markup).description }
}
