import Foundation
import Indivo
import IndivoModel
import IndivoOutbox
import IndivoTesting

/// Compares what is on the server with what was queued: everything accepted is there once, in order and as it
/// was, or set aside with its reason.
struct Verification {
    private let plan: ClientPlan
    private let record: IndivoRecord
    private let faulted: Set<String>
    private var figures = Figures()

    /// - Parameters:
    ///   - server: The server's own address, past the proxy.
    ///   - faulted: The changes whose requests met a fault, see ``change(of:)``.
    init(_ plan: ClientPlan, server: URL, faulted: Set<String>) {
        self.plan = plan
        var calm = plan
        calm.deadline = 60
        record = calm.openRecord(through: server)
        self.faulted = faulted
    }

    /// By what a request's change is known: its external id, or the call with its body.
    static func change(of request: FaultProxy.Request) -> String? {
        let parts = request.target.split(separator: "/").map(String.init)
        if let place = parts.firstIndex(of: "external"), parts.count > place + 2 { return parts[place + 2] }
        guard request.method != "GET", parts.count > 3 else { return nil }
        return change(of: parts[3], String(decoding: request.body, as: UTF8.self))
    }

    private static func change(of document: String, _ body: String) -> String { document + " " + body }

    mutating func run() async throws -> Figures {
        let script = plan.script
        let items = try await plan.openOutbox().itemsAndDelivered()
        try checkAccepted(items)
        let doomed = script.doomed
        var documents: [Int: DocumentMetadata] = [:]
        for item in items {
            let index = item.sequence - 1
            guard script.steps.indices.contains(index) else {
                note(\.doubled, "an item that no step queued: \(item.sequence)")
                continue
            }
            switch item.state {
            case .delivered(let document):
                figures.delivered += 1
                if doomed.contains(index) { note(\.lost, "step \(index) was to be refused") }
                if script.steps[index].makesDocument {
                    documents[index] = try await checkDocument(index, item, document, script)
                }
                if wasFaulted(item, index, document, script) { figures.faultedDeliveries += 1 }
            case .setAside(let reason):
                figures.setAside += 1
                if reason.isEmpty { note(\.lost, "step \(index) was set aside without a reason") }
                if !doomed.contains(index) {
                    print("set aside, step \(index): \(reason)")
                    documents[index] = try await record.documentMetadata(externalID: item.id)
                }
            case .waiting(let blocker):
                figures.setAside += 1
                if !items.contains(where: { $0.id == blocker }) {
                    note(\.lost, "step \(index) waits for nothing")
                }
            case .queued:
                note(\.lost, "step \(index) is still queued")
            }
        }
        checkOrder(documents)
        try await checkChanges(documents, items, script)
        try await checkNothingElse(documents)
        return figures
    }

    /// Everything that the outbox said it has it has, under the id it gave.
    private mutating func checkAccepted(_ items: [OutboxItem]) throws {
        let folder = URL(filePath: plan.folder).deletingLastPathComponent()
        let log = try String(
            contentsOf: folder.appending(path: "accepted-\(plan.recordNumber)"),
            encoding: .utf8
        )
        let ids = Dictionary(uniqueKeysWithValues: items.map { ($0.sequence - 1, $0.id) })
        for line in log.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "told" { figures.fromReports += 1 }
            guard words.first == "accepted", words.count == 3, let index = Int(words[1]) else { continue }
            figures.accepted += 1
            if ids[index] != words[2] { note(\.lost, "step \(index) was accepted and is not in the outbox") }
        }
        if ids.count != plan.stepCount { note(\.lost, "\(ids.count) items for \(plan.stepCount) steps") }
    }

    private mutating func checkDocument(
        _ index: Int,
        _ item: OutboxItem,
        _ document: String,
        _ script: Script
    ) async throws -> DocumentMetadata? {
        guard let metadata = try await record.documentMetadata(externalID: item.id) else {
            note(\.lost, "step \(index) is not on the server")
            return nil
        }
        if metadata.id != document {
            note(\.lost, "step \(index) has the document \(metadata.id), not \(document)")
        }
        let stored = try await record.document(metadata.id, as: Medication.self)
        if stored != script.document(index) { note(\.lost, "step \(index) is not stored as it was queued") }
        return metadata
    }

    private mutating func checkOrder(_ documents: [Int: DocumentMetadata]) {
        let times = documents.sorted { $0.key < $1.key }.compactMap { $0.value.createdAt?.date }
        if times != times.sorted() { note(\.misplaced, "documents are not in order") }
    }

    /// Every change of status is there once and in order; the label is the last one; versions follow each
    /// other. Of what was set aside nobody knows whether the server has it.
    private mutating func checkChanges(
        _ documents: [Int: DocumentMetadata],
        _ items: [OutboxItem],
        _ script: Script
    ) async throws {
        let setAside = Set(items.filter(\.isSetAside).map { $0.sequence - 1 })
        for (index, metadata) in documents {
            var history: [Change] = []
            var labels = [""]
            for (later, step) in script.steps.enumerated() where step.target == index {
                let isCertain = !setAside.contains(later)
                switch step {
                case .setStatus(let status, _):
                    history.append(Change("\(status.rawValue) \(script.reason(later))", isCertain: isCertain))
                case .setLabel: labels = (isCertain ? [] : labels) + [script.label(later)]
                case .replace:
                    if metadata.replacedBy?.id != documents[later]?.id {
                        note(\.lost, "step \(later) does not replace step \(index)")
                    }
                case .add, .addRefused: break
                }
            }
            let found = try await record.statusChanges(of: metadata.id)
                .map { "\($0.status?.rawValue ?? "") \($0.reason ?? "")" }
            if !Change.explain(found, history[...]) {
                let wrong: WritableKeyPath<Figures, Int> =
                    if found.count > history.count {
                        \.doubled
                    } else if found.count < history.count(where: \.isCertain) {
                        \.lost
                    } else {
                        \.misplaced
                    }
                note(wrong, "the status of step \(index) changed \(found), not \(history.map(\.text))")
            }
            let label = metadata.label ?? ""
            if !labels.contains(label) {
                note(\.misplaced, "the label of step \(index) is “\(label)”, not one of \(labels)")
            }
        }
    }

    /// A change of status that was queued. One that was set aside may have been carried out all the same: its
    /// last response was lost, say.
    private struct Change {
        let text: String
        let isCertain: Bool

        init(_ text: String, isCertain: Bool) {
            self.text = text
            self.isCertain = isCertain
        }

        /// Whether what was found is what was queued, in order, without some of the uncertain ones.
        static func explain(_ found: [String], _ queued: ArraySlice<Change>) -> Bool {
            guard let next = queued.first else { return found.isEmpty }
            let rest = queued.dropFirst()
            if found.first == next.text, explain(Array(found.dropFirst()), rest) { return true }
            return !next.isCertain && explain(found, rest)
        }
    }

    /// The record has no document that nobody queued.
    private mutating func checkNothingElse(_ documents: [Int: DocumentMetadata]) async throws {
        let expected = Set(documents.values.map(\.id))
        var found: Set<String> = []
        for status in DocumentStatus.allCases {
            for newest in try await record.documentList(status: status) {
                let document = Medication()
                document.id = newest.id
                document.documentStage = .inRecord(record)
                found.formUnion(try await document.versions().map(\.id))
            }
        }
        let demographics = try await record.information().demographics?.documentID ?? ""
        for id in found.subtracting(expected) where id != demographics {
            note(\.doubled, "nobody queued \(id)")
        }
    }

    private func wasFaulted(_ item: OutboxItem, _ index: Int, _ document: String, _ script: Script) -> Bool {
        switch item.change {
        case .add, .replace: faulted.contains(item.id)
        case .setLabel(let label): faulted.contains(Verification.change(of: document, label))
        case .setStatus(let status, let reason):
            faulted.contains(
                Verification.change(
                    of: document,
                    "status=\(status.rawValue)&reason=\(reason.replacing(" ", with: "%20"))"
                )
            )
                || faulted.contains(
                    Verification.change(
                        of: document,
                        "status=\(status.rawValue)&reason=\(reason.replacing(" ", with: "+"))"
                    )
                )
        }
    }

    private mutating func note(_ figure: WritableKeyPath<Figures, Int>, _ what: String) {
        figures[keyPath: figure] += 1
        print("seed \(plan.seed), epoch \(plan.epoch), record \(plan.recordNumber): \(what)")
    }
}

extension OutboxItem {
    fileprivate var isSetAside: Bool {
        switch state {
        case .setAside, .waiting: true
        case .queued, .delivered: false
        }
    }
}
