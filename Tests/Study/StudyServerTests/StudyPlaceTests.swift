import Foundation
import Testing

@testable import IndivoCommand

@Suite struct StudyPlaceTests {
    @Test("files, databases and queues are told apart")
    func kinds() throws {
        guard
            case .file(let file) = try StudyPlace(
                "sqlite:///var/lib/s.sqlite",
                option: "queue",
                takesSQS: true
            ),
            case .postgreSQL(let url) = try StudyPlace("postgresql://h/d", option: "store", takesSQS: false),
            case .sqs(let queue) = try StudyPlace("sqs:https://h/1/q", option: "queue", takesSQS: true)
        else { return #expect(Bool(false), "they are told wrongly") }
        #expect(file.path() == "/var/lib/s.sqlite" && url == "postgresql://h/d" && queue == "https://h/1/q")
    }

    @Test(
        "other schemes are refused without repeating them",
        arguments: [
            "mysql://u:hidden@h/d", "sqlite:", "sqlite://hidden", "sqs:https://hidden", "study.sqlite", "",
        ]
    )
    func otherSchemes(text: String) {
        do {
            _ = try StudyPlace(text, option: "store", takesSQS: false)
            #expect(Bool(false), "it was taken")
        } catch {
            #expect("\(error)".contains("--store"))
            #expect(!"\(error)".contains("hidden"))
        }
    }
}
