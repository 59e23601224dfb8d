import Foundation
import OAuth1
import Synchronization

/// The way back from the browser to the app: where the server sends a person who has chosen a record or
/// authorised the app.
///
/// The library has three: ``LoopbackListener`` for tools and desktop apps, ``URLSchemeReceiver`` for apps
/// that own a URL scheme, ``OutOfBandReceiver`` for a person who copies what the browser shows. An app may
/// bring another.
public protocol CallbackReceiver: Sendable {
    /// Begins to receive. Called once for each login.
    func listen() throws -> CallbackSession
}

/// A ``CallbackReceiver`` at work, during one login.
public struct CallbackSession: Sendable {
    /// The address to which the server sends the browser after the authorisation; `nil` for "out of band",
    /// where the app is not notified (RFC 5849, section 2.1). It should be different for each login, and
    /// nobody else should be able to guess it.
    public let callback: URL?
    /// Waits for the browser to come back; `nil` when it will not.
    public let next: @Sendable (Step) async throws -> Visit?
    /// Ends the receiving.
    public let close: @Sendable () -> Void

    /// A session whose `next` waits for the visit that a step needs.
    public init(
        callback: URL?,
        next: @escaping @Sendable (Step) async throws -> Visit?,
        close: @escaping @Sendable () -> Void
    ) {
        self.callback = callback
        self.next = next
        self.close = close
    }

    /// - Parameter visits: The visits, as they come; when it ends, the login is given up.
    public init(callback: URL, visits: AsyncStream<Visit>, close: @escaping @Sendable () -> Void) {
        self.init(callback: callback, next: { _ in await visits.first { _ in true } }, close: close)
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
            url: URL,
            redirect: (@Sendable (URL) -> Void)? = nil,
            finish: @escaping @Sendable (_ message: String) -> Void = { _ in }
        ) {
            self.url = url
            self.redirect = redirect
            self.finish = finish
        }
    }
}

extension AsyncStream<CallbackSession.Visit>.Continuation {
    /// Hands over a visit, if a login is there to take it.
    func take(_ visit: CallbackSession.Visit) -> Bool {
        if case .enqueued = yield(visit) { true } else { false }
    }
}

/// Receives callbacks that the system hands to the app, since the app registered their URL scheme.
///
/// ```swift
/// let receiver = URLSchemeReceiver(scheme: "indivo-meds")
/// let record = try await server.selectRecord(callback: receiver) { url in await openURL(url) }
/// // elsewhere:
/// .onOpenURL { url in receiver.receive(url) }
/// ```
/// The app's start URL is `indivo-meds:///did_select_record?record_id={record_id}&carenet_id={carenet_id}`.
/// UI servers on Django 1.3.2 and later redirect to no scheme but HTTP's: they need a ``LoopbackListener``.
public final class URLSchemeReceiver: CallbackReceiver {
    private let scheme: String
    /// Where visits go while a login waits for them.
    private let waiting = Mutex<AsyncStream<CallbackSession.Visit>.Continuation?>(nil)

    /// - Parameter scheme: The app's own, in letters, digits, `+`, `-` and `.`.
    public init(scheme: String) { self.scheme = scheme }

    public func listen() throws -> CallbackSession {
        // The last part is this login's own: a callback that somebody else thought up does not have it.
        guard let callback = URL(string: "\(scheme):///did_receive_verifier/\(OAuthSigner.randomNonce())")
        else {
            throw IndivoError(.badCallback("“\(scheme)” is no URL scheme; use letters, digits, + - and ."))
        }
        let (visits, continuation) = AsyncStream.makeStream(of: CallbackSession.Visit.self)
        expect(continuation)
        return CallbackSession(callback: callback, visits: visits, close: { self.cancel() })
    }

    /// Hands in a URL that the app was opened with.
    /// - Returns: Whether it belongs to a login that is under way.
    @discardableResult
    public func receive(_ url: URL) -> Bool {
        url.scheme?.lowercased() == scheme.lowercased()
            && waiting.withLock { $0 }?.take(CallbackSession.Visit(url: url)) ?? false
    }

    /// Gives up the login that is under way, as when the browser was closed
    /// (``IndivoError/LoginError/cancelled``).
    public func cancel() { expect(nil) }

    /// From now on visits go to another login, or to none; an earlier one ends.
    private func expect(_ next: AsyncStream<CallbackSession.Visit>.Continuation?) {
        waiting.withLock { exchange(&$0, with: next) }?.finish()
    }
}

/// Receives what a person copies from a browser that cannot reach the app ("out of band", RFC 5849, section
/// 2.1).
///
/// ```swift
/// let receiver = OutOfBandReceiver { step in
///     print(step == .record ? "Address after you chose a record:" : "Code:")
///     return readLine()
/// }
/// let record = try await server.selectRecord(callback: receiver) { url in print("Open \(url)") }
/// ```
/// An Indivo server shows no code of its own: it sends the browser to the app's start URL with the record's
/// id, and to the callback URL of the app's manifest with the verifier. The person may copy the whole
/// address, or the bare record id or code. An app that knows the record uses
/// ``IndivoServer/authorize(record:callback:open:)``, and only the code is asked for.
public struct OutOfBandReceiver: CallbackReceiver {
    private let ask: @Sendable (CallbackSession.Step) async throws -> String?

    /// - Parameter ask: Asks the person for the address, the record id (``CallbackSession/Step/record``) or
    ///   the code (``CallbackSession/Step/authorization``); `nil` gives up the login.
    public init(ask: @escaping @Sendable (CallbackSession.Step) async throws -> String?) { self.ask = ask }

    public func listen() -> CallbackSession {
        CallbackSession(
            callback: nil,
            next: { [ask] step in
                guard let answer = try await ask(step) else { return nil }
                return CallbackSession.Visit(
                    url: Self.url(of: answer.trimmingCharacters(in: .whitespacesAndNewlines), step)
                )
            },
            close: {}
        )
    }

    /// An address as it is; a bare id or code as if it had come in one.
    private static func url(of text: String, _ step: CallbackSession.Step) -> URL {
        let name = step == .record ? "record_id" : "oauth_verifier"
        if text.contains("?"), text.contains(name + "="), let url = URL(string: text) { return url }
        // Percent-encoding leaves nothing that a URL could not hold: it is one, always.
        return URL(string: "oob:?" + ([name: text] as FormParameters).encoded)!
    }
}
