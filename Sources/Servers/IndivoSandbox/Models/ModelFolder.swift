import Foundation
import IndivoModel
import SDML

/// A folder of SDML files, whose models a sandbox knows beside the core models.
struct ModelFolder: Sendable {
    let url: URL

    /// The models of every `.sdml` file of the folder, with the `.notes.json` beside it, and what is wrong,
    /// each with `file:line:column`: a file with a mistake in it is left out. Throws for a folder that cannot
    /// be read.
    func read() throws -> (models: [DataModel], problems: [String]) {
        let core = Set(DataModel.core.map(\.name))
        var problems: [String] = []
        var inputs = try files().filter { $0.pathExtension == "sdml" }.map { file in
            let notes = file.deletingPathExtension().appendingPathExtension("notes.json")
            let hasNotes = notes.path.fileExists
            return SDMLParser.Input(models: try source(file), notes: hasNotes ? try source(notes) : nil)
        }
        // Files may refer to each other's models: without one of them another may be wrong, too.
        while true {
            let result = SDMLParser.parse(inputs, externalModels: core)
            let errors = result.diagnostics.filter { $0.severity == .error }
            let clashes = result.schema.models.filter { core.contains($0.name) }
            problems += errors.map(\.description)
            problems += clashes.map {
                "\($0.location): error: a core model is called \($0.name) already; choose another name"
            }
            let paths = Set(errors.map(\.location.path) + clashes.map(\.location.path))
            if paths.isEmpty { return (result.schema.models.map { DataModel($0) }, problems) }
            let remaining = inputs.filter {
                paths.isDisjoint(with: [$0.models.path, $0.notes?.path].compactMap { $0 })
            }
            // An error that no file can be blamed for leaves nothing to go on with.
            guard remaining.count < inputs.count else { return ([], problems) }
            inputs = remaining
        }
    }

    /// What shows whether a file was changed: names, sizes and times.
    func fingerprint() -> [String] {
        ((try? files()) ?? []).map { file in
            let values = try? file.resourceValues(forKeys: [.contentModificationDateKey, .fileSizeKey])
            let time = values?.contentModificationDate?.timeIntervalSince1970 ?? 0
            return "\(file.lastPathComponent) \(values?.fileSize ?? 0) \(time)"
        }
    }

    private func files() throws -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
                .filter { ["sdml", "json"].contains($0.pathExtension) }.sorted { $0.path < $1.path }
        } catch {
            throw SandboxError.models(problems: [
                "the folder \(url.path) cannot be read: \(error.localizedDescription)"
            ])
        }
    }

    private func source(_ file: URL) throws -> SourceFile {
        SourceFile(path: file.path, name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
    }
}

extension DataModel {
    /// The shape of a model that SDML defines.
    init(_ model: SDMLModel) {
        let relations = model.fields.compactMap { field -> DataModel.Relation? in
            switch field.type {
            case .value: nil
            case .one(let name): DataModel.Relation(name: field.name, isList: false, model: name)
            case .many(let name): DataModel.Relation(name: field.name, isList: true, model: name)
            }
        }
        let fields = model.fields.flatMap(\.leaves).map { leaf in
            let type: DataModel.FieldType =
                switch leaf.kind {
                case .string: .string
                case .number: .number
                case .dateTime: .dateTime
                case .day: .date
                case .boolean: .boolean
                }
            return DataModel.Field(name: leaf.name, type: type)
        }
        self.init(name: model.name, fields: fields, relations: relations)
    }
}

extension ServerContext {
    /// Reads the folder of models, if there is one. A file with a mistake in it is reported and left out.
    func readModels() throws {
        guard let url = configuration.modelFolder else { return }
        let contents = try ModelFolder(url: url).read()
        models.replace(with: configuration.models + contents.models, problems: contents.problems)
        for problem in contents.problems { logger.error("\(problem)") }
        let names = contents.models.map(\.name).sorted().joined(separator: ", ")
        logger.notice("read the models of \(url.path): \(names.isEmpty ? "none" : names)")
    }

    /// Reads the folder of models again whenever something in it changes, until the task is cancelled.
    func watchModels(in folder: ModelFolder) async {
        var known = folder.fingerprint()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            let now = folder.fingerprint()
            guard now != known else { continue }
            known = now
            do {
                try readModels()
            } catch {
                logger.error("the models are left as they were: \(error)")
            }
        }
    }
}
