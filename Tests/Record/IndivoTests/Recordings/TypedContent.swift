import Indivo
import IndivoModel

/// What a document's properties say, whatever it was read from.
enum TypedContent {
    /// By the fields' names; relations by the number of related documents.
    static func fields(of document: IndivoDocument) throws -> [String: String] {
        let source = document.source
        defer { document.source = source }
        document.source = nil
        guard let model = try document.xml().child(named: "Model") else { return [:] }
        var fields: [String: String] = [:]
        for field in model.children(named: "Field") {
            guard let name = field.attr("name") else { continue }
            if let list = field.child(named: "Models") {
                fields[name] = "\(list.children(named: "Model").count) related"
            } else if field.child(named: "Model") != nil {
                fields[name] = "1 related"
            } else {
                fields[name] = field.text()
            }
        }
        return fields
    }

    /// The names of the fields that the document's class knows.
    static func names(of document: IndivoDocument) -> Set<String> {
        let model = DataModel(type(of: document))
        return Set(model.fields.map(\.name) + model.relations.map(\.name))
    }

    /// Whether two texts mean the same value.
    static func isSame(_ a: String?, _ b: String?) -> Bool {
        guard let a, let b else { return a ?? "" == b ?? "" }
        if a == b { return true }
        if let a = Double(a), let b = Double(b) { return a == b }
        if let a = try? XMLDateTime.fromField(a), let b = try? XMLDateTime.fromField(b) {
            return a.date == b.date
        }
        let truths = ["1": "true", "0": "false", "True": "true", "False": "false"]
        return truths[a] ?? a == truths[b] ?? b
    }
}
