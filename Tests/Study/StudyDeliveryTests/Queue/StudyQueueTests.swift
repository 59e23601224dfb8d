import DurableQueue
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import Synchronization
import TestSupport
import Testing

@testable import StudyDelivery
@testable import StudyFormats

@Suite("The queue of a study")
struct StudyQueueTests {
    static let subject = UUID()

    private func queue(_ scratch: borrowing Scratch, attempts: Int = 2, networkFailures: Int = 6) throws
        -> StudyQueue
    {
        try StudyQueue(
            in: scratch.folder.appending(path: "queue"),
            study: "org.example.sleep",
            subject: Self.subject,
            keys: FileKeyStore(scratch.folder.appending(path: "key")),
            policy: DeliveryPolicy(
                attempts: attempts,
                firstDelay: .milliseconds(1),
                maximumDelay: .milliseconds(2),
                networkFailures: networkFailures
            )
        )
    }

    private func archive(_ text: String) throws -> StudyArchive {
        var archive = try StudyArchive(ArchiveInfo(study: "org.example.sleep", item: "diary"))
        try archive.add("answers.txt", Data(text.utf8))
        return archive
    }

    private var encryption: CMSEncryption {
        get throws { try CMSEncryption(for: [TestKeys.first.certificate]) }
    }

    /// A server in this process, that counts.
    final class Endpoint: StudyEndpoint {
        private let answers: Mutex<[Result<StudyResponse, HTTPTransportError>]>
        private let bodies = Mutex<[(UUID, Data)]>([])
        init(_ answers: [Result<StudyResponse, HTTPTransportError>] = []) { self.answers = Mutex(answers) }
        var received: [(UUID, Data)] { bodies.withLock { $0 } }

        func objection(to submission: StudySubmission) -> String? { nil }

        func send(_ submission: StudySubmission, _ body: BodySource) async throws -> StudyResponse {
            var data = Data()
            try body.forEachPiece { data.append($0) }
            let answer = answers.withLock { $0.isEmpty ? .success(.accepted) : $0.removeFirst() }
            if case .success(.accepted) = answer { bodies.withLock { $0.append((submission.id, data)) } }
            return try answer.get()
        }
    }

    @Test("what is submitted arrives encrypted, once and in order, under its id")
    func delivery() async throws {
        let scratch = try Scratch()
        let endpoint = Endpoint()
        var ids: [UUID] = []
        for text in ["one", "two", "three"] {
            ids.append(
                try await queue(scratch).submit(archive(text), protection: .cms(encryption)).submission.id
            )
        }
        let report = try await queue(scratch).deliver(to: endpoint)
        #expect(report.delivered.count == 3 && endpoint.received.map(\.0) == ids)
        for (text, (_, data)) in zip(["one", "two", "three"], endpoint.received) {
            let file = try scratch.file(text, data)
            let opened = try StudyPackage(contentsOf: file).open(with: [StudyPackage.Key(TestKeys.first.key)])
            var content = Data()
            try opened.files[0].read { content.append($0) }
            #expect(content == Data(text.utf8))
        }
    }

    @Test("the same content is known again, before and after delivery, and by two queues")
    func twice() async throws {
        let scratch = try Scratch()
        let endpoint = Endpoint()
        let queue = try queue(scratch)
        let other = try self.queue(scratch)
        async let first = queue.submit(archive("same"), protection: .cms(encryption))
        async let second = other.submit(archive("same"), protection: .cms(encryption))
        let results = try await [first, second]
        #expect(results.count { if case .queued = $0 { true } else { false } } == 1)
        try await queue.deliver(to: endpoint)
        guard
            case .known(_, .delivered) = try await queue.submit(archive("same"), protection: .cms(encryption))
        else {
            return #expect(Bool(false), "it was queued again")
        }
        try await queue.deliver(to: endpoint)
        #expect(endpoint.received.count == 1)
    }

    @Test(
        "nothing on the disk shows what was submitted, nor for which study",
        arguments: [true, false]
    )
    func planted(isEncrypted: Bool) async throws {
        let scratch = try Scratch()
        let secret = "planted-secret-\(UUID())"
        let queue = try queue(scratch)
        try await queue.submit(
            archive(String(repeating: secret, count: 50)),
            protection: isEncrypted ? .cms(encryption) : .none
        )
        try await queue.submit(
            resource: Data(#"{"resourceType":"Patient","id":"\#(secret)"}"#.utf8),
            protection: .none
        )
        var count = 0
        for name in scratch.names {
            #expect(!name.contains("sleep"))
            guard let data = try? Data(contentsOf: scratch.folder.appending(path: name)) else { continue }
            count += 1
            for word in [secret, "answers.txt", "org.example.sleep", "diary"] {
                #expect(data.range(of: Data(word.utf8)) == nil, "\(word) in \(name)")
            }
        }
        #expect(count >= 3)
    }

    @Test("a package in an envelope, or a resource as a CMS message, is refused")
    func wrongProtection() async throws {
        let scratch = try Scratch()
        let queue = try queue(scratch)
        let envelope = StudyProtection.c3ProEnvelope(for: TestKeys.first.certificate, keyID: nil)
        let package = await #expect(throws: StudyError.self) {
            try await queue.submit(archive("a"), protection: envelope)
        }
        let patient = Data(#"{"resourceType":"Patient"}"#.utf8)
        let resource = await #expect(throws: StudyError.self) {
            try await queue.submit(resource: patient, protection: .cms(encryption))
        }
        #expect("\(try #require(package))".contains("protect packages by .cms"))
        #expect("\(try #require(resource))".contains("protect it by .c3ProEnvelope"))
        #expect(try await queue.items().isEmpty)
    }

    @Test(
        "a submission is read as it was queued, and as earlier builds queued it",
        arguments: [
            (
                #"{"package":{}},"isEncrypted":true"#, StudySubmission.Content.package,
                StudyProtection.Kind.cms
            ),
            (#"{"package":{}},"isEncrypted":false"#, .package, .none),
            (
                #"{"envelope":{"type":"Patient"}},"isEncrypted":true"#, .resource(type: "Patient", id: nil),
                .c3ProEnvelope
            ),
            (
                #"{"resource":{"type":"Patient","id":"7"}},"isEncrypted":false"#,
                .resource(type: "Patient", id: "7"), .none
            ),
        ]
    )
    func earlierForm(
        text: String,
        content: StudySubmission.Content,
        protection: StudyProtection.Kind
    ) throws {
        let id = UUID()
        let earlier = """
            {"id":"\(id)","study":"s","subject":"\(id)","item":"i","content":\(text)}
            """
        let submission = try JSONDecoder().decode(StudySubmission.self, from: Data(earlier.utf8))
        #expect(submission.id == id && submission.study == "s" && submission.item == "i")
        #expect(submission.content == content && submission.protection == protection)
        let again = try JSONDecoder().decode(
            StudySubmission.self,
            from: JSONEncoder().encode(submission)
        )
        #expect(again == submission)
    }

    @Test("a refusal sets aside and lets the others pass; it goes when it is retried")
    func refused() async throws {
        let scratch = try Scratch()
        let queue = try queue(scratch)
        let bad = try await queue.submit(archive("bad"), protection: .none).submission
        try await queue.submit(archive("good"), protection: .none)
        let report = try await queue.deliver(
            to: Endpoint([.success(.refused(reason: "the server responded with 413"))])
        )
        #expect(report.setAside.map(\.id) == [bad.id.uuidString.lowercased()] && report.delivered.count == 1)
        try await queue.retry(bad.id.uuidString.lowercased())
        #expect(try await queue.deliver(to: Endpoint()).delivered.count == 1)
    }

    @Test("a failing server is tried again, also in later deliveries, before giving up")
    func failing() async throws {
        let scratch = try Scratch()
        try await queue(scratch).submit(archive("a"), protection: .none)
        let failures = [Result<StudyResponse, HTTPTransportError>](
            repeating: .success(.failed(reason: "500")),
            count: 100
        )
        for _ in 0..<2 {
            let report = try await queue(scratch).deliver(to: Endpoint(failures))
            #expect(
                report.remaining == 1
                    && (report.stopped.values.first as? StudyServerProblem)?.isFailure == true
            )
        }
        #expect(try await queue(scratch).deliver(to: Endpoint(failures)).setAside.count == 1)
    }

    @Test("without a network nothing is counted against a submission")
    func offline() async throws {
        let scratch = try Scratch()
        try await queue(scratch).submit(archive("a"), protection: .none)
        let error = HTTPTransportError(kind: .cannotConnect, server: "s", mayHaveReachedServer: false)
        for _ in 0..<20 {
            let report = try await queue(scratch).deliver(to: Endpoint([.failure(error)]))
            #expect(report.stopped.values.first as? HTTPTransportError == error)
        }
        #expect(try await queue(scratch).deliver(to: Endpoint()).delivered.count == 1)
    }

    @Test("a byte budget, and a device that allows nothing, stop the delivery with reasons")
    func budget() async throws {
        let scratch = try Scratch()
        let queue = try queue(scratch)
        let endpoint = Endpoint()
        for text in ["one", "two"] { try await queue.submit(archive(text), protection: .none) }
        // Compressed, texts of one length and other times differ by a byte.
        let sizes = try await queue.items().map { $0.payloadSize ?? 0 }
        let report = try await queue.deliver(to: endpoint, within: DeliveryBudget(bytes: sizes[0] + 10))
        #expect(report.delivered.count == 1 && report.remaining == 1)
        #expect(
            report.stopped.values.first as? StudyError == .outOfBudget(needed: sizes[1], left: 10)
        )
        let none = try await queue.deliver(to: endpoint, within: DeliveryBudget { false })
        #expect(
            none.stopped.values.first as? StudyError == .outOfBudget(needed: sizes[1], left: nil)
                && endpoint.received.count == 1
        )
    }

    @Test("the status tells of queueing, of the bytes that went out, and of the arrival")
    func status() async throws {
        let scratch = try Scratch()
        let queue = try queue(scratch)
        let status = queue.status
        var archive = try archive("small")
        try archive.add("noise.bin", .noise(3 << 20))
        try await queue.submit(archive, protection: .none)
        try await queue.deliver(to: Endpoint())
        var seen: [String] = []
        var sent: [Int] = []
        for await update in status {
            switch update {
            case .queued: seen.append("queued")
            case .sending(_, let bytes, let total):
                sent.append(bytes)
                #expect(bytes < total)
            case .delivered: seen.append("delivered")
            default: break
            }
            if seen.last == "delivered" { break }
        }
        #expect(seen == ["queued", "delivered"])
        #expect(sent.max() ?? 0 >= 3 << 20)
    }

    @Test("a withdrawal empties the queue")
    func withdrawal() async throws {
        let scratch = try Scratch()
        let queue = try queue(scratch)
        for text in ["one", "two"] { try await queue.submit(archive(text), protection: .none) }
        #expect(try await queue.discardAll() == 2)
        let endpoint = Endpoint()
        try await queue.deliver(to: endpoint)
        #expect(endpoint.received.isEmpty)
    }

    @Test("a disk that fails at any step queues nothing, or all of it", arguments: DiskStep.allCases)
    func faults(step: DiskStep) async throws {
        let scratch = try Scratch()
        let keys = FileKeyStore(scratch.folder.appending(path: "key"))
        final class Box: Sendable { let value = Mutex(false) }
        let box = Box()
        var policy = StudyQueue.standardPolicy
        policy.diskFault = { $0 == step && box.value.withLock { $0 } ? ENOSPC : 0 }
        let queue = try StudyQueue(
            in: scratch.folder.appending(path: "queue"),
            study: "org.example.sleep",
            subject: Self.subject,
            keys: keys,
            policy: policy
        )
        box.value.withLock { $0 = true }
        let result = await Result { try await queue.submit(archive("a"), protection: .none) }
        box.value.withLock { $0 = false }
        let items = try await queue.items()
        if case .success = result { #expect(items.count == 1) } else { #expect(items.isEmpty) }
        try await queue.submit(archive("a"), protection: .none)
        let endpoint = Endpoint()
        try await queue.deliver(to: endpoint)
        #expect(endpoint.received.count == 1)
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
