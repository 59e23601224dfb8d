import FHIR
import Foundation
import OrderedJSON
import Surveys
import TestSupport
import Testing

@testable import SurveyPages

@Suite("A server of a survey's pages")
struct ServerTests {
    @Test(
        "requests are taken for this machine, or for the name a proxy serves pages under",
        arguments: [
            (nil, "127.0.0.1:80", true), (nil, "localhost", true), (nil, "evil.example", false),
            (nil, "", false),
            ("Survey.example", "survey.example", true), ("survey.example", "survey.example:443", true),
            ("survey.example", "evil.example", false), ("survey.example", "127.0.0.1", false),
        ] as [(String?, String, Bool)]
    )
    func host(host: String?, named: String, isTaken: Bool) async throws {
        let questionnaire = try #require(
            Questionnaire(tree: try JSONValue(parsing: Data(visitQuestionnaire.utf8)))
        )
        var configuration = SurveyServer.Configuration()
        configuration.host = host
        let server = try await SurveyServer.start(
            Survey(questionnaire),
            store: SurveyResponsesInMemory(),
            configuration
        )
        let connection = try RawConnection(port: UInt16(server.url.port ?? 0))
        connection.write("GET /survey.css HTTP/1.1\r\nHost: \(named)\r\nConnection: close\r\n\r\n")
        let response = await connection.rest()
        await server.stop()
        #expect(response.hasPrefix(isTaken ? "HTTP/1.1 200 " : "HTTP/1.1 403 "), "\(response.prefix(100))")
    }
}
