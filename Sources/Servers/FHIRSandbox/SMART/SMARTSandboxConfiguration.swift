import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON

/// The authorization server of a sandbox: who may log in, and which apps are registered.
///
/// ```swift
/// var configuration = FHIRSandboxConfiguration()
/// configuration.smart = SMARTSandboxConfiguration()
/// configuration.smart?.apps = [.init(id: "growth-chart", redirectURIs: ["http://127.0.0.1:8002/callback"])]
/// ```
/// Logins, tokens and apps that register themselves are kept in memory: they end with the sandbox.
public struct SMARTSandboxConfiguration: Sendable {
    /// Somebody who may log in.
    public struct User: Sendable {
        /// The name that is typed.
        public var name: String
        public var password: Secret
        /// Who it is: `Practitioner/house` sees all patients, `Patient/ann` sees that one.
        public var fhirUser: String

        /// Somebody who may log in.
        public init(name: String, password: Secret, fhirUser: String) {
            self.name = name
            self.password = password
            self.fhirUser = fhirUser
        }

        /// The id of the patient that the user is; nil for staff. Whoever is neither has the empty id, which
        /// is no patient's.
        var patient: String? {
            let parts = fhirUser.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return "" }
            if ["Practitioner", "PractitionerRole"].contains(parts[0]) { return nil }
            return parts[0] == "Patient" ? String(parts[1]) : ""
        }
    }

    /// A client.
    public struct App: Sendable {
        /// The client's id.
        public var id: String
        /// What people read.
        public var name: String
        /// Where the browser may be sent back to, exactly.
        public var redirectURIs: [String]
        /// Where it is opened when it is launched from a health record.
        public var launchURL: String?
        /// The secret of a confidential client; nil for others.
        public var secret: Secret?
        /// The public keys of a client that signs (`private_key_jwt`), as a JSON Web Key set.
        public var keys: JSONValue?
        /// What it may ask for by itself, as a backend service; none unless given.
        public var backendScopes: [SMARTScope]

        /// A client.
        public init(
            id: String,
            name: String? = nil,
            redirectURIs: [String] = [],
            launchURL: String? = nil,
            secret: Secret? = nil,
            keys: JSONValue? = nil,
            backendScopes: [SMARTScope] = []
        ) {
            self.id = id
            self.name = name ?? id
            self.redirectURIs = redirectURIs
            self.launchURL = launchURL
            self.secret = secret
            self.keys = keys
            self.backendScopes = backendScopes
        }
    }

    /// Who may log in. The default is one practitioner, `demo` with the password `demo`.
    public var users = [User(name: "demo", password: "demo", fhirUser: "Practitioner/demo")]

    /// The apps that are registered from the start.
    public var apps: [App] = []

    /// Whether apps may register themselves (RFC 7591), for logins of people; never as backend services.
    public var allowsRegistration = true

    /// The seconds that an access token lives.
    public var accessTokenLifetime = 300

    /// No apps, and the default user.
    public init() {}
}

extension SMARTSandboxConfiguration {
    /// Adds the `apps` and `users` of a document. Where it has users, they replace the default one.
    /// - Throws: ``FHIRSandboxError/refused(status:reason:)``, which says what is wrong.
    public mutating func add(json: JSONValue) throws {
        for app in json.elements(of: "apps") { apps.append(try App(json: app)) }
        guard let listed = json["users"]?.elements else { return }
        users = try listed.map { user in
            guard let name = user["name"]?.string, let password = user["password"]?.string,
                let fhirUser = user["fhirUser"]?.string
            else {
                throw FHIRSandboxError.refused(
                    status: 400,
                    reason: "a user has name, password and fhirUser, such as Patient/ann"
                )
            }
            let added = User(name: name, password: Secret(password), fhirUser: fhirUser)
            guard added.patient != "" else {
                throw FHIRSandboxError.refused(
                    status: 400,
                    reason: "\(name): fhirUser is Patient/…, Practitioner/… or PractitionerRole/…"
                )
            }
            return added
        }
    }
}

extension SMARTSandboxConfiguration.App {
    /// Reads an app's registration: the members of RFC 7591, with `client_id`, `client_secret`, `launch_url`
    /// and, in `scope`, what a backend service may ask for.
    /// - Throws: ``FHIRSandboxError/refused(status:reason:)``, which says what is wrong.
    public init(json: JSONValue) throws {
        guard let id = json["client_id"]?.string, !id.isEmpty else {
            throw FHIRSandboxError.refused(status: 400, reason: "an app has no client_id")
        }
        let grants = json["grant_types"]?.elements?.compactMap(\.string) ?? ["authorization_code"]
        self.init(
            id: id,
            name: json["client_name"]?.string,
            redirectURIs: json["redirect_uris"]?.elements?.compactMap(\.string) ?? [],
            launchURL: json["launch_url"]?.string ?? json["initiate_login_uri"]?.string,
            secret: json["client_secret"]?.string.map { Secret($0) },
            keys: json["jwks"],
            backendScopes: grants.contains("client_credentials")
                ? [SMARTScope](parsing: json["scope"]?.string ?? "") : []
        )
        if let wrong = redirectURIs.first(where: { !RegisteredURI.isAllowed($0) }) {
            throw FHIRSandboxError.refused(status: 400, reason: "the app \(id): \(wrong) is no redirect URI")
        }
    }
}

/// Addresses that a browser may be sent to with a code.
enum RegisteredURI {
    /// `https`, `http` of this machine, or a scheme of an app's own; without a fragment.
    static func isAllowed(_ text: String) -> Bool {
        guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#"),
            let url = URL(string: text), let scheme = url.scheme?.lowercased()
        else { return false }
        switch scheme {
        case "https": return url.host()?.isEmpty == false
        case "http": return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host() ?? "")
        case "javascript", "data", "file", "blob", "about", "vbscript", "view-source", "ftp": return false
        default: return true
        }
    }
}
