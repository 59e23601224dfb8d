import Foundation
import IndivoBase
import Synchronization

/// The way back from the browser to the app: where the server sends a person who has chosen a record or
/// authorised the app.
///
/// There is a listener on 127.0.0.1 for tools and desktop apps, ``URLSchemeReceiver`` for apps that own a URL
/// scheme, ``OutOfBandReceiver`` for a person who copies what the browser shows. An app may bring another.
public protocol CallbackReceiver: Sendable {
    /// Begins to receive. Called once for each login.
    func listen() throws -> CallbackSession
}

/// A ``CallbackReceiver`` at work, during one login.
public struct CallbackSession: Sendable {
    /// The address to which the server sends the browser after the authorisation; `nil` for "out of band",
    /// where the app is not notified (RFC 5849, section 2.1). Where the server takes any, it should be
    /// different for each login, and nobody else should be able to guess it.
    public let callback: URL?
    /// Waits for the browser to come back; `nil` when it will not.
    public let next: @Sendable (Step) async throws -> Arrival?
    /// Ends the receiving.
    public let close: @Sendable () -> Void

    /// A session whose `next` waits for the arrival that a step needs.
    public init(
        callback: URL?,
        next: @escaping @Sendable (Step) async throws -> Arrival?,
        close: @escaping @Sendable () -> Void
    ) {
        self.callback = callback
        self.next = next
        self.close = close
    }

    /// - Parameter arrivals: The arrivals; when they end, the login is given up.
    public init(callback: URL, arrivals: AsyncStream<Arrival>, close: @escaping @Sendable () -> Void) {
        self.init(callback: callback, next: { _ in await arrivals.first { _ in true } }, close: close)
    }

    /// What a login waits for.
    public enum Step: Sendable, Hashable {
        /// The browser is to come back with the record that the person chose.
        case record
        /// The browser is to come back with the verifier or code, as the person agreed.
        case authorization
    }

    /// The browser came back with a URL.
    public struct Arrival: Sendable {
        /// The URL it came with.
        public let url: URL
        /// Sends the browser on, where the receiver can; `nil` where the app must open the next page itself.
        public let redirect: (@Sendable (URL) -> Void)?
        /// Shows the person a last message.
        public let finish: @Sendable (_ message: String) -> Void

        /// An arrival for a session, from a receiver of one's own.
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

extension AsyncStream<CallbackSession.Arrival>.Continuation {
    /// Hands over an arrival, if a login is there to take it.
    func take(_ arrival: CallbackSession.Arrival) -> Bool {
        if case .enqueued = yield(arrival) { true } else { false }
    }
}

/// Why the way back from the browser cannot be used. The text says what to do.
public struct CallbackError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A reason, without a secret.
    public init(_ description: String) { self.description = description }
}

extension URL {
    /// The parameters a callback came with. An Indivo server appends `?` and its own even where there is a
    /// query already.
    package var callbackParameters: FormParameters {
        let queries = absoluteString.split(separator: "?", omittingEmptySubsequences: false).dropFirst()
        return FormParameters(queries.flatMap { FormParameters(decoding: String($0.prefix { $0 != "#" })) })
    }

    /// Whether both are the same but for query and fragment, and the letter case of scheme and host.
    package func isSamePlace(as other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased()
            && (host(percentEncoded: true) ?? "").lowercased()
                == (other.host(percentEncoded: true) ?? "").lowercased()
            && port == other.port && path(percentEncoded: false) == other.path(percentEncoded: false)
    }
}
