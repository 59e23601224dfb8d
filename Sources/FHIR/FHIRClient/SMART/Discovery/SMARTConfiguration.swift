#if SMART
import Foundation
import IndivoBase
import OrderedJSON

/// What a FHIR server says of its authorization server (SMART App Launch 2.2, "Conformance").
public struct SMARTConfiguration: Sendable, Hashable {
    /// Where it was found.
    public enum Source: Sendable, Hashable {
        /// `[base]/.well-known/smart-configuration`.
        case wellKnown
        /// The extension `oauth-uris` of `[base]/metadata`, as servers of version 1 have it.
        case capabilityStatement
    }

    /// Where it was found.
    public let source: Source
    /// Who signs ID tokens.
    public internal(set) var issuer: String?
    /// Where a person logs in.
    public internal(set) var authorizationEndpoint: URL
    /// Where a code becomes tokens.
    public internal(set) var tokenEndpoint: URL
    /// The keys of ID tokens.
    public internal(set) var keySetURL: URL?
    /// Where apps are registered (RFC 7591).
    public internal(set) var registrationEndpoint: URL?
    /// Where tokens are revoked (RFC 7009).
    public internal(set) var revocationEndpoint: URL?
    /// Where tokens are inspected (RFC 7662).
    public internal(set) var introspectionEndpoint: URL?
    /// Where a person manages what apps may do.
    public internal(set) var managementEndpoint: URL?
    /// What the server can do, such as `launch-standalone` and `permission-v2`.
    public internal(set) var capabilities: Set<String> = []
    /// The scopes that it names.
    public internal(set) var scopes: [SMARTScope] = []
    /// The methods of PKCE, where the server says.
    public internal(set) var codeChallengeMethods: Set<String>?
    /// Whether the browser comes back with `iss` (RFC 9207).
    public internal(set) var namesIssuerInResponse = false

    /// Reads a SMART configuration.
    /// - Throws: What is missing, as a text.
    init(wellKnown json: JSONValue) throws(FHIRAuthorizationError) {
        source = .wellKnown
        authorizationEndpoint = try Self.required("authorization_endpoint", json)
        tokenEndpoint = try Self.required("token_endpoint", json)
        issuer = json["issuer"]?.string
        keySetURL = try Self.optional("jwks_uri", json)
        registrationEndpoint = try Self.optional("registration_endpoint", json)
        revocationEndpoint = try Self.optional("revocation_endpoint", json)
        introspectionEndpoint = try Self.optional("introspection_endpoint", json)
        managementEndpoint = try Self.optional("management_endpoint", json)
        capabilities = Set(Self.texts(json["capabilities"]))
        scopes = Self.texts(json["scopes_supported"]).map { SMARTScope($0) }
        if let methods = json["code_challenge_methods_supported"] {
            codeChallengeMethods = Set(Self.texts(methods))
        }
        namesIssuerInResponse = json["authorization_response_iss_parameter_supported"]?.boolean ?? false
    }

    /// Reads the extension of a CapabilityStatement; `nil` where there is none.
    /// - Throws: What is missing, as a text.
    init?(capabilityStatement json: JSONValue) throws(FHIRAuthorizationError) {
        let url = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"
        let all = json.elements(of: "rest").flatMap { $0["security"]?.elements(of: "extension") ?? [] }
        guard let extensions = all.first(where: { $0["url"]?.string == url })?["extension"]?.elements else {
            return nil
        }
        var addresses: JSONValue = [:]
        let names = [
            "authorize": "authorization_endpoint", "token": "token_endpoint",
            "register": "registration_endpoint", "revoke": "revocation_endpoint",
            "introspect": "introspection_endpoint", "manage": "management_endpoint",
        ]
        for part in extensions {
            guard let name = part["url"]?.string.flatMap({ names[$0] }) else { continue }
            addresses[name] = part["valueUri"]
        }
        source = .capabilityStatement
        authorizationEndpoint = try Self.required("authorization_endpoint", addresses)
        tokenEndpoint = try Self.required("token_endpoint", addresses)
        registrationEndpoint = try Self.optional("registration_endpoint", addresses)
        revocationEndpoint = try Self.optional("revocation_endpoint", addresses)
        introspectionEndpoint = try Self.optional("introspection_endpoint", addresses)
        managementEndpoint = try Self.optional("management_endpoint", addresses)
    }

    private static func required(_ name: String, _ json: JSONValue) throws(FHIRAuthorizationError) -> URL {
        guard let url = try optional(name, json) else {
            throw FHIRAuthorizationError("the SMART configuration has no \(name)")
        }
        return url
    }

    private static func optional(_ name: String, _ json: JSONValue) throws(FHIRAuthorizationError) -> URL? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let url = value.string.flatMap({ URL(string: $0) }), url.scheme != nil, url.host() != nil else {
            throw FHIRAuthorizationError("the SMART configuration's \(name) is no URL")
        }
        return url
    }

    private static func texts(_ list: JSONValue?) -> [String] {
        (list?.elements ?? []).prefix(1_000).compactMap(\.string)
    }
}
#endif
