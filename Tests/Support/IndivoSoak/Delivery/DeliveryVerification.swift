import DurableQueue
import Foundation
import IndivoTesting
import OrderedJSON
import StudyDelivery

/// Opens what the server stored, and compares it with what was submitted: everything that was accepted is
/// there once, in order and as it was, or set aside with its reason.
struct DeliveryVerification {
    let uploads: String
    let key: StudyPrivateKey
    private(set) var figures = Figures()
    private var known: Set<String> = []

    init(uploads: String, key: StudyPrivateKey) {
        self.uploads = uploads
        self.key = key
    }

    mutating func check(_ plan: DeliveryPlan, accepted file: String) async throws {
        func note(_ figure: WritableKeyPath<Figures, Int>, _ what: String, _ figures: inout Figures) {
            figures[keyPath: figure] += 1
            print("seed \(plan.seed), epoch \(plan.epoch), participant \(plan.participant): \(what)")
        }
        var ids: [Int: String] = [:]
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, words[0] == "accepted", let index = Int(words[1]) else { continue }
            if let id = ids[index], id != words[2] {
                note(\.doubled, "\(index) was accepted under two ids", &figures)
            }
            ids[index] = words[2]
        }
        figures.accepted += ids.count
        let items = Dictionary(
            try await plan.openQueue().itemsAndDelivered().map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        if items.count != plan.count {
            note(\.lost, "\(items.count) items for \(plan.count) submissions", &figures)
        }
        let stored = try FileManager.default.contentsOfDirectory(atPath: uploads).filter {
            !$0.hasPrefix(".")
        }.sorted()
        var arrived: [Int] = []
        for name in stored where known.insert(name).inserted {
            guard let index = try index(of: name, plan) else {
                note(\.lost, "\(name) is not what was submitted", &figures)
                continue
            }
            if ids[index].map({ name.hasSuffix($0) }) != true {
                note(\.doubled, "\(name) has not the id of \(index)", &figures)
            }
            arrived.append(index)
        }
        if arrived != arrived.sorted() { note(\.misplaced, "they arrived in the order \(arrived)", &figures) }
        for index in 0..<plan.count {
            let count = arrived.count { $0 == index }
            if count > 1 { note(\.doubled, "\(index) is there \(count) times", &figures) }
            switch (plan.isDoomed(index), ids[index].flatMap { items[$0]?.state }) {
            case (false, .delivered):
                figures.delivered += 1
                if count == 0 { note(\.lost, "\(index) was delivered and is not there", &figures) }
            case (true, .setAside(let reason)):
                figures.setAside += 1
                if count > 0 || !reason.contains("413") {
                    note(\.lost, "\(index) is set aside: \(reason)", &figures)
                }
            case (_, let state):
                note(\.lost, "\(index) is \(state.map { "\($0)" } ?? "not in the queue")", &figures)
            }
        }
    }

    /// Which submission a file of the server is; `nil` when it is none as it was.
    private func index(of name: String, _ plan: DeliveryPlan) throws -> Int? {
        let contents = try StudyPackage(contentsOf: URL(filePath: uploads + "/" + name)).open(with: [
            StudyPackage.Key(key)
        ])
        var files: [Data] = []
        for file in contents.files {
            var data = Data()
            try file.read { data.append($0) }
            files.append(data)
        }
        guard let first = files.first, var answers = try? JSONValue(parsing: first),
            let index = answers["index"]?.integer,
            answers["participant"]?.integer == plan.participant, (0..<plan.count).contains(index)
        else { return nil }
        let expected = plan.content(index)
        switch plan.wire {
        case .researchKit: return files == [expected.answers, expected.recording] ? index : nil
        case .c3pro:
            guard answers["recording"]?.string == expected.recording.base64EncodedString() else { return nil }
            answers["recording"] = nil
            return Data(answers.utf8()) == expected.answers ? index : nil
        }
    }

    /// The server has nothing that nobody submitted.
    mutating func checkNothingElse() throws {
        let stored = try FileManager.default.contentsOfDirectory(atPath: uploads).filter {
            !$0.hasPrefix(".")
        }
        for name in stored where !known.contains(name) {
            figures.doubled += 1
            print("nobody submitted \(name)")
        }
    }

    /// Looks through every file: of the clients, of the server, drafts and logs included.
    mutating func search(_ folder: String, _ search: SecretSearch) {
        for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            for found in search.found(in: data) + search.found(in: name) {
                figures.readable += 1
                print("\(folder)/\(name): \(found)")
            }
        }
    }
}
