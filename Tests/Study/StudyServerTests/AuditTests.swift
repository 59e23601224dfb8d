import DurableQueue
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import Testing

@testable import IndivoCommand
@testable import StudyServer

/// A log in which no entry can be changed, taken out or put in unseen.
@Suite struct AuditTests {
    private func log(_ folder: Folder, entries: Int = 5) throws -> AuditLog {
        let log = AuditLog(folder.file("audit.jsonl"))
        for number in 0..<entries {
            try log.append(who: "ada", action: "view", ["path": "/page/\(number)"])
        }
        return log
    }

    private func change(_ log: AuditLog, _ body: (inout [String]) -> Void) throws {
        var lines = try String(contentsOf: log.url, encoding: .utf8).split(separator: "\n").map(String.init)
        body(&lines)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: log.url)
    }

    @Test("an unchanged log holds, and its head proves what is before it")
    func unchanged() throws {
        let folder = try Folder()
        let log = try log(folder)
        let noted = try log.verify()
        #expect(noted.count == 5)
        try log.append(who: "bob", action: "export", ["format": "tables"])
        var entries: [AuditLog.Entry] = []
        let state = try log.verify(noted: noted.head) { entries.append($0) }
        #expect(state.count == 6 && entries.map(\.number) == Array(1...6))
        #expect(entries.last?.details == ["format": "tables"] && entries.last?.who == "bob")
        let mode = try FileManager.default.attributesOfItem(atPath: log.url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    enum Change: CaseIterable { case edited, removed, inserted, swapped, first, cut }

    @Test("a change is found with its line", arguments: Change.allCases)
    func changed(kind: Change) throws {
        let folder = try Folder()
        let log = try log(folder)
        let head = try log.verify().head
        try change(log) { lines in
            switch kind {
            case .edited: lines[2] = lines[2].replacing("/page/2", with: "/page/9")
            case .removed: lines.remove(at: 2)
            case .inserted: lines.insert(lines[1], at: 2)
            case .swapped: lines.swapAt(1, 2)
            case .first: lines.removeFirst()
            case .cut: lines.removeLast(2)
            }
        }
        let problem = #expect(throws: AuditLog.Problem.self) { try log.verify(noted: head) }
        switch kind {
        case .edited: #expect(problem == .broken(line: 3, reason: "the entry was changed"))
        case .removed, .inserted: #expect("\(problem.map { "\($0)" } ?? "")".hasPrefix("line 3:"))
        case .swapped: #expect("\(problem.map { "\($0)" } ?? "")".hasPrefix("line 2:"))
        case .first: #expect("\(problem.map { "\($0)" } ?? "")".hasPrefix("line 1:"))
        // The chain alone holds; the head that was noted does not.
        case .cut: #expect(problem == .missingHead(head))
        }
    }

    @Test("a chain that was made anew does not have the head that was noted")
    func remade() throws {
        let folder = try Folder()
        let log = try log(folder)
        let head = try log.verify().head
        try FileManager.default.removeItem(at: log.url)
        for number in 0..<5 {
            try log.append(who: "eve", action: "view", ["path": "/page/\(number)"])
        }
        #expect(try log.verify().count == 5)
        #expect(throws: AuditLog.Problem.missingHead(head)) { try log.verify(noted: head) }
    }

    @Test("several writers at once make one chain")
    func severalWriters() async throws {
        let folder = try Folder()
        let log = AuditLog(folder.file("audit.jsonl"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let own = AuditLog(log.url)
                    for number in 0..<10 { try own.append(who: "w\(writer)", action: "\(number)") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try log.verify().count == 80)
    }

    @Test("a line of a killed writer is found, and the chain goes on")
    func killedWriter() throws {
        let folder = try Folder()
        let log = try log(folder, entries: 2)
        let file = try FileHandle(forWritingTo: log.url)
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"n":3,"at":"2026"#.utf8))
        try file.close()
        #expect(throws: AuditLog.Problem.self) { try log.verify() }
        #expect(try log.append(who: "ada", action: "view").number == 3)
        #expect(throws: AuditLog.Problem.broken(line: 3, reason: "it is no entry")) { try log.verify() }
    }

    @Test("long texts are cut, and line ends stay in their entry")
    func longTexts() throws {
        let folder = try Folder()
        let log = AuditLog(folder.file("audit.jsonl"))
        let text = String(repeating: "x\n\"ä", count: 5000)
        try log.append(
            who: text,
            action: text,
            Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", text) })
        )
        try log.append(who: "ada", action: "view")
        var entries: [AuditLog.Entry] = []
        try log.verify { entries.append($0) }
        #expect(entries.count == 2 && entries[0].details.count == 10 && entries[0].who.count == 500)
    }

    @Test("a text of one character and thousands of marks is cut, and the log is written on")
    func marks() throws {
        let folder = try Folder()
        let log = AuditLog(folder.file("audit.jsonl"))
        let marked = "e" + String(repeating: "\u{301}", count: 8000)
        let escaped = String(repeating: "\u{1}", count: 8000)
        for text in [marked, escaped] {
            let details = Dictionary(uniqueKeysWithValues: (0..<10).map { ("\($0)\(text)", text) })
            try log.append(who: text, action: text, details)
            try log.append(who: "ada", action: "view")
        }
        #expect(try log.verify().count == 4)
        let lines = try Data(contentsOf: log.url).split(separator: UInt8(ascii: "\n"))
        #expect(lines.allSatisfy { $0.count < 8192 })
    }

    @Test("behind the line of a killed writer entries are shown and changes are found")
    func behindStump() throws {
        let folder = try Folder()
        let log = try log(folder, entries: 2)
        let file = try FileHandle(forWritingTo: log.url)
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"n":3,"at":"2026"#.utf8))
        try file.close()
        for path in ["/a", "/b"] { try log.append(who: "ada", action: "view", ["path": path]) }
        var entries: [AuditLog.Entry] = []
        #expect(throws: AuditLog.Problem.broken(line: 3, reason: "it is no entry")) {
            try log.verify { entries.append($0) }
        }
        #expect(entries.map(\.number) == [1, 2, 3, 4])
        try change(log) { $0[3] = $0[3].replacing("/a", with: "/c") }
        #expect(throws: AuditLog.Problem.broken(line: 4, reason: "the entry was changed")) {
            try log.verify()
        }
    }

    @Test("a cut end is told also where an older line is no entry, as is a second digest")
    func cutBehindStump() throws {
        let folder = try Folder()
        let log = try log(folder, entries: 2)
        try change(log) { $0.append("garbage") }
        for path in ["/a", "/b"] { try log.append(who: "ada", action: "view", ["path": path]) }
        let lines = try String(contentsOf: log.url, encoding: .utf8)
        let head = try #require(lines.split(separator: "\"").dropLast().last.map(String.init))
        #expect(throws: AuditLog.Problem.broken(line: 3, reason: "it is no entry")) {
            try log.verify(noted: head)
        }
        try change(log) { $0.removeLast() }
        #expect(throws: AuditLog.Problem.missingHead(head)) { try log.verify(noted: head) }
        try change(log) { $0[0] = $0[0].replacing(#""digest":"#, with: #""digest":"x","digest":"#) }
        #expect(throws: AuditLog.Problem.broken(line: 1, reason: "the entry was changed")) {
            try log.verify()
        }
    }

    @Test("a writer that does not end keeps others waiting for a while only")
    func stoppedWriter() throws {
        let folder = try Folder()
        var log = try log(folder, entries: 1)
        log.patience = .milliseconds(20)
        let lock = try FileLock(waitingFor: log.url.path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        #expect(throws: AuditLog.Problem.self) { try log.append(who: "ada", action: "view") }
        #expect(try log.verify().count == 1)
    }

    @Test("the tool verifies and lists a log")
    func tool() throws {
        let folder = try Folder()
        let log = try log(folder)
        try StudyAuditVerifyCommand.parse([log.url.path]).run()
        try StudyAuditListCommand.parse([log.url.path, "--json"]).run()
        try change(log) { $0.remove(at: 0) }
        let error = #expect(throws: CommandFailure.self) {
            try StudyAuditVerifyCommand.parse([log.url.path]).run()
        }
        #expect(error?.status == .nothingFound)
    }
}
