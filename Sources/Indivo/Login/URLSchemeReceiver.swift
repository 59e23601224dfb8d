import Foundation
import OAuth1

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
/// UI servers on Django 1.3.2 and later redirect to no scheme but HTTP's: they need a ``LoopbackListener``.
public final class URLSchemeReceiver: CallbackReceiver {
    private let scheme: String
    private let inbox = CallbackInbox()

    /// - Parameter scheme: The app's own, in letters, digits, `+`, `-` and `.`.
    public init(scheme: String) { self.scheme = scheme }

    public func listen() throws -> CallbackSession {
        // The last part is this login's own: a callback that somebody else thought up does not have it.
        guard let callback = URL(string: "\(scheme):///did_receive_verifier/\(OAuthSigner.randomNonce())") else {
            throw IndivoError(.badCallback("“\(scheme)” is no URL scheme; use letters, digits, + - and ."))
        }
        let inbox = inbox
        return CallbackSession(callback: callback, visits: inbox.open(), close: { inbox.close() })
    }

    /// Hands in a URL that the app was opened with.
    /// - Returns: Whether it belongs to a login that is under way.
    @discardableResult
    public func receive(_ url: URL) -> Bool {
        url.scheme?.lowercased() == scheme.lowercased() && inbox.put(CallbackSession.Visit(url: url))
    }

    /// Gives up the login that is under way, as when the person closed the browser: `selectRecord` then throws
    /// ``IndivoError/LoginError/cancelled``.
    public func cancel() { inbox.close() }
}
