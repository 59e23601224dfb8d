import Foundation
import HTTPTypes
import Indivo
import IndivoModel
import Testing

@Suite("Reports with values that nobody can read")
struct UnreadableReportTests {
    private static let namespace = "http://indivo.org/vocab/xml/documents#"
    private static let facts = """
        <Models><Model name="Problem" documentId="d-1"><Field name="startDate">BAD DATE</Field><Field \
        name="notes">a</Field></Model>\
        <Model name="Problem" documentId="d-2"><Field \
        name="startDate">2026-11-21T08:00:00Z</Field></Model></Models>
        """

    private func transport(_ bodies: [(path: String, type: String, body: String)]) -> AnsweringTransport {
        AnsweringTransport { request, _ in
            guard let answer = bodies.first(where: { request.path?.hasPrefix($0.path) == true }) else {
                return HTTPAnswer(response: HTTPResponse(status: .forbidden))
            }
            let fields: HTTPFields = [.contentType: answer.type, .contentLength: "\(answer.body.utf8.count)"]
            return HTTPAnswer(
                response: HTTPResponse(status: .ok, headerFields: fields),
                body: Data(answer.body.utf8)
            )
        }
    }

    @Test("a report gives the other facts, by class and by name, in XML and JSON")
    func reports() async throws {
        let xml = transport([("/records/r-1/reports/", "application/xml", Self.facts)]).record()
        let problems = try await xml.reports(of: Problem.self).all()
        #expect(problems.map(\.id) == ["d-1", "d-2"] && problems.map { $0.readingProblems.count } == [1, 0])
        #expect(problems[0].startDate == nil && problems[0].notes == "a")
        #expect(try await xml.reports(ofModel: "Problem").all().map { $0.readingProblems.count } == [1, 0])
        let text = #"[{"__modelname__": "Measurement", "__documentid__": "d", "value": NaN, "type": "T"}]"#
        let json = transport([("/records/r-1/reports/", "application/json", text)]).record()
        let query = ReportQuery().format(.json)
        let values = try await json.reports(of: MeasuredValue.self, matching: query).all()
        #expect(values.map(\.type) == ["T"] && values[0].value == nil && values[0].readingProblems.count == 1)
    }

    @Test("minimal reports give the other facts, and say what of them is missing")
    func minimalReports() async throws {
        let body = """
            <Reports><Summary total_document_count="1" limit="100" offset="0" \
            order_by="None"/><Report><Meta><Document id="d-1"/></Meta>\
            <Item><Measurement id="1" value="nan" type="T" unit="u" \
            datetime="2026-11-21T08:00:00Z"/></Item></Report></Reports>
            """
        let record = transport([("/records/r-1/reports/", "application/xml", body)]).record()
        let values = try await record.measurements("T").all()
        #expect(values.map(\.unit) == ["u"] && values[0].value == nil)
        #expect(values[0].readingProblems.map(\.property) == ["measurement.value"])
    }

    private static let flat = """
        <Models><Model name="Demographics" documentId="d-9"><Field name="bday">BAD DATE</Field><Field \
        name="gender">female</Field>\
        <Field name="name_family">Ito</Field><Field name="name_given">Ann</Field></Model></Models>
        """
    private static let stored = """
        <Demographics xmlns="\(namespace)"><dateOfBirth>1899-12-31</dateOfBirth><gender>female</gender>\
        <Name><familyName>Ito</familyName><givenName>Ann</givenName></Name></Demographics>
        """

    @Test("a birth date that a server cannot report is read from the document instead")
    func demographics() async throws {
        let answers = transport([
            ("/records/r-1/demographics", "application/xml", Self.flat),
            ("/records/r-1/documents/d-9/meta", "application/xml", "<Document id=\"d-9\"/>"),
            ("/records/r-1/documents/d-9", "application/xml", Self.stored),
        ])
        let person = try await answers.record().demographics()
        #expect(person.dateOfBirth == "1899-12-31" && person.id == "d-9" && person.readingProblems.isEmpty)
        person.email = "ann@example.org"
        let metadata = transport([("/records/r-1/demographics", "application/xml", "<Document id=\"d-10\"/>")]
        )
        try await metadata.record().setDemographics(person)
        #expect(metadata.requests.count == 1)
    }

    @Test("where the document may not be read, the date is missing and nothing is sent")
    func demographicsWithoutDocument() async throws {
        let record = transport([("/records/r-1/demographics", "application/xml", Self.flat)]).record()
        let person = try await record.demographics()
        #expect(person.dateOfBirth == nil && person.readingProblems.map(\.property) == ["dateOfBirth"])
        let error = try await #require(throws: IndivoError.self) { try await record.setDemographics(person) }
        guard case .invalidDocument(let problems) = error.reason else { throw error }
        #expect(problems.map(\.property) == ["dateOfBirth"])
    }

    @Test("a new birth date before 1900 is a problem, and is sent when the app says so")
    func oldBirthDates() async throws {
        let transport = transport([
            ("/records/r-1/demographics", "application/xml", "<Document id=\"d-10\"/>")
        ])
        let person = Demographics()
        person.dateOfBirth = "1899-12-31"
        person.gender = .female
        person.name = .init()
        person.name?.familyName = "Ito"
        person.name?.givenName = ""
        let error = try await #require(throws: IndivoError.self) {
            try await transport.record().setDemographics(person)
        }
        #expect(error.description.contains("before 1900") && !error.description.contains("1899"))
        #expect(transport.requests.isEmpty)
        try await transport.record().setDemographics(person, validation: .none)
        #expect(transport.requests.count == 1)
    }
}
