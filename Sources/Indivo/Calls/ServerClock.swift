import Foundation
import HTTPTypes
import OAuth1
import Synchronization

/// How far the server's clock is ahead of the device's, once a refusal reported it.
///
/// A server refuses timestamps that are more than five minutes old, and no others. So only a device that is slow is
/// locked out, and only then the server's time is taken over.
final class ServerClock: Sendable {
    private let seconds = Mutex(0)

    /// What is added to the device's time, in seconds.
    var offset: Int { seconds.withLock { $0 } }

    func set(_ offset: Int) { seconds.withLock { $0 = offset } }

    /// How slow the time that a request was signed with is, beyond which the server's is taken over.
    static let tolerance = 240

    /// The time of a response's `Date` field, in seconds since 1970 (RFC 9110, section 5.6.7).
    static func date(of response: HTTPResponse) -> Int? {
        guard let field = HTTPField.Name("Date"), let text = response.headerFields[field],
            let match = text.wholeMatch(
                of: #/[A-Za-z]{3}, (\d{2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT/#),
            let month = months.firstIndex(of: match.2.lowercased())
        else { return nil }
        var parts = DateComponents()
        (parts.day, parts.month, parts.year) = (Int(match.1), month + 1, Int(match.3))
        (parts.hour, parts.minute, parts.second) = (Int(match.4), Int(match.5), Int(match.6))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: parts).map { Int($0.timeIntervalSince1970) }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}

/// The nonce and time of a signature, kept so that a request can be sent again as the very same request.
///
/// A server takes a nonce once. So of several copies of one request, whenever they arrive, it acts on one at most:
/// which makes calls safe to retry that have no id to find them by.
package struct SigningStamp: Sendable, Hashable, Codable {
    package let nonce: String
    /// Seconds since 1970-01-01T00:00:00Z.
    package let timestamp: Int

    /// A stamp that was never used.
    init(at time: Int) {
        nonce = OAuthSigner.randomNonce()
        timestamp = time
    }
}
