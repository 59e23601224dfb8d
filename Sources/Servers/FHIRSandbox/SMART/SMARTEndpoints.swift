import FHIR
import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import WebServing

/// The authorization server of a sandbox (SMART App Launch 2.2): what is below `/auth`, the documents that
/// lead there, and what a token opens.
struct SMARTEndpoints: Sendable {
    let server: ServerState
    let state: SMARTState

    static let root = "auth"

    init?(_ server: ServerState) {
        guard let state = server.smart else { return nil }
        self.server = server
        self.state = state
    }

    /// - Returns: `nil` for what is the business of others.
    func respond(to request: Request, _ segments: [String], base: String) async -> Response? {
        let isInterface = segments.first == FHIREndpoint.root
        let script = ["token", "revoke", "introspect", "register", "jwks"]
        let isForScripts =
            isInterface || segments.first == Self.root && segments.count == 2 && script.contains(segments[1])
        if request.method == "OPTIONS", isForScripts { return CORS.preflight }
        let response: Response?
        switch (segments.first, segments.count) {
        case (FHIREndpoint.root?, 3) where segments[1] == ".well-known":
            response = document(segments[2], base)
        case (Self.root?, 2):
            response = await call(segments[1], request, base: base)
        default: response = nil
        }
        return isForScripts ? response.map(CORS.open) : response
    }

    private func call(_ name: String, _ request: Request, base: String) async -> Response {
        let pages = SMARTPages(self, request: request, base: base)
        guard request.body.count <= 64 << 10 else {
            return pages.problem("The form is too long.", status: 413)
        }
        switch Self.routes.match(request.method, [name]) {
        case .found(let respond, _): return await respond(self, pages)
        case .otherMethod(let allowed, _):
            return pages.problem("This address takes \(allowed).", status: 405).adding("Allow", allowed)
        case .nothing: return pages.problem("There is nothing here.", status: 404)
        }
    }

    private typealias Respond = @Sendable (SMARTEndpoints, SMARTPages) async -> Response

    private static let routes = RouteTable<Respond>(
        [
            .get("/jwks", { endpoints, _ in json(["keys": [endpoints.state.key.publicJWK]]) }),
            .post("/token", { $0.token($1.request, base: $1.base) }),
            .post("/revoke", { $0.revoke($1.request, base: $1.base) }),
            .post("/introspect", { $0.introspect($1.request, base: $1.base) }),
            .post("/register", { $0.register($1.request) }),
            .post("/logout", { $1.logOut() }),
        ]
            + form("/authorize") { await $0.authorize() }
            + form("/login") { await $0.logIn() }
            + form("/patient") { await $0.choosePatient() }
            + form("/decide") { await $0.decide() }
            + form("/launch") { await $0.launch() }
    )

    /// A page that is asked for, and whose form comes back to it.
    private static func form(_ path: String, _ respond: @escaping @Sendable (SMARTPages) async -> Response)
        -> [RouteTable<Respond>.Route]
    {
        [.get(path, { await respond($1) }), .post(path, { await respond($1) })]
    }

    static func json(_ json: JSONValue, status: Int = 200) -> Response {
        Response(status: status, type: "application/json", body: Data(json.utf8()))
            .adding("Cache-Control", "no-store").adding("Pragma", "no-cache")
    }

    /// What an endpoint refuses (RFC 6749, section 5.2).
    static func refusal(_ code: String, _ description: String, status: Int = 400) -> Response {
        let response = json(
            ["error": JSONValue(code), "error_description": JSONValue(description)],
            status: status
        )
        return status == 401 ? response.adding("WWW-Authenticate", "Basic realm=\"FHIR sandbox\"") : response
    }

    // MARK: Addresses

    /// Whether tokens may be for a base: on this machine each of its names, elsewhere the one that the
    /// configuration has. The name that a request comes with is the choice of whoever passes it on.
    func isOwn(_ base: String) -> Bool {
        Self.isLoopback(base) || base == server.configuration.publicBase
    }

    static func isLoopback(_ base: String) -> Bool {
        ["127.0.0.1", "localhost"].contains(URL(string: base)?.host() ?? "")
    }

    // MARK: Documents

    static func address(_ name: String, _ base: String) -> String {
        base.dropLast(FHIREndpoint.root.count) + "\(root)/\(name)"
    }

    private func document(_ name: String, _ base: String) -> Response? {
        func url(_ name: String) -> JSONValue { JSONValue(Self.address(name, base)) }
        var json: JSONValue = [
            "issuer": JSONValue(base), "jwks_uri": url("jwks"), "authorization_endpoint": url("authorize"),
            "token_endpoint": url("token"), "revocation_endpoint": url("revoke"),
            "introspection_endpoint": url("introspect"),
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "private_key_jwt", "none",
            ],
            "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "scopes_supported": [
                "openid", "fhirUser", "launch", "launch/patient", "launch/encounter", "offline_access",
                "online_access", "patient/*.cruds", "user/*.cruds", "system/*.cruds",
            ],
        ]
        if state.configuration.allowsRegistration { json["registration_endpoint"] = url("register") }
        switch name {
        case "smart-configuration":
            json["capabilities"] = [
                "launch-ehr", "launch-standalone", "authorize-post", "client-public",
                "client-confidential-symmetric", "client-confidential-asymmetric", "sso-openid-connect",
                "context-banner", "context-ehr-patient", "context-ehr-encounter",
                "context-standalone-patient", "context-standalone-encounter", "permission-offline",
                "permission-online", "permission-patient", "permission-user", "permission-v1",
                "permission-v2",
            ]
        case "openid-configuration":
            json["subject_types_supported"] = ["public"]
            json["id_token_signing_alg_values_supported"] = ["ES256"]
        default: return nil
        }
        return Self.json(json)
    }

    /// What the CapabilityStatement says of it.
    static func security(base: String) -> JSONValue {
        let names = [
            ("authorize", "authorize"), ("token", "token"), ("register", "register"), ("revoke", "revoke"),
            ("introspect", "introspect"),
        ]
        let addresses = names.map { name, path -> JSONValue in
            ["url": JSONValue(name), "valueUri": JSONValue(address(path, base))]
        }
        return [
            "extension": [
                [
                    "url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris",
                    "extension": JSONValue(addresses),
                ]
            ],
            "service": [
                [
                    "coding": [
                        [
                            "system": "http://terminology.hl7.org/CodeSystem/restful-security-service",
                            "code": "SMART-on-FHIR",
                        ]
                    ]
                ]
            ],
            "description": "A token by SMART App Launch is needed for everything but this statement.",
        ]
    }
}

/// Lets scripts of other sites call what takes a token, and no cookie.
enum CORS {
    static let preflight = Response(status: 204)
        .adding("Access-Control-Allow-Origin", "*")
        .adding("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
        .adding(
            "Access-Control-Allow-Headers",
            """
            Accept, Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Exist, If-None-Match, \
            If-Range, Prefer, Range
            """
        )
        .adding("Access-Control-Max-Age", "600")

    static func open(_ response: Response) -> Response {
        response.adding("Access-Control-Allow-Origin", "*")
            .adding(
                "Access-Control-Expose-Headers",
                "Content-Location, ETag, Last-Modified, Location, Retry-After, WWW-Authenticate, X-Progress"
            )
    }
}
