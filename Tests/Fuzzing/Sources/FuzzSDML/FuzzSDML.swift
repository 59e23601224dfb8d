import SDML

/// Whatever the models and their notes: problems with a place inside them, or models that a server would
/// take. The notes, if there are any, begin after the first NUL.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    let models = SourceFile(path: "m.sdml", bytes: parts[0])
    let notes = parts.count > 1 ? SourceFile(path: "m.json", bytes: parts[1]) : nil
    let result = SDMLParser.parse(
        [SDMLParser.Input(models: models, notes: notes)],
        externalModels: ["Elsewhere"]
    )
    for problem in result.diagnostics {
        let file = problem.location.path == models.path ? models : notes
        guard let file else { fatalError("a problem is in no file: \(problem)") }
        let lines = file.bytes.reduce(1) {
            $0 + ($1 == UInt8(ascii: "\n") || $1 == UInt8(ascii: "\r") ? 1 : 0)
        }
        if !(1...lines).contains(problem.location.line) || problem.location.column < 1 {
            fatalError("a problem lies outside its file: \(problem)")
        }
        if problem.description.contains(where: \.isNewline) {
            fatalError("a problem has two lines: \(problem)")
        }
    }
    guard !result.hasErrors else { return 0 }
    let names = result.schema.models.map(\.name)
    if Set(names).count != names.count { fatalError("a model is there twice") }
    for model in result.schema.models {
        // A name that no server takes is warned of.
        if result.diagnostics.isEmpty, !([model.name] + model.fields.map(\.name)).allSatisfy(isIdentifier) {
            fatalError("a name that is no identifier was let through in \(model.name)")
        }
        if Set(model.fields.map(\.name)).count != model.fields.count { fatalError("a field is there twice") }
        for field in model.fields {
            switch field.type {
            case .value: break
            case .one(let name), .many(let name):
                if !names.contains(name) && name != "Elsewhere" { fatalError("a field refers to no model") }
            }
        }
    }
    return 0
}

private func isIdentifier(_ name: String) -> Bool {
    name.first.map { $0.isASCII && ($0.isLetter || $0 == "_") } == true
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
}
