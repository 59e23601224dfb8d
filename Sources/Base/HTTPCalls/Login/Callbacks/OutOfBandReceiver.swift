import Foundation
import IndivoBase

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
/// address, or the bare record id or code. A login by OAuth 2.0 needs the whole address, since only that
/// shows which login it belongs to.
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
                return CallbackSession.Arrival(
                    url: Self.url(of: answer.trimmingCharacters(in: .whitespacesAndNewlines), step)
                )
            },
            close: {}
        )
    }

    /// An address as it is; a bare id or code as if it had come in one.
    private static func url(of text: String, _ step: CallbackSession.Step) -> URL {
        let names = step == .record ? ["record_id"] : ["oauth_verifier", "code", "error"]
        if let query = text.firstIndex(of: "?"), names.contains(where: { text[query...].contains($0 + "=") }),
            let url = URL(string: text)
        {
            return url
        }
        // Percent-encoding leaves nothing that a URL could not hold: it is one, always.
        return URL(string: "oob:?" + ([names[0]: text] as FormParameters).encoded)!
    }
}
