import Foundation
import OAuth1

extension IndivoServer {
    /// The record that the UI server opened the app for, with the token that came along: no login is needed.
    ///
    /// When a person starts an app from the UI server's list, the app's start URL is opened with an
    /// `oauth_header`: an `Authorization` header, signed with the app's secret over the start URL, with a
    /// record's id and an access token for it.
    ///
    /// ```swift
    /// .onOpenURL { url in record = try await server.record(launchedWith: url) }
    /// ```
    /// - Parameters:
    ///   - url: What the app was opened with.
    ///   - startURL: The start URL as registered, if the app sees another one, for example behind a proxy.
    /// - Throws: ``IndivoError`` with the reason ``IndivoError/Reason/login(_:)``: the URL holds no
    ///   credentials, they are not signed with the app's secret, more than five minutes old, used before, or
    ///   for another server or app.
    public func record(launchedWith url: URL, startURL: URL? = nil) async throws -> IndivoRecord {
        guard let authorization = url.launchAuthorization,
            let record = authorization["smart_record_id"], let token = authorization["smart_oauth_token"],
            let secret = authorization["smart_oauth_token_secret"], !record.isEmpty, !token.isEmpty,
            !secret.isEmpty
        else { throw IndivoError(.launchWithoutCredentials) }
        try await verify(authorization, over: startURL ?? url)
        let server = authorization["smart_container_api_base"].map {
            URL(string: $0).map(IndivoSession.place)
        }
        guard authorization["smart_app_id"] ?? app.id == app.id,
            server ?? IndivoSession.place(api) == IndivoSession.place(api)
        else { throw IndivoError(.launchForAnotherServer) }
        return self.record(id: record, token: OAuthToken(value: token, secret: Secret(secret)))
    }

    /// An Indivo server signs the start URL without its query; a server that follows the RFC includes the
    /// query.
    private func verify(_ authorization: OAuthAuthorization, over url: URL) async throws {
        let origin = (url.host(percentEncoded: true) ?? "") + (url.port.map { ":\($0)" } ?? "")
        let query = url.query(percentEncoded: true)?.split(separator: "&").filter {
            !$0.hasPrefix("oauth_header=")
        }
        .joined(separator: "&")
        var request = OAuthRequest(
            method: "GET",
            scheme: url.scheme ?? "",
            authority: origin,
            path: url.path(percentEncoded: true)
        )
        let verifier = OAuthVerifier(
            secrets: ConsumerSecret(consumer: app.consumer),
            nonces: launchNonces,
            policy: OAuthVerificationPolicy(rule: .rfc5849, maximumLead: nil),
            clock: { [calls] in calls.serverTime }
        )
        do {
            do { _ = try await verifier.verify(authorization, of: request) } catch OAuthRefusal.wrongSignature
            {
                request.query = query
                _ = try await verifier.verify(authorization, of: request)
            }
        } catch let refusal as OAuthRefusal {
            throw IndivoError(
                refusal == .nonceAlreadyUsed ? .callbackReplayed : .launchNotGenuine("\(refusal)")
            )
        }
    }
}

extension URL {
    /// The header in a start URL. The UI server escapes only blanks and quotation marks, which are undone
    /// here; the header's own escapes stay. A URL that was escaped properly is decoded as a whole.
    fileprivate var launchAuthorization: OAuthAuthorization? {
        let name = "oauth_header="
        let parts = query(percentEncoded: true)?.split(separator: "&") ?? []
        guard let header = parts.first(where: { $0.hasPrefix(name) })?.dropFirst(name.count) else {
            return nil
        }
        let literal = header.replacingOccurrences(of: "%20", with: " ", options: .literal)
            .replacingOccurrences(of: "%22", with: "\"", options: .literal)
        if let authorization = try? OAuthAuthorization(parsing: literal) { return authorization }
        return try? OAuthAuthorization(parsing: FormParameters(decoding: "h=\(header)")["h"] ?? "")
    }
}

/// Has the app's own secret, and no other.
private struct ConsumerSecret: OAuthSecretSource {
    let consumer: OAuthConsumer

    func consumerSecret(forKey key: String) -> Secret? { key == consumer.key ? consumer.secret : nil }

    func tokenSecret(forToken token: String, consumerKey: String) -> Secret? { nil }
}
