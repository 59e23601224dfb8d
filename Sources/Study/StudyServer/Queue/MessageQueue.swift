import Foundation

/// The messages that receivers took and consumers have not processed yet.
///
/// ```swift
/// let queue = try SQLiteMessageQueue(URL(filePath: "queue.sqlite"))
/// try await queue.send(message)
/// for received in try await queue.receive(limit: 10, visibility: 60) {
///     …                                        // does the work, once for each message's id
///     try await queue.delete(received)
/// }
/// ```
/// Every message is received at least once. Whoever received it has it for some seconds; when these are over
/// without a deletion, it is received again, and after so many times it is a dead letter.
public protocol MessageQueue: Sendable {
    /// Takes a message. When this returns, it is durable.
    ///
    /// - Returns: Whether it is new; one whose id or bytes were sent before changes nothing. A queue that
    ///   cannot know that takes it again, and the consumer recognises its id.
    /// - Throws: ``OtherMessage`` where the id was sent before with another ``StudyMessage/fingerprint``, by
    ///   a queue that can know that; nothing changes then.
    @discardableResult
    func send(_ message: StudyMessage) async throws -> Bool

    /// Gives messages that nobody has, the oldest first.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - visibility: For how many seconds nobody else gets them.
    func receive(limit: Int, visibility: Int) async throws -> [ReceivedMessage]

    /// Removes a message that was processed.
    ///
    /// - Returns: False when its time was over, and somebody else has it.
    @discardableResult
    func delete(_ message: ReceivedMessage) async throws -> Bool

    /// Removes messages that were processed; one whose time was over stays.
    ///
    /// - Throws: The first error, after each of them was tried.
    func delete(_ messages: [ReceivedMessage]) async throws

    /// Gives a message back, to be received again after a number of seconds. After its last attempt it
    /// becomes a dead letter with this reason.
    ///
    /// - Parameter reason: Why it was not processed; `nil` when nobody tried. Queues that can distinguish
    ///   this do not count it as an attempt.
    func release(_ message: ReceivedMessage, after seconds: Int, reason: String?) async throws

    /// Gives messages back, each as if it was alone.
    ///
    /// - Throws: The first error, after each of them was tried.
    func release(_ messages: [ReceivedMessage], after seconds: Int, reason: String?) async throws

    /// The messages that were received too often, the oldest first.
    func deadLetters(limit: Int) async throws -> [DeadLetter]

    /// Puts a dead letter back into the queue.
    ///
    /// - Returns: False when there is none of this id.
    @discardableResult
    func redeliver(_ id: String) async throws -> Bool

    /// Forgets the ids and digests of messages that were sent at least `days` days ago: if one of them is
    /// sent again, it is queued again, and the consumer recognises its id.
    func forgetKnown(after days: Int) async throws

    /// How much is in the queue.
    func status() async throws -> MessageQueueStatus

    /// Looks whether it would take a message now, as far as that can be known without one.
    ///
    /// - Throws: Why it would not: the database is away, or takes no writes, or its disk is full.
    func checkWritable() async throws

    /// Waits until there may be something to receive, at most so long.
    ///
    /// - Throws: `CancellationError`.
    func wait(for maximum: Duration) async throws
}

extension MessageQueue {
    /// The most seconds for which nobody else gets a message: as SQS has it.
    static var maximumPause: Int { 43_200 }

    /// For queues that know nothing of what they had.
    public func forgetKnown(after days: Int) async throws {}

    public func wait(for maximum: Duration) async throws { try await Task.sleep(for: maximum) }

    public func checkWritable() async throws { _ = try await status() }

    public func delete(_ messages: [ReceivedMessage]) async throws {
        var failure: (any Error)?
        for message in messages {
            do { try await delete(message) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    public func release(_ messages: [ReceivedMessage], after seconds: Int, reason: String?) async throws {
        var failure: (any Error)?
        for message in messages {
            do { try await release(message, after: seconds, reason: reason) } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}

/// Another message was sent before under the same id.
public struct OtherMessage: Error, Sendable, Hashable {
    /// An error of this kind.
    public init() {}
}

/// A message that somebody has for a while.
public struct ReceivedMessage: Sendable, Hashable {
    public let message: StudyMessage
    /// How often it was received, this time included.
    public let receiveCount: Int
    /// Shows that it is this reception.
    public let lease: String

    /// A reception.
    public init(_ message: StudyMessage, receiveCount: Int, lease: String) {
        self.message = message
        self.receiveCount = receiveCount
        self.lease = lease
    }
}

/// A message that was received too often.
public struct DeadLetter: Sendable, Hashable {
    /// The id of the message.
    public let id: String
    /// Why it was given up. It holds nothing of the content.
    public let reason: String
    /// When it was received from the phone.
    public let received: String
}

/// How much is in a queue.
public struct MessageQueueStatus: Sendable, Hashable {
    /// Messages that wait, or that somebody has.
    public var depth: Int
    /// Messages that were received too often.
    public var dead: Int
    /// Seconds since the oldest message was sent; 0 for an empty queue, and where that is not known (SQS).
    public var age: Int
    /// The bytes of all bodies, those of dead letters included; `nil` where that is not known (SQS).
    public var bytes: Int?

    /// A state of a queue.
    public init(depth: Int, dead: Int, age: Int, bytes: Int? = nil) {
        self.depth = depth
        self.dead = dead
        self.age = age
        self.bytes = bytes
    }
}
