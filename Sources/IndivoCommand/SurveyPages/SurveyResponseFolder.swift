import FHIR
import Foundation
import Indivo
import OrderedJSON
import SurveyPages
import Surveys

/// The responses to a questionnaire as files of a folder: `phq9-1f0c….TOKEN.json`, of which the first part is the
/// questionnaire's, so that several questionnaires can share a folder.
struct SurveyResponseFolder: SurveyResponseStore {
    private let folder: String
    /// What the names of files begin with.
    private let prefix: String

    /// Makes the folder when it is not there.
    ///
    /// - Throws: ``CommandFailure`` where it cannot be made.
    init(_ folder: String, of survey: Survey) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("\(folder): the folder cannot be made: \(error.localizedDescription)")
        }
        self.folder = folder
        prefix = Self.prefix(of: survey.questionnaire)
    }

    /// A name for people, and a fingerprint of the questionnaire's URL: a new version goes on with the responses of the old.
    /// Without a URL the content is the questionnaire's identity.
    private static func prefix(of questionnaire: Questionnaire) -> String {
        let identity = questionnaire.url.map { Array($0.rawValue.utf8) } ?? questionnaire.tree.utf8()
        // FNV-1a of 64 bits.
        let hash = identity.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        let name = questionnaire.url?.rawValue.split(separator: "/").last ?? "questionnaire"
        let shown = String(
            decoding: name.utf8.filter { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) || $0 == 0x2D }
                .prefix(40), as: UTF8.self)
        return "\(shown)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }

    private func file(_ id: String) -> PrivateFile { PrivateFile("\(folder)/\(prefix).\(id).json") }

    func response(_ id: String) throws -> QuestionnaireResponse? {
        guard let data = try file(id).read() else { return nil }
        guard let response = QuestionnaireResponse(tree: try JSONValue(parsing: data)) else {
            throw CommandFailure("\(file(id).path): this is no QuestionnaireResponse")
        }
        return response
    }

    func save(_ response: QuestionnaireResponse, id: String) throws {
        try file(id).replace(with: Data(response.json(.pretty)))
    }
}
