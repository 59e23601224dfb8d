import ArgumentParser
import FHIR
import FHIRClient
import Foundation
import Indivo
import IndivoBase
import OrderedJSON
import RecordCommands
import SurveyPages
import Surveys

struct SurveyServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Ask a questionnaire's questions on web pages.",
        discussion: """
            Each response has an address of its own, is saved page by page, \
            and can be gone on with at that address. With --responses they are files of the folder, \
            one each, that only their owner can read, also those in progress. \
            Without it, responses are printed as lines of JSON when they are complete.

            Value sets that the questionnaire does not contain come from the servers of --terminology, with \
            --launch by default from the record; other servers are not asked, even where the questionnaire \
            prefers them. Of a value set that is too large to be listed, what is typed is searched for, by \
            whoever has the page.

            With --launch visitors log in at the health record of --base first (SMART App Launch): the \
            survey is filled from the patient's record, and what is complete is stored there, with what the \
            questionnaire extracts. The app of --client-id is registered there with the redirect URI \
            http://127.0.0.1:8082/callback, or https://NAME/callback with --host, and with /launch to be \
            opened from the record. The secret of a confidential client comes from FHIR_CLIENT_SECRET.

            The pages are for this machine. For others a proxy that ends TLS stands before them, \
            and --host is the name that it serves them under; it has to pass on Host.
            """
    )

    @OptionGroup var file: SurveyFile
    @OptionGroup var context: SurveyContextOptions
    @OptionGroup var connection: FHIRConnectionOptions
    @OptionGroup var terminology: SurveyTerminologyOptions
    @OptionGroup var app: SMARTAppOptions

    @Flag(help: "Have visitors log in at the health record of --base.")
    var launch = false

    @Option(help: "The port; 0 for a free one.")
    var port: UInt16 = 8082

    @Option(help: "Listen on this IPv4 address; anything but loopback puts the pages on the network.")
    var address = "127.0.0.1"

    @Option(help: .value("name", "The name under which a proxy with TLS serves the pages."))
    var host: String?

    @Option(
        help: .value("folder", "Keep the responses in this folder."),
        completion: .directory
    )
    var responses: String?

    @Option(help: .value("reference", "Whom the responses are about, as in Patient/7."))
    var subject: String?

    @Flag(help: "Print one line of JSON first, for programs.")
    var json = false

    func run() async throws {
        let terminology = try terminology.terminology(connection)
        let survey = try await survey(terminology)
        let context = try context.context()
        for diagnostic in survey.diagnostics where diagnostic.severity == .error {
            StandardStreams.printError(diagnostic.description)
        }
        let store: any SurveyResponseStore
        if let responses {
            store = try SurveyResponseFolder(responses, of: survey)
        } else {
            store = SurveyResponsesInMemory { response in try StandardStreams.say(response.tree.text()) }
        }
        var configuration = SurveyServer.Configuration()
        configuration.address = address
        configuration.port = port
        configuration.host = host
        configuration.subject = subject
        configuration.context = { context }
        configuration.search = terminology?.search
        let server = try await start(survey, store, configuration, terminology)
        let url = server.url.absoluteString
        if json { try StandardStreams.say((["url": JSONValue(url)] as JSONValue).text()) }
        StandardStreams.printError("The survey is at \(url)\nStop it with Control-C.")
        await Interrupt.wait()
        await server.stop()
    }
}

extension SurveyServeCommand {
    /// The survey with its value sets; with a login each visitor asks for them.
    private func survey(_ terminology: SurveyTerminology?) async throws -> Survey {
        let given = try file.survey()
        guard !launch, let terminology, !given.missingValueSets.isEmpty else { return given }
        do {
            let (survey, missing) = try await terminology.server.survey(
                given.questionnaire,
                asking: terminology
            )
            for definition in missing { StandardStreams.printError("warning: \(definition)") }
            return survey
        } catch let error as FHIRClientError {
            throw CommandFailure(error)
        }
    }

    private func start(
        _ survey: Survey,
        _ store: any SurveyResponseStore,
        _ configuration: SurveyServer.Configuration,
        _ terminology: SurveyTerminology?
    ) async throws -> SurveyServer {
        guard launch else {
            return try await CommandFailure.starting("the server") {
                try await SurveyServer.start(survey, store: store, configuration)
            }
        }
        guard subject == nil else {
            throw CommandFailure(
                "with --launch responses are about the patient of the login; leave --subject out"
            )
        }
        do {
            return try await SurveyServer.start(
                survey,
                store: store,
                configuration,
                terminology: terminology
            ) { text in
                StandardStreams.printError("warning: \(text)")
            } record: { redirectURI in
                try connection.server(
                    app.app(redirectURI: redirectURI, scope: SMARTAppOptions.writingScope)
                )
            }
        } catch let error as CommandFailure {
            throw error
        } catch {
            return try await CommandFailure.starting("the server") { throw error }
        }
    }
}

/// The responses to a questionnaire as files of a folder: `phq9-1f0c….TOKEN.json`, of which the first part is
/// the questionnaire's, so that several questionnaires can share a folder.
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
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure("\(folder): the folder cannot be made: \(error.localizedDescription)")
        }
        self.folder = folder
        prefix = Self.prefix(of: survey.questionnaire)
    }

    /// A name for people, and a fingerprint of the questionnaire's URL: a new version goes on with the
    /// responses of the old. Without a URL the content is the questionnaire's identity.
    private static func prefix(of questionnaire: Questionnaire) -> String {
        let identity = questionnaire.url.map { Array($0.rawValue.utf8) } ?? questionnaire.tree.utf8()
        // FNV-1a of 64 bits.
        let hash = identity.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        let name = questionnaire.url?.rawValue.split(separator: "/").last ?? "questionnaire"
        let letters = name.utf8.filter { $0.isASCIILetterOrDigit || $0 == 0x2D }
        let shown = String(decoding: letters.prefix(40), as: UTF8.self)
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
