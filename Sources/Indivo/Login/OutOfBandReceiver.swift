import Foundation
import OAuth1

/// Receives what a person copies from the browser, for apps that no browser can reach, as on a server without a screen
/// ("out of band", RFC 5849, section 2.1).
///
/// ```swift
/// let receiver = OutOfBandReceiver { step in
///     print(step == .record ? "Address after you chose a record:" : "Code:")
///     return readLine()
/// }
/// let record = try await server.selectRecord(callback: receiver) { url in print("Open \(url)") }
/// ```
/// An Indivo server shows no code of its own: it sends the browser to the app's start URL with the record's id, and to
/// the callback URL that the app's manifest names with the verifier. Whatever the browser finds there, the person may
/// copy the whole address; the bare record id or code does as well. An app that knows the record uses
/// ``IndivoServer/authorize(record:callback:open:)``, and only the code is asked for.
public struct OutOfBandReceiver: CallbackReceiver {
    private let ask: @Sendable (CallbackSession.Step) async throws -> String?

    /// - Parameter ask: Asks the person for the address, the record id (``CallbackSession/Step/record``) or the code
    ///   (``CallbackSession/Step/authorization``); `nil` gives up the login.
    public init(ask: @escaping @Sendable (CallbackSession.Step) async throws -> String?) { self.ask = ask }

    public func listen() -> CallbackSession {
        let ask = ask
        return CallbackSession(
            callback: nil,
            next: { step in
                guard let answer = try await ask(step) else { return nil }
                return CallbackSession.Visit(url: Self.url(of: answer.trimmingCharacters(in: .whitespacesAndNewlines), step))
            }, close: {})
    }

    /// An address as it is; a bare id or code as if it had come in one.
    private static func url(of text: String, _ step: CallbackSession.Step) -> URL {
        let name = step == .record ? "record_id" : "oauth_verifier"
        if text.contains("?"), text.contains(name + "="), let url = URL(string: text) { return url }
        let query: FormParameters = [name: text]
        // Percent-encoding leaves nothing that a URL could not hold: it is one, always.
        return URL(string: "oob:?" + query.encoded)!
    }
}
