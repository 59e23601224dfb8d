// What an app that launches brings along: the client, the scopes, the ways back from the browser.
import Foundation
@_exported import HTTPCalls
import IndivoBase

/// An app as it is registered with an authorization server.
///
/// ```swift
/// let app = SMARTApp(
///     id: "growth-chart", redirectURI: URL(string: "org.example.growth:/callback")!,
///     scopes: [.openID, .fhirUser, .launchPatient, .offlineAccess, .patient("Observation", .reading)])
/// ```
public struct SMARTApp: Sendable {
    /// How the app proves who it is to the token endpoint.
    public enum Authentication: Sendable {
        /// Not at all: a public client, as an app on a phone is. PKCE protects the login.
        case none
        /// A secret in the `Authorization` header: a confidential client, symmetric.
        case secret(Secret)
        /// A signed assertion (`private_key_jwt`): a confidential client, asymmetric.
        case assertion(ClientAssertion)
    }

    /// The client's id.
    public let id: String
    /// Where the browser comes back to, exactly as it is registered.
    public let redirectURI: URL
    /// What the app asks for.
    public var scopes: [SMARTScope]
    /// How the app proves who it is.
    public var authentication: Authentication

    /// An app.
    public init(id: String, redirectURI: URL, scopes: [SMARTScope], authentication: Authentication = .none) {
        self.id = id
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.authentication = authentication
    }

    /// As the token endpoint wants it.
    var proof: TokenEndpoint.Authentication {
        switch authentication {
        case .none: .id(id)
        case .secret(let secret): .basic(id: id, secret: secret)
        case .assertion(let assertion): .assertion(assertion)
        }
    }
}
