import Foundation
import IndivoBase
import Synchronization

/// Receives callbacks that the system hands to the app, since the app registered their URL scheme.
///
/// ```swift
/// let receiver = URLSchemeReceiver(scheme: "indivo-meds")
/// let record = try await server.selectRecord(callback: receiver) { url in await openURL(url) }
/// // elsewhere:
/// .onOpenURL { url in receiver.receive(url) }
/// ```
/// OAuth 2.0 takes only a redirect URI that is registered: ``init(redirectURI:)``.
///
/// For an Indivo server the app's start URL is
/// `indivo-meds:///did_select_record?record_id={record_id}&carenet_id={carenet_id}`.
/// UI servers on Django 1.3.2 and later redirect to no scheme but HTTP's: they need a `LoopbackListener`.
public final class URLSchemeReceiver: CallbackReceiver {
    private let scheme: String
    private let redirectURI: URL?
    /// Where arrivals go while a login waits for them.
    private let waiting = Mutex<AsyncStream<CallbackSession.Arrival>.Continuation?>(nil)

    /// - Parameter scheme: The app's own, in letters, digits, `+`, `-` and `.`.
    public init(scheme: String) {
        self.scheme = scheme
        redirectURI = nil
    }

    /// - Parameter redirectURI: The address that is registered for the app, which every login uses: of a
    ///   scheme of the app's own, or an `https` address that the system opens in the app.
    public init(redirectURI: URL) {
        scheme = redirectURI.scheme ?? ""
        self.redirectURI = redirectURI
    }

    public func listen() throws -> CallbackSession {
        // The last part is this login's own, so that nobody else can guess the callback.
        let ownCallback = URL(string: "\(scheme):///did_receive_verifier/\(RandomToken.make(length: 32))")
        guard let callback = redirectURI ?? ownCallback else {
            throw CallbackError("“\(scheme)” is no URL scheme; use letters, digits, + - and .")
        }
        let (arrivals, continuation) = AsyncStream.makeStream(of: CallbackSession.Arrival.self)
        expect(continuation)
        return CallbackSession(callback: callback, arrivals: arrivals, close: { self.cancel() })
    }

    /// Hands in a URL that the app was opened with.
    /// - Returns: Whether it belongs to a login that is under way.
    @discardableResult
    public func receive(_ url: URL) -> Bool {
        url.scheme?.lowercased() == scheme.lowercased()
            && waiting.withLock { $0 }?.take(CallbackSession.Arrival(url: url)) ?? false
    }

    /// Gives up the login that is under way, as when the browser was closed.
    public func cancel() { expect(nil) }

    /// From now on arrivals go to another login, or to none; an earlier one ends.
    private func expect(_ next: AsyncStream<CallbackSession.Arrival>.Continuation?) {
        waiting.withLock { exchange(&$0, with: next) }?.finish()
    }
}
