import Crypto
import FHIR
import Foundation
import IndivoBase
import OrderedJSON

/// Where an export comes from: what wrote it, by which mapping, when, and how much.
public struct ExportProvenance: Sendable {
    /// A questionnaire that gave labels and types.
    public struct Definition: Sendable, Hashable {
        public let url: String
        public let version: String?
        /// The SHA-256 digest of its JSON, without spaces, in hexadecimal digits.
        public let digest: String

        /// What a questionnaire is known by.
        public init(_ questionnaire: Questionnaire) {
            url = questionnaire.url?.rawValue ?? ""
            version = questionnaire.version
            digest = ConceptNames.digest(questionnaire.tree.text())
        }
    }

    /// The program's name.
    public let program = "swift-indivo"
    /// The package's version.
    public let version: String
    /// The commit that the program was built from; `nil` where that is not known.
    public let commit: String?
    /// The study's code.
    public let study: String
    /// When it was made, in UTC, as in `2026-03-01T10:00:00Z`.
    public let exported: String
    /// How it was asked for: format, audience, free text and identities.
    public let options: [(name: String, value: String)]
    /// The questionnaires.
    public let definitions: [Definition]
    /// How many participants there are.
    public let participants: Int
    /// How many responses there are.
    public let responses: Int
    /// What was written.
    public var files: [ExportedFile] = []

    /// What is known before the files are written.
    public init(
        version: String,
        commit: String?,
        study: String,
        exported: Date,
        options: [(name: String, value: String)],
        questionnaires: [Questionnaire],
        participants: Int,
        responses: Int
    ) {
        self.version = version
        self.commit = commit
        self.study = study
        self.exported =
            String(WarehouseTime(FHIRDateTime(exported)).description.prefix(19))
            .replacing(" ", with: "T") + "Z"
        self.options = options
        definitions = questionnaires.map(Definition.init)
        self.participants = participants
        self.responses = responses
    }

    /// One line for people.
    public var summary: String {
        let mapping = commit.map { ", commit \($0)" } ?? ""
        return "\(program) \(version)\(mapping), \(exported): \(participants) participants, "
            + "\(responses) responses"
    }

    public var json: JSONValue {
        [
            "program": JSONValue(program), "version": JSONValue(version), "commit": JSONValue(commit),
            "study": JSONValue(study), "exported": JSONValue(exported),
            "options": JSONValue(
                members: options.map { JSONMember(name: $0.name, value: JSONValue($0.value)) }
            ),
            "questionnaires": JSONValue(
                definitions.map { definition -> JSONValue in
                    [
                        "url": JSONValue(definition.url), "version": JSONValue(definition.version),
                        "sha256": JSONValue(definition.digest),
                    ]
                }
            ),
            "participants": JSONValue(participants), "responses": JSONValue(responses),
            "files": JSONValue(
                files.map { file -> JSONValue in
                    [
                        "name": JSONValue(file.name), "rows": JSONValue(file.rows),
                        "bytes": JSONValue(file.bytes), "sha256": JSONValue(file.digest),
                    ]
                }
            ),
        ]
    }
}

/// A file that is being written, or was.
public struct ExportedFile: Sendable {
    public let name: String
    /// How many rows of data it has.
    public private(set) var rows = 0
    /// How many bytes.
    public private(set) var bytes = 0
    private var hash = SHA256()

    /// A file with nothing in it yet.
    public init(_ name: String) { self.name = name }

    /// Counts what is written.
    public mutating func add(_ data: Data, rows: Int = 0) {
        bytes += data.count
        hash.update(data: data)
        self.rows += rows
    }

    /// The SHA-256 digest of what was written, in hexadecimal digits.
    public var digest: String { Hexadecimal.encode(hash.finalize()) }
}

extension WarehouseTransaction {
    /// How many participants and completed or amended responses an audience has.
    public func exportCounts(of audience: ExportAudience = .study) throws -> (
        participants: Int, responses: Int
    ) {
        let participants = try db.number(
            "SELECT count(*) FROM study_participant p WHERE \(audience.condition("p"))"
        )
        let responses = try db.number(
            """
            SELECT count(*) FROM study_resource r
            WHERE r.type = 'QuestionnaireResponse' AND \(audience.condition("r"))
            """
        )
        return (participants, responses)
    }

    /// The study's code.
    public var study: String { source }
}
