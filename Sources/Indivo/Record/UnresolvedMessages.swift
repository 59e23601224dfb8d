import Synchronization

/// Messages of a record of which it is not known whether they arrived, or all of their attachments.
///
/// When one is sent again, and the server says that it has it, that is this message. Another with its id is still refused.
final class UnresolvedMessages: Sendable {
    private let messages = Mutex<[String: OutgoingMessage]>([:])

    func insert(_ message: OutgoingMessage) { messages.withLock { $0[message.id] = message } }

    func contains(_ message: OutgoingMessage) -> Bool { messages.withLock { $0[message.id] == message } }

    func remove(_ message: OutgoingMessage) { messages.withLock { $0[message.id] = nil } }
}
