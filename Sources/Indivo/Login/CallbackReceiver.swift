import Foundation

/// The way back from the browser to the app: where the server sends a person who has chosen a record or authorised the app.
///
/// The library has two: ``LoopbackListener`` for tools and desktop apps, ``URLSchemeReceiver`` for apps that own a URL
/// scheme. An app may bring another.
public protocol CallbackReceiver: Sendable {
    /// Begins to receive. Called once for each login.
    func listen() throws -> CallbackSession
}

/// A ``CallbackReceiver`` at work, during one login.
public struct CallbackSession: Sendable {
    /// Where the server is to send the browser after the authorisation.
    public let callback: URL
    /// The visits, as they come.
    public let visits: AsyncStream<CallbackVisit>
    /// Ends the receiving.
    public let close: @Sendable () -> Void

    public init(callback: URL, visits: AsyncStream<CallbackVisit>, close: @escaping @Sendable () -> Void) {
        self.callback = callback
        self.visits = visits
        self.close = close
    }
}

/// The browser came back with a URL.
public struct CallbackVisit: Sendable {
    /// The URL it came with.
    public let url: URL
    /// Sends the browser on, where the receiver can; `nil` where the app must open the next page itself.
    public let redirect: (@Sendable (URL) -> Void)?
    /// Shows the person a last word.
    public let finish: @Sendable (_ message: String) -> Void

    public init(
        url: URL, redirect: (@Sendable (URL) -> Void)? = nil, finish: @escaping @Sendable (_ message: String) -> Void = { _ in }
    ) {
        self.url = url
        self.redirect = redirect
        self.finish = finish
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
/// The app's start URL, as registered with the server, is
/// `indivo-meds:///did_select_record?record_id={record_id}&carenet_id={carenet_id}`.
public final class URLSchemeReceiver: CallbackReceiver {
    private let scheme: String
    private let inbox = CallbackInbox()

    public init(scheme: String) { self.scheme = scheme }

    public func listen() throws -> CallbackSession {
        guard let callback = URL(string: "\(scheme):///did_receive_verifier") else {
            throw LoginError.badCallback("“\(scheme)” is no URL scheme; use letters, digits, + - and .")
        }
        let inbox = inbox
        return CallbackSession(callback: callback, visits: inbox.open(), close: { inbox.close() })
    }

    /// Hands in a URL that the app was opened with.
    /// - Returns: Whether it belongs to a login that is going on.
    @discardableResult
    public func receive(_ url: URL) -> Bool {
        url.scheme?.lowercased() == scheme.lowercased() && inbox.put(CallbackVisit(url: url))
    }
}
