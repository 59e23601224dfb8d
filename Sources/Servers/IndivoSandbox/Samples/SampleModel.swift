/// An object of a data model in a sample, and its SDMX.
struct SampleModel {
    private let name: String
    private var fields: Markup = ""

    init(_ name: String, _ fields: KeyValuePairs<String, String?> = [:]) {
        self = SampleModel(name: name).fields(fields)
    }

    private init(name: String) { self.name = name }

    func fields(_ fields: KeyValuePairs<String, String?>) -> SampleModel {
        fields.reduce(self) { model, field in field.value.map { model.adding(field.key, "\($0)") } ?? model }
    }

    func code(_ name: String, _ title: String, _ identifier: String, _ system: String) -> SampleModel {
        fields([name + "_title": title, name + "_identifier": identifier, name + "_system": system])
    }

    func quantity(_ name: String, _ value: String, _ unit: String) -> SampleModel {
        fields([name + "_value": value, name + "_unit": unit])
    }

    func list(_ name: String, _ models: [SampleModel]) -> SampleModel {
        adding(name, "<Models>\(models.map(\.markup))</Models>")
    }

    func one(_ name: String, _ model: SampleModel) -> SampleModel { adding(name, model.markup) }

    private func adding(_ name: String, _ value: Markup) -> SampleModel {
        var copy = self
        copy.fields += "<Field name=\"\(name)\">\(value)</Field>"
        return copy
    }

    private var markup: Markup { "<Model name=\"\(name)\">\(fields)</Model>" }

    /// A document that states this object alone.
    var document: String {
        ("<Models xmlns=\"\(DocumentType.namespace)\">\(markup)</Models>" as Markup).description
    }
}
