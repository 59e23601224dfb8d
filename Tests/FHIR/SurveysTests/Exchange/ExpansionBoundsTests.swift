import FHIR
import Foundation
import Testing

@testable import Surveys

@Suite("Expansions that are kept are bounded")
struct ExpansionBoundsTests {
    @Test("expansions in memory are bounded in number and bytes, and the oldest go first")
    func memory() {
        var memory = BoundedCache<Int>(values: 3, bytes: 100)
        for number in 1...4 { memory.keep(number, "k\(number)", bytes: 10, at: Double(number)) }
        #expect(memory.value("k1", since: 0) == nil)
        #expect((2...4).map { memory.value("k\($0)", since: 0) } == [2, 3, 4])
        #expect(memory.value("k2", since: 3) == nil)
        memory.keep(5, "large", bytes: 80, at: 5)
        #expect(memory.value("large", since: 0) == 5 && memory.value("k3", since: 0) == nil)
        memory.keep(6, "too large", bytes: 101, at: 6)
        #expect(memory.value("too large", since: 0) == nil && memory.value("large", since: 0) == 5)
        // The same key again takes no more room.
        for _ in 0..<50 { memory.keep(7, "large", bytes: 80, at: 7) }
        #expect(memory.value("large", since: 0) == 7)
    }

    @Test("in a folder the oldest files go, and others that are there stay")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        var files = ExpansionFiles(folder: folder, maximumAge: 1_000)
        let valueSet = try ValueSet(parsing: #"{"resourceType": "ValueSet", "status": "active"}"#)
        files.keep(valueSet, "0", now: 0)
        let first = folder.appending(path: try names()[0])
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: first.path)
        try Data().write(to: folder.appending(path: "mine.json"))
        files.maximumFiles = 3
        for number in 1...5 { files.keep(valueSet, "\(number)", now: 0) }
        #expect(try names().count == 4 && names().contains("mine.json"))
        #expect(files.expansion("5", now: 1) != nil && files.expansion("0", now: 1) == nil)
        #expect(files.expansion("5", now: 1_001) == nil)
        files.maximumBytes = 1
        files.keep(valueSet, "6", now: 0)
        #expect(try names().count == 2 && files.expansion("6", now: 1) != nil)
    }
}
