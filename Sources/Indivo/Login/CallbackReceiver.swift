import Foundation
import Synchronization

/// The way back from the browser to the app: where the server sends a person who has chosen a record or authorised the app.
///
/// The library has three: ``LoopbackListener`` for tools and desktop apps, ``URLSchemeReceiver`` for apps that own a URL
/// scheme, ``OutOfBandReceiver`` for a person who copies what the browser shows. An app may bring another.
public protocol CallbackReceiver: Sendable {
    /// Begins to receive. Called once for each login.
    func listen() throws -> CallbackSession
}

/// A ``CallbackReceiver`` at work, during one login.
public struct CallbackSession: Sendable {
    /// The address to which the server sends the browser after the authorisation; `nil` for "out of band", where the app is not
    /// notified (RFC 5849, section 2.1). It should be different for each login, and nobody else should be able to guess it.
    public let callback: URL?
    /// Waits for the browser to come back; `nil` when it will not.
    public let next: @Sendable (Step) async throws -> Visit?
    /// Ends the receiving.
    public let close: @Sendable () -> Void

    /// - Parameter next: Waits for the visit that a step needs; `nil` when the person gave up.
    public init(callback: URL?, next: @escaping @Sendable (Step) async throws -> Visit?, close: @escaping @Sendable () -> Void) {
        self.callback = callback
        self.next = next
        self.close = close
    }

    /// - Parameter visits: The visits, as they come; when it ends, the login is given up.
    public init(callback: URL, visits: AsyncStream<Visit>, close: @escaping @Sendable () -> Void) {
        self.init(
            callback: callback,
            next: { _ in
                var visits = visits.makeAsyncIterator()
                return await visits.next()
            }, close: close)
    }

    /// What a login waits for.
    public enum Step: Sendable, Hashable {
        /// The browser is to come back with the record that the person chose.
        case record
        /// The browser is to come back with the verifier, as the person agreed.
        case authorization
    }

    /// The browser came back with a URL.
    public struct Visit: Sendable {
        /// The URL it came with.
        public let url: URL
        /// Sends the browser on, where the receiver can; `nil` where the app must open the next page itself.
        public let redirect: (@Sendable (URL) -> Void)?
        /// Shows the person a last word.
        public let finish: @Sendable (_ message: String) -> Void

        /// A visit to be handed to a session, from a receiver of one's own.
        public init(
            url: URL, redirect: (@Sendable (URL) -> Void)? = nil, finish: @escaping @Sendable (_ message: String) -> Void = { _ in }
        ) {
            self.url = url
            self.redirect = redirect
            self.finish = finish
        }
    }
}

/// Where visits wait for the login that expects them.
final class CallbackInbox: Sendable {
    private let waiting = Mutex<AsyncStream<CallbackSession.Visit>.Continuation?>(nil)
    private let policy: AsyncStream<CallbackSession.Visit>.Continuation.BufferingPolicy

    /// - Parameter limit: How many visits may wait; any number unless given.
    init(limit: Int? = nil) { policy = limit.map { .bufferingOldest($0) } ?? .unbounded }

    /// Opens the inbox for a login; an earlier one ends.
    func open() -> AsyncStream<CallbackSession.Visit> {
        let (stream, continuation) = AsyncStream.makeStream(of: CallbackSession.Visit.self, bufferingPolicy: policy)
        expect(continuation)
        return stream
    }

    /// - Returns: Whether a login was there to take the visit.
    func put(_ visit: CallbackSession.Visit) -> Bool {
        if case .enqueued? = waiting.withLock({ $0 })?.yield(visit) { true } else { false }
    }

    func close() { expect(nil) }

    private func expect(_ next: AsyncStream<CallbackSession.Visit>.Continuation?) {
        let former = waiting.withLock { current in
            defer { current = next }
            return current
        }
        former?.finish()
    }
}
