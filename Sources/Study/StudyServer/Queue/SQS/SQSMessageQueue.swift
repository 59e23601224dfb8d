import Foundation
import HTTPCalls
import Logging
import OrderedJSON

/// A queue of Amazon SQS, standard or FIFO; messages that are too large for it are objects of S3.
///
/// ```swift
/// let place = "https://sqs.eu-central-1.amazonaws.com/123456789012/study?bucket=study-messages"
/// let queue = try await SQSMessageQueue(
///     SQSConfiguration(parsing: place),
///     AWSCredentials(environment: environment)
/// )
/// ```
/// SQS does not recognise messages that it had before, except for five minutes in a FIFO queue; the consumer
/// recognises their ids. Messages that are received too often are moved to the queue of dead letters by SQS
/// itself (redrive policy), or by whoever receives them.
public final class SQSMessageQueue: MessageQueue {
    private let configuration: SQSConfiguration
    private let client: AWSClient
    private let server: ServerAddress
    private let objects: ServerAddress
    private let deadLetterURL: String
    private let maximumReceives: Int
    private let logger = Logger(label: "study.queue")

    private static let deadLettersLookedAt = 10_000

    /// Finds a queue, and that of its dead letters.
    ///
    /// - Parameter maximumReceives: How often a message is received before it is a dead letter.
    /// - Throws: ``AWSError``, `HTTPTransportError`.
    public init(
        _ configuration: SQSConfiguration,
        _ credentials: AWSCredentials,
        maximumReceives: Int = 5,
        transport: any HTTPTransport = .system
    ) async throws {
        self.configuration = configuration
        self.maximumReceives = max(1, maximumReceives)
        client = AWSClient(credentials: credentials, region: configuration.region, transport: transport)
        server = try SQSConfiguration.server(configuration.queue)
        objects = try SQSConfiguration.server(configuration.objects)
        if let name = configuration.deadLetters {
            deadLetterURL =
                configuration.queue.deletingLastPathComponent().appending(path: name).absoluteString
        } else {
            deadLetterURL = try await Self.redriveTarget(configuration, client, server)
        }
        // Says at the beginning what is wrong.
        _ = try await status()
    }

    private static func redriveTarget(
        _ configuration: SQSConfiguration,
        _ client: AWSClient,
        _ server: ServerAddress
    ) async throws -> String {
        let answer = try await client.call(
            "GetQueueAttributes",
            ["QueueUrl": JSONValue(configuration.queue.absoluteString), "AttributeNames": ["RedrivePolicy"]],
            at: server
        )
        guard let policy = answer["Attributes"]?["RedrivePolicy"]?.string,
            let name = (try? JSONValue(parsing: policy))?["deadLetterTargetArn"]?.string?.split(
                separator: ":"
            ).last
        else {
            throw AWSError.badInput(
                "the queue has no dead letters: give it a redrive policy, or add dead=NAME to the URL"
            )
        }
        let found = try await client.call("GetQueueUrl", ["QueueName": JSONValue(String(name))], at: server)
        guard let url = found["QueueUrl"]?.string else { throw AWSError.unexpected(action: "GetQueueUrl") }
        return url
    }

    private var url: String { configuration.queue.absoluteString }

    private func call(_ action: String, _ queue: String, _ parameters: JSONValue = [:]) async throws
        -> JSONValue
    {
        var parameters = parameters
        parameters["QueueUrl"] = JSONValue(queue)
        return try await client.call(action, parameters, at: server)
    }

    // MARK: Sending

    @discardableResult
    public func send(_ message: StudyMessage) async throws -> Bool {
        let digest = AWSSignature.digest(of: message.body)
        guard SQSMessageText.needsObject(message) else {
            try await send(
                SQSMessageText(message, object: nil).text,
                to: url,
                group: message.id,
                known: digest
            )
            return true
        }
        // The object first: a message without one would be lost. One without a message is left to the
        // bucket's lifecycle, since after a broken connection nobody knows whether there is one.
        let object = SQSMessageText.Object(
            bucket: configuration.bucket,
            key: "messages/\(UUID().uuidString)",
            digest: digest
        )
        _ = try await client.object(.put, path(object.key), message.body, at: objects)
        try await send(
            SQSMessageText(message, object: object).text,
            to: url,
            group: message.id,
            known: digest
        )
        return true
    }

    /// - Parameters:
    ///   - known: What FIFO queues recognise for five minutes.
    ///   - seconds: Until it may be received; FIFO queues have no delay for single messages.
    private func send(
        _ text: String,
        to queue: String,
        group: String,
        known: String = UUID().uuidString,
        attributes: JSONValue? = nil,
        after seconds: Int = 0
    ) async throws {
        guard text.utf8.count <= SQSMessageText.maximumLength else {
            throw AWSError.badInput("a message is too long for SQS")
        }
        var parameters: JSONValue = ["MessageBody": JSONValue(text)]
        if let attributes { parameters["MessageAttributes"] = attributes }
        if queue.hasSuffix(".fifo") {
            // A message that cannot be processed holds up nothing but itself.
            parameters["MessageGroupId"] = JSONValue(AWSSignature.digest(of: Data(group.utf8)))
            parameters["MessageDeduplicationId"] = JSONValue(known)
        } else if seconds > 0 {
            parameters["DelaySeconds"] = JSONValue(min(seconds, 900))
        }
        guard try await call("SendMessage", queue, parameters)["MessageId"]?.string != nil else {
            throw AWSError.unexpected(action: "SendMessage")
        }
    }

    private func path(_ key: String) -> String { "/\(configuration.bucket)/\(key)" }

    // MARK: Receiving

    public func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage] {
        guard limit > 0 else { return [] }
        var found: [ReceivedMessage] = []
        var failure: (any Error)?
        while found.isEmpty, failure == nil {
            // To wait a second asks all of the service's machines; without it, some are left out.
            let messages = try await receive(
                from: url,
                min(limit, 10),
                visibility: max(1, min(visibility, Self.maximumPause)),
                wait: 1
            )
            if messages.isEmpty { break }
            for raw in messages {
                guard let handle = raw["ReceiptHandle"]?.string else {
                    throw AWSError.unexpected(action: "ReceiveMessage")
                }
                // One that cannot be read keeps none of the others.
                do {
                    if let message = try await opened(raw, handle) { found.append(message) }
                } catch {
                    if error is CancellationError || !Self.isOfMessage(error) { failure = error }
                }
            }
        }
        // What was received is worked on; a service that fails is met again the next time.
        if let failure, found.isEmpty { throw failure }
        return found
    }

    /// Whether the same is so with other messages: a service that is away is nothing that a message has.
    private static func isOfMessage(_ error: any Error) -> Bool {
        guard case .refused(_, let status, _)? = error as? AWSError else { return error is AWSError }
        return status < 500 && status != 429
    }

    /// A message with its bytes; `nil` for one that became a dead letter, or that comes again later.
    ///
    /// - Throws: What keeps its bytes away. It comes again after a while.
    private func opened(_ raw: JSONValue, _ handle: String) async throws -> ReceivedMessage? {
        let count = raw["Attributes"]?["ApproximateReceiveCount"]?.string.flatMap(Int.init) ?? 1
        guard let text = SQSMessageText(raw) else {
            try await moveToDeadLetters(raw, handle, reason: "it is no message of a study's receiver")
            return nil
        }
        let message: ReceivedMessage
        do {
            // Also past the limit: what keeps its object away is a better reason.
            message = try await received(text, count, handle)
        } catch let error where !(error is CancellationError) {
            if count >= maximumReceives, Self.isOfMessage(error) {
                try await moveToDeadLetters(raw, handle, reason: "its object of S3 cannot be read: \(error)")
                return nil
            }
            if count >= maximumReceives, case .object = text.body {
                try await requeue(text, handle)
                throw error
            }
            // Two minutes, four, eight: an outage of S3 makes no dead letters at once.
            let pause = min(60 << min(count, 9), Self.maximumPause)
            _ = try? await call(
                "ChangeMessageVisibility",
                url,
                ["ReceiptHandle": JSONValue(handle), "VisibilityTimeout": JSONValue(pause)]
            )
            throw error
        }
        guard count > maximumReceives else { return message }
        try await moveToDeadLetters(raw, handle, reason: "it was received \(count - 1) times without an end")
        return nil
    }

    private func receive(from queue: String, _ limit: Int, visibility: Int, wait: Int) async throws
        -> [JSONValue]
    {
        let answer = try await call(
            "ReceiveMessage",
            queue,
            [
                "MaxNumberOfMessages": JSONValue(limit), "VisibilityTimeout": JSONValue(visibility),
                "WaitTimeSeconds": JSONValue(wait), "MessageAttributeNames": ["All"],
                "MessageSystemAttributeNames": ["ApproximateReceiveCount", "SentTimestamp"],
            ]
        )
        return (answer["Messages"]?.elements).map(Array.init) ?? []
    }

    private func received(_ text: SQSMessageText, _ count: Int, _ handle: String) async throws
        -> ReceivedMessage
    {
        var body = Data()
        var lease = handle
        switch text.body {
        case .inline(let data): body = data
        case .object(let object):
            guard object.bucket == configuration.bucket else {
                throw AWSError.badInput("a message is in another bucket than the URL names")
            }
            // Without its object it was processed before and comes again; the consumer knows its id, or says
            // that nothing is there.
            body = try await client.object(.get, path(object.key), at: objects) ?? Data()
            guard body.isEmpty || AWSSignature.digest(of: body) == object.digest else {
                throw AWSError.unexpected(action: "GET of an object")
            }
            lease += "\n" + object.key
        }
        let message = StudyMessage(
            id: text.id,
            content: text.content,
            subject: text.subject,
            received: text.received,
            client: text.client,
            body: body
        )
        return ReceivedMessage(message, receiveCount: count, lease: lease)
    }

    /// The handle of a reception, and the object that its message has.
    private func parts(of lease: String) -> (handle: String, key: String?) {
        let parts = lease.split(separator: "\n", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
    }

    @discardableResult
    public func delete(_ message: ReceivedMessage) async throws -> Bool {
        let (handle, key) = parts(of: message.lease)
        guard try await isHeld({ try await call("DeleteMessage", url, ["ReceiptHandle": JSONValue(handle)]) })
        else { return false }
        guard let key else { return true }
        do {
            _ = try await client.object(.delete, path(key), at: objects)
        } catch {
            // The message is gone; its object, which is encrypted, is left to the bucket's lifecycle.
            logger.warning("an object of S3 is left", metadata: ["error": "\(error)"])
        }
        return true
    }

    public func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws {
        let (handle, key) = parts(of: message.lease)
        if message.receiveCount >= maximumReceives {
            let object = key.map {
                SQSMessageText.Object(
                    bucket: configuration.bucket,
                    key: $0,
                    digest: AWSSignature.digest(of: message.message.body)
                )
            }
            let text = SQSMessageText(message.message, object: object)
            guard let reason else { return try await requeue(text, handle, after: seconds) }
            return try await moveToDeadLetters(["Body": JSONValue(text.text)], handle, reason: reason)
        }
        _ = try await isHeld {
            try await call(
                "ChangeMessageVisibility",
                url,
                [
                    "ReceiptHandle": JSONValue(handle),
                    "VisibilityTimeout": JSONValue(max(0, min(seconds, Self.maximumPause))),
                ]
            )
        }
    }

    /// Puts a copy of a message into the queue, whose receptions are counted anew: no outage of a service
    /// makes dead letters. The copy is there before the message is deleted.
    private func requeue(_ text: SQSMessageText, _ handle: String, after seconds: Int = 0) async throws {
        try await send(text.text, to: url, group: text.id, after: seconds)
        _ = try await isHeld { try await call("DeleteMessage", url, ["ReceiptHandle": JSONValue(handle)]) }
    }

    /// False when the time of a reception was over.
    private func isHeld(_ action: () async throws -> JSONValue) async throws -> Bool {
        do {
            _ = try await action()
            return true
        } catch AWSError.refused(_, 400, let code)
            where code.contains("ReceiptHandleIsInvalid") || code.contains("MessageNotInflight")
            || code == "InvalidParameterValue"
        {
            return false
        }
    }

    /// Moves a message to the dead letters. It is there before it is deleted here.
    private func moveToDeadLetters(_ raw: JSONValue, _ handle: String, reason: String) async throws {
        var attributes = raw["MessageAttributes"] ?? [:]
        let said = String(
            reason.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" }.prefix(500)
        )
        attributes["reason"] = ["DataType": "String", "StringValue": JSONValue(said)]
        try await send(raw["Body"]?.string ?? "-", to: deadLetterURL, group: handle, attributes: attributes)
        _ = try await isHeld { try await call("DeleteMessage", url, ["ReceiptHandle": JSONValue(handle)]) }
    }

    // MARK: Dead letters

    public func deadLetters(limit: Int) async throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        try await lookAtDeadLetters(limit: limit) { raw in
            let text = SQSMessageText(raw)
            letters.append(
                DeadLetter(
                    id: text?.id ?? raw["MessageId"]?.string ?? "",
                    reason: raw["MessageAttributes"]?["reason"]?["StringValue"]?.string
                        ?? "it was received too often",
                    received: text?.received ?? ""
                )
            )
            return false
        }
        return letters
    }

    @discardableResult
    public func redeliver(_ id: String) async throws -> Bool {
        var found: JSONValue?
        try await lookAtDeadLetters(limit: Self.deadLettersLookedAt) { raw in
            guard SQSMessageText(raw)?.id == id else { return false }
            found = raw
            return true
        }
        guard let found, let text = SQSMessageText(found)?.text, let handle = found["ReceiptHandle"]?.string
        else { return false }
        try await send(text, to: url, group: id)
        _ = try await isHeld {
            try await call("DeleteMessage", deadLetterURL, ["ReceiptHandle": JSONValue(handle)])
        }
        return true
    }

    /// Gives the dead letters, which are put back afterwards, but for the one at which `body` is true.
    private func lookAtDeadLetters(limit: Int, _ body: (JSONValue) -> Bool) async throws {
        var seen: Set<String> = []
        var held: [String] = []
        search: while seen.count < min(limit, Self.deadLettersLookedAt) {
            let count = min(10, limit - seen.count)
            let messages = try await receive(from: deadLetterURL, count, visibility: 120, wait: 1)
            let new = messages.filter { seen.insert($0["MessageId"]?.string ?? "").inserted }
            for (index, raw) in new.enumerated() {
                guard let handle = raw["ReceiptHandle"]?.string else { continue }
                if body(raw) {
                    held += new[(index + 1)...].compactMap { $0["ReceiptHandle"]?.string }
                    break search
                }
                held.append(handle)
            }
            if new.isEmpty { break }
        }
        for start in stride(from: 0, to: held.count, by: 10) {
            let entries = held[start..<min(start + 10, held.count)].enumerated().map {
                index,
                handle -> JSONValue in
                ["Id": JSONValue(String(index)), "ReceiptHandle": JSONValue(handle), "VisibilityTimeout": 0]
            }
            // What fails comes back by itself, two minutes later.
            _ = try await call("ChangeMessageVisibilityBatch", deadLetterURL, ["Entries": JSONValue(entries)])
        }
    }

    public func status() async throws -> MessageQueueStatus {
        let names = ["", "NotVisible", "Delayed"].map { "ApproximateNumberOfMessages" + $0 }
        func count(_ queue: String) async throws -> Int {
            let answer = try await call(
                "GetQueueAttributes",
                queue,
                ["AttributeNames": JSONValue(names.map { JSONValue($0) })]
            )
            guard let attributes = answer["Attributes"] else {
                throw AWSError.unexpected(action: "GetQueueAttributes")
            }
            return names.reduce(0) { $0 + (attributes[$1]?.string.flatMap(Int.init) ?? 0) }
        }
        return MessageQueueStatus(depth: try await count(url), dead: try await count(deadLetterURL), age: 0)
    }

    /// The receiving waits already.
    public func wait(for maximum: Duration) async throws { try Task.checkCancellation() }
}
