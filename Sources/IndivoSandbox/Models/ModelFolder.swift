#if Sandbox
import Foundation
import IndivoModel
import SDML

/// A folder of SDML files, whose models a sandbox knows beside the core models.
struct ModelFolder: Sendable {
    let url: URL

    /// Reads every `.sdml` file of the folder, with the `.notes.json` beside it.
    /// - Throws: ``SandboxError/models(problems:)`` naming every problem with its place.
    func read() throws -> [DataModel] {
        let files = try self.files().filter { $0.pathExtension == "sdml" }
        let core = Set(DataModel.core.map(\.name))
        let inputs = try files.map { file in
            let notes = file.deletingPathExtension().appendingPathExtension("notes.json")
            return SDMLParser.Input(
                models: try source(file),
                notes: FileManager.default.fileExists(atPath: notes.path) ? try source(notes) : nil)
        }
        let result = SDMLParser.parse(inputs, externalModels: core)
        guard !result.hasErrors else {
            throw SandboxError.models(problems: result.diagnostics.map(\.description))
        }
        let clashes = result.schema.models.filter { core.contains($0.name) }
        guard clashes.isEmpty else {
            throw SandboxError.models(
                problems: clashes.map { "\($0.location): a core model is called \($0.name): choose another name" })
        }
        return result.schema.models.map { DataModel($0) }
    }

    /// What tells whether a file was changed: names, sizes and times.
    func fingerprint() -> [String] {
        let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
        return ((try? files()) ?? []).map { file in
            let values = try? file.resourceValues(forKeys: keys)
            let time = values?.contentModificationDate?.timeIntervalSince1970 ?? 0
            return "\(file.lastPathComponent) \(values?.fileSize ?? 0) \(time)"
        }
    }

    private func files() throws -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
                .filter { ["sdml", "json"].contains($0.pathExtension) }.sorted { $0.path < $1.path }
        } catch {
            throw SandboxError.models(problems: ["the folder \(url.path) cannot be read: \(error.localizedDescription)"])
        }
    }

    private func source(_ file: URL) throws -> SourceFile {
        SourceFile(path: file.path, name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
    }
}

extension DataModel {
    /// The shape of a model that SDML defines.
    init(_ model: SDMLModel) {
        let fields = model.fields.flatMap(\.leaves).map { leaf in
            DataField(name: leaf.name, type: DataFieldType(leaf.kind))
        }
        let relations = model.fields.compactMap { field -> DataRelation? in
            switch field.type {
            case .value: nil
            case .one(let name): DataRelation(name: field.name, isList: false, model: name)
            case .many(let name): DataRelation(name: field.name, isList: true, model: name)
            }
        }
        self.init(name: model.name, fields: fields, relations: relations)
    }
}

extension DataFieldType {
    fileprivate init(_ kind: SDMLLeaf.Kind) {
        switch kind {
        case .string: self = .string
        case .number: self = .number
        case .dateTime: self = .dateTime
        case .day: self = .date
        case .boolean: self = .boolean
        }
    }
}

extension ServerContext {
    /// Looks for changes in the folder of models until the task is cancelled. A folder with a mistake in it changes
    /// nothing: the log says what is wrong.
    func watchModels(in folder: ModelFolder) async {
        var known = folder.fingerprint()
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            let now = folder.fingerprint()
            guard now != known else { continue }
            known = now
            do {
                models.replace(with: configuration.models + (try folder.read()))
                logger.notice("the models of \(folder.url.path) were read again")
            } catch {
                logger.error("the models are left as they were: \(error)")
            }
        }
    }
}
#endif
