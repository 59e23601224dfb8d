import Crypto
import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import StudyDelivery
import StudyServer
import Testing

@testable import StudyServer
@testable import StudyWarehouse

/// What ResearchKit's packages have beside FHIR: results of tasks, and files.
@Suite struct ResearchKitResultTests {
    private typealias BackEnd = ConsumerTests.BackEnd

    private static let result = """
        {"_class": "ORKTaskResult", "identifier": "walk & mood", "taskRunUUID": \
        "5C7B0F5E-5D0B-4E9C-8A11-2F6B1D9E4C30", "startDate": "2026-03-01T10:00:00+0100", "endDate": \
        "2026-03-01T10:05:00+0100", "results": [
         {"_class": "ORKStepResult", "identifier": "mood", "results": [
          {"_class": "ORKChoiceQuestionResult", "identifier": "mood", "choiceAnswers": ["good", "calm"]}]},
         {"_class": "ORKStepResult", "identifier": "form", "results": [
          {"_class": "ORKBooleanQuestionResult", "identifier": "slept", "booleanAnswer": 1},
          {"_class": "ORKNumericQuestionResult", "identifier": "weight", "numericAnswer": 154, "unit": "lb"},
          {"_class": "ORKScaleQuestionResult", "identifier": "pain", "scaleAnswer": 3.5},
          {"_class": "ORKTextQuestionResult", "identifier": "note", "textAnswer": "fine"},
          {"_class": "ORKTimeOfDayQuestionResult", "identifier": "bed", "dateComponentsAnswer": "23:15"},
          {"_class": "ORKDateQuestionResult", "identifier": "since", "dateAnswer": \
        "2026-02-01T00:00:00+0100"},
          {"_class": "ORKTimeIntervalQuestionResult", "identifier": "nap", "intervalAnswer": 1800},
          {"_class": "ORKTextQuestionResult", "identifier": "empty"}]},
         {"_class": "ORKStepResult", "identifier": "walk", "results": [
          {"_class": "ORKTimedWalkResult", "identifier": "walk", "distanceInMeters": 30, "duration": 21.5, \
        "timeLimit": 60},
          {"_class": "ORKFileResult", "identifier": "accel", "contentType": "application/json", "fileName": \
        "accel.json", "startDate": "2026-03-01T10:01:00+0100", "endDate": "2026-03-01T10:02:00+0100"}]}]}
        """
    private static let recording = Data(
        #"{"items": [{"timestamp": 1.5, "x": 0.01, "y": -0.99, "z": 0.1}]}"#.utf8
    )
    private static let picture = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func send(
        _ files: [(name: String, data: Data)],
        of participant: UUID,
        id: String,
        to study: BackEnd
    ) async throws {
        let run = UUID(uuidString: "5C7B0F5E-5D0B-4E9C-8A11-2F6B1D9E4C30")
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "walk", taskRun: run))
        for file in files { try archive.add(file.name, file.data) }
        let folder = try Folder()
        let encryption = try CMSEncryption(for: [StudyKeys.certificate()])
        try archive.write(to: folder.file("p.cms"), encryption: encryption)
        let message = StudyMessage(
            id: id,
            content: .package,
            subject: participant.uuidString,
            received: "2026-03-02T00:00:00Z",
            body: try Data(contentsOf: folder.file("p.cms"))
        )
        _ = try await study.queue.send(message)
    }

    private func answers(_ study: BackEnd) async throws -> [String: String] {
        let rows = try await study.warehouse.read { warehouse in
            try warehouse.db.rows(
                """
                SELECT concept_cd, CASE WHEN valtype_cd = 'N' THEN nval_num ELSE tval_char END, units_cd
                FROM observation_fact WHERE modifier_cd = '@'
                """
            )
        }
        return Dictionary(
            rows.map { row in
                let name = (row.text(0) ?? "").split(separator: ":").dropFirst(2).joined(separator: ":")
                let value = row.values[1].decimal ?? ""
                return (name, [value, row.text(2)].compactMap { $0 }.joined(separator: " "))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("results of a task are facts by their identifiers")
    func results() async throws {
        let study = try BackEnd()
        let participant = UUID()
        try await study.queue.send(Given.message(Given.contract(participant)))
        for number in 1...2 {
            let result = Data((Self.result + String(repeating: " ", count: number)).utf8)
            try await send([("result.json", result)], of: participant, id: "upload:\(number)", to: study)
        }
        #expect(try await study.consumer.drain().loaded == 3)
        let found = try await answers(study)
        let expected = [
            "mood=good": "good", "mood=calm": "calm", "slept=true": "yes", "weight": "154 [lb_av]",
            "pain": "3.5", "note": "fine", "bed": "23:15:00", "nap": "1800 s",
            "walk.duration": "21.5",
        ]
        for (name, value) in expected { #expect(found[name] == value, "\(name)") }
        // The second delivery is of the same run.
        #expect(try await study.count("SELECT count(*) FROM visit_dimension") == 1)
        #expect(
            try await study.text("SELECT start_date FROM observation_fact WHERE modifier_cd = '@'")
                == "2026-03-01 09:05:00"
        )
        let resource = try #require(try await study.text("SELECT json FROM study_resource"))
        #expect(resource.contains(#""subject":{"reference":"Patient/"#))
        #expect(!resource.lowercased().contains(participant.uuidString.lowercased()))
    }

    @Test("typed text is no code, and a path on the phone is no answer")
    func noAnswers() throws {
        let result = try JSONValue(
            parsing: """
                {"_class": "ORKTaskResult", "identifier": "mood", "results": [
                 {"_class": "ORKChoiceQuestionResult", "identifier": "mood", "choiceAnswers": ["good", \
                "my own words"]},
                 {"_class": "ORKTimedWalkResult", "identifier": "walk", "duration": 21.5, "fileURL": \
                "/var/mobile/walk.json"}]}
                """
        )
        let response = try #require(TaskResults().response(result, item: nil, run: nil)).text()
        #expect(response.contains(#""valueString":"my own words""#))
        #expect(response.contains(#""code":"good""#))
        #expect(!response.contains("/var/mobile"))
    }

    @Test("the id of a participant known by its digest is found in a result")
    func digest() throws {
        let id = UUID().uuidString
        let json = try JSONValue(
            parsing: """
                {"resourceType": "QuestionnaireResponse", "status": "completed", "authored": \
                "2026-03-01T10:00:00Z", "questionnaire": "http://example.org/Questionnaire/walk",
                 "item": [{"linkId": "log", "answer": [{"valueString": "log-\(id).txt"}]}]}
                """
        )
        for owner in [id, UUID().uuidString] {
            let intake = try Intake(
                json,
                visit: "v",
                received: "2026-03-02T00:00:00Z",
                mapper: ResponseMapper(),
                owner: Intake.digest(owner)
            )
            #expect(intake.phoneID == (owner == id ? id : ""))
        }
    }

    @Test("results of a task made from a questionnaire are its answers")
    func ofQuestionnaire() async throws {
        let questionnaire = try Questionnaire(
            parsing: """
                {"resourceType": "Questionnaire", "url": "http://example.org/Questionnaire/mood", "status": \
                "active", "item": [
                 {"linkId": "pain", "type": "decimal", "text": "Pain", "code": [{"system": \
                "http://loinc.org", "code": "72514-3"}]}]}
                """
        )
        let result = """
            {"_class": "ORKTaskResult", "identifier": "http://example.org/Questionnaire/mood", "endDate": \
            "2026-03-01T10:05:00+0100", "results": [{"_class": "ORKStepResult", "identifier": "pain", \
            "results": [{"_class": "ORKNumericQuestionResult", "identifier": "pain", "numericAnswer": 4}]}]}
            """
        let study = try BackEnd()
        let consumer = Consumer(
            queue: study.queue,
            warehouse: study.warehouse,
            keys: KeyRing([StudyKeys.id: StudyKeys.key]),
            mapper: ResponseMapper(Codebook([questionnaire])),
            questionnaires: [questionnaire]
        )
        let participant = UUID()
        try await study.queue.send(Given.message(Given.contract(participant)))
        try await send([("r.json", Data(result.utf8))], of: participant, id: "upload:1", to: study)
        #expect(try await consumer.drain().loaded == 2)
        #expect(
            try await study.count(
                "SELECT count(*) FROM observation_fact WHERE concept_cd = 'LOINC:72514-3' AND nval_num = 4"
            ) == 1
        )
    }

    @Test("what has no facts is kept, and every file comes out byte for byte")
    func withoutFacts() async throws {
        let study = try BackEnd()
        let one = UUID()
        let other = UUID()
        let silent = UUID()
        for person in [one, other] { try await study.queue.send(Given.message(Given.contract(person))) }
        let files = [("accel.json", Self.recording), ("picture.png", Self.picture), ("empty.txt", Data())]
        try await send(files, of: one, id: "upload:1", to: study)
        try await send(
            [("result.json", Data(Self.result.utf8))] + files,
            of: other,
            id: "upload:2",
            to: study
        )
        try await send(files, of: silent, id: "upload:3", to: study)
        let report = try await study.consumer.drain()
        #expect(report.kept == 1)
        #expect(report.loaded == 3)
        #expect(report.waiting == 1)
        let folder = try Folder()
        let export = FileExport(warehouse: study.warehouse, keys: KeyRing([StudyKeys.id: StudyKeys.key]))
        let written = try await export.write(to: folder.file("files"))
        #expect(written.packages == 2)
        #expect(written.files == 7)
        #expect(written.failed == [])
        let manifest = try String(contentsOf: folder.file("files/manifest.ndjson"), encoding: .utf8)
        let lines = try manifest.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(lines.count == 7)
        let known = Dictionary(uniqueKeysWithValues: files + [("result.json", Data(Self.result.utf8))])
        for line in lines {
            let path = try #require(line["path"]?.string)
            let data = try Data(contentsOf: folder.file("files/\(path)"))
            #expect(data == known[String(path.split(separator: "/").last ?? "")])
            #expect(line["sha256"]?.string == Hexadecimal.encode(SHA256.hash(data: data)))
            #expect(line["bytes"]?.integer == data.count)
            #expect(line["study"] == "org.example.sleep")
            #expect(line["run"] == "5C7B0F5E-5D0B-4E9C-8A11-2F6B1D9E4C30")
        }
        let recorded = lines.filter { $0["path"]?.string?.hasSuffix("accel.json") == true }
        #expect(recorded.contains { $0["start"] == "2026-03-01T10:01:00+01:00" })
        #expect(!manifest.lowercased().contains(one.uuidString.lowercased()))
        // A second export does not overwrite the first.
        await #expect(throws: StudyError.self) { try await export.write(to: folder.file("files")) }
    }

    @Test("an export for researchers has only those who share")
    func sharing() async throws {
        let study = try BackEnd()
        let people = (0..<3).map { _ in UUID() }
        func consent(_ person: UUID, _ shares: Bool?, _ signed: String) -> String {
            let provision = shares.map {
                #", "provision": {"provision": [{"type": "\#($0 ? "permit" : "deny")"}]}"#
            }
            return """
                {"resourceType": "Consent", "status": "active", "dateTime": "\(signed)",
                 "patient": {"reference": "Patient/\(person.uuidString)"},
                 "sourceReference": {"identifier": {"value": "2"}}\(provision ?? "")}
                """
        }
        let consents = [
            consent(people[0], true, "2026-02-01T09:00:00Z"),
            consent(people[1], true, "2026-02-01T09:00:00Z"),
            consent(people[1], false, "2026-02-02T09:00:00Z"),
            consent(people[2], nil, "2026-02-01T09:00:00Z"),
        ]
        #expect(try await study.deliver(consents + people.map { Given.response($0) }).loaded == 7)
        let (all, sharing, facts, resources, pdo) = try await study.warehouse.read { warehouse in
            var facts: Set<String> = []
            try warehouse.eachFact(of: .sharing) { facts.insert($0[0]) }
            var resources = 0
            try warehouse.eachResource("QuestionnaireResponse", of: .sharing) { _ in resources += 1 }
            var pdo = ""
            try warehouse.writePDO(of: .sharing) { pdo += $0 }
            return (
                try warehouse.consents(), try warehouse.consents(of: .sharing), facts, resources, pdo
            )
        }
        #expect(all.count == 3)
        #expect(Set(all.map(\.shares)) == [true, false, nil])
        #expect(all.allSatisfy { $0.version == "2" })
        #expect(all.first { $0.shares == false }?.signed == "2026-02-02 09:00:00")
        #expect(all.first { $0.shares == false }?.first == "2026-02-01 09:00:00")
        #expect(sharing.map(\.shares) == [true])
        #expect(facts == Set(sharing.map(\.participant)))
        #expect(resources == 1)
        for consent in all { #expect(pdo.contains(consent.participant) == (consent.shares == true)) }
        #expect(pdo.contains("sharesWithResearchers&quot;:true"))
        for consent in all {
            let issues = try Consent(parsing: consent.resource.text()).issues()
            #expect(issues.filter(\.isError) == [])
        }
    }
}
