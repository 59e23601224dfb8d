import FHIR
import Foundation
import OrderedJSON

/// The questionnaires and responses that lie beside the package.
enum SharedQuestionnaires {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/fhir/questionnaires").standardizedFileURL

    static var exists: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// The files of a type of resource.
    static func files(_ type: String) -> [URL] {
        ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
            .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasPrefix("_") }
            .filter { url in
                let data = (try? Data(contentsOf: url)) ?? Data()
                return (try? JSONValue(parsing: data))?["resourceType"]?.isString(equalTo: type) ?? false
            }
            .sorted { $0.path < $1.path }
    }

    static func questionnaire(_ name: String) throws -> Questionnaire {
        try Questionnaire(parsing: Data(contentsOf: folder.appending(path: name + ".json")))
    }

    static func response(_ name: String) throws -> QuestionnaireResponse {
        try QuestionnaireResponse(parsing: Data(contentsOf: folder.appending(path: name + ".json")))
    }

    /// Questionnaires with their responses, by the index of the folder.
    static func pairs() throws -> [(questionnaire: String, response: String)] {
        let index = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "_index.json")))
        var groups: [String: [(String, String)]] = [:]
        for entry in index.elements ?? [] {
            guard let group = entry["group"]?.string, let file = entry["file"]?.string,
                let type = entry["resourceType"]?.string
            else { continue }
            groups[group, default: []].append((file.replacing(".json", with: ""), type))
        }
        return groups.sorted { $0.key < $1.key }.flatMap { _, files in
            let responses = files.filter { $0.1 == "QuestionnaireResponse" }.map(\.0)
            let questionnaires = files.filter { $0.1 == "Questionnaire" }.map(\.0)
            return questionnaires.count == 1 ? responses.map { (questionnaires[0], $0) } : []
        }
    }
}
