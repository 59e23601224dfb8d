#if SMART
import FHIR
import Foundation
import HTTPCalls
import IndivoBase
import Logging
import OrderedJSON

/// What a login ended with: the patient in context, who is logged in, what was granted, and the tokens.
///
/// ```swift
/// let client = try FHIRClient(launch)
/// if let patient = client.patient {
///     let name = try await client.read(patient).name.first
/// }
/// try await launch.keep()             // for the next start of the app
/// try await launch.logOut()           // revokes the tokens, and forgets them
/// ```
public struct SMARTLaunch: Sendable {
    /// The server that the launch is with.
    public let server: SMARTServer
    /// What the launch is about.
    public let context: SMARTContext
    /// Who is logged in, by an ID token that was verified; nil without ``SMARTScope/openID``.
    public let user: SMARTUser?
    /// What was granted, which may be less than was asked for.
    public let scopes: [SMARTScope]
    /// The source of tokens, for clients of one's own.
    public let authorization: SMARTAuthorization

    /// References of the resources that the launch is about, such as `Patient/7`, by the names that
    /// Structured Data Capture has for them: `patient`, `encounter`, and `user` where the server has the
    /// user's resource.
    public var references: [String: String] {
        var references: [String: String] = [:]
        references["patient"] = context.patient.map { "Patient/\($0)" }
        references["encounter"] = context.encounter.map { "Encounter/\($0)" }
        if let user = user?.fhirUser {
            let base = server.base.absoluteString
            let prefix = base.hasSuffix("/") ? base : base + "/"
            let relative = user.hasPrefix(prefix) ? String(user.dropFirst(prefix.count)) : user
            references["user"] = relative.contains(":") ? nil : relative
        }
        return references
    }

    init(_ session: SMARTSession, _ server: SMARTServer, isKept: Bool = false) {
        self.server = server
        context = session.context
        user = session.user
        scopes = session.scopes
        authorization = SMARTAuthorization(session, server, isKept: isKept)
    }

    /// Keeps the session in the server's store (``SMARTServer/Options/sessions``), so that
    /// ``SMARTServer/keptLaunches()`` has it the next time; from then on each refresh is kept too. Nothing is
    /// kept without this call.
    /// - Throws: ``SMARTError``; `sessionNotKept` says why.
    public func keep() async throws { try await authorization.keep() }

    /// Forgets the kept session, sends nothing with its tokens any more, and has the server revoke them where
    /// it can (RFC 7009).
    /// - Throws: ``SMARTError``; the tokens are out of use all the same.
    public func logOut() async throws {
        let session = try await authorization.end()
        guard let endpoint = session.revocationEndpoint else { return }
        // The refresh token first: with it go the access tokens, on most servers.
        var tokens: [(token: Secret, hint: String)] = [(session.accessToken, "access_token")]
        if let refreshToken = session.refreshToken { tokens.insert((refreshToken, "refresh_token"), at: 0) }
        for (token, hint) in tokens {
            let response = try await server.send(
                ["token": token.reveal(), "token_type_hint": hint],
                to: endpoint,
                .revocation,
                isSafeToRetry: true
            )
            guard response.isSuccess else { throw server.refusal(response, .revocation) }
        }
    }

    /// Asks the server what the access token is good for (RFC 7662).
    /// - Throws: ``SMARTError``; `notSupported` where the server has no such endpoint.
    public func introspect() async throws -> SMARTIntrospection {
        let session = await authorization.session
        guard let endpoint = session.introspectionEndpoint else {
            throw server.failure(.notSupported("introspection"), .introspection)
        }
        let response = try await server.send(
            ["token": session.accessToken.reveal(), "token_type_hint": "access_token"],
            to: endpoint,
            .introspection,
            isSafeToRetry: true
        )
        guard response.isSuccess else { throw server.refusal(response, .introspection) }
        guard let json = response.json, let isActive = json["active"]?.boolean else {
            throw server.failure(.malformedResponse("the response does not say “active”"), .introspection)
        }
        return SMARTIntrospection(
            isActive: isActive,
            scopes: json["scope"]?.string.map { [SMARTScope](parsing: $0) } ?? [],
            clientID: json["client_id"]?.string,
            expiresAt: json["exp"]?.double.map { Date(timeIntervalSince1970: $0) },
            subject: json["sub"]?.string,
            patient: json["patient"]?.string
        )
    }
}

/// What a server says of an access token (RFC 7662, section 2.2).
public struct SMARTIntrospection: Sendable, Hashable {
    /// Whether it is good now.
    public let isActive: Bool
    /// What it is good for.
    public let scopes: [SMARTScope]
    public let clientID: String?
    /// When it expires.
    public let expiresAt: Date?
    /// The person who granted it.
    public let subject: String?
    /// The patient in context.
    public let patient: String?
}

extension SMARTServer {
    /// The launches of this app on this server whose sessions are kept, the oldest first: no login is needed.
    ///
    /// Whether the server still takes their tokens shows with the first request: a
    /// `FHIRClientError.Reason.authorization` or `unauthorized` then means that a login is due.
    /// - Throws: ``SMARTError``; `sessionNotKept` says why they cannot be read.
    public func keptLaunches() async throws -> [SMARTLaunch] {
        let sessions: [SMARTSession]
        do { sessions = try await options.sessions.sessions() } catch {
            let why = SessionStoreError.reason(error)
            throw failure(.sessionNotKept(why), .refresh)
        }
        return sessions.filter { $0.clientID == app.id && $0.isFor(base) }.map(launch)
    }

    /// The launch of a session that is kept, for an app that reads its store itself.
    public func launch(of session: SMARTSession) -> SMARTLaunch { SMARTLaunch(session, self, isKept: true) }
}

extension FHIRClient {
    /// A client of the server that a launch is with, authorised by it from now on.
    /// - Parameters:
    ///   - launch: The launch.
    ///   - logger: Gets interaction, type and status, never an id, a value or a token.
    ///   - options: How requests behave; without them, as the launch's.
    /// - Throws: `FHIRClientError` for an address that cannot be used.
    public convenience init(
        _ launch: SMARTLaunch,
        logger: Logger = Logger(label: "fhir"),
        options: Options? = nil
    ) throws(FHIRClientError) {
        let own = launch.server.options
        try self.init(
            base: launch.server.base,
            authorization: launch.authorization,
            transport: launch.server.transport,
            logger: logger,
            options: options
                ?? Options(retry: own.retry, plainHTTPHosts: own.plainHTTPHosts, timing: own.timing)
        )
    }

    /// The patient in context of the launch that authorises this client; nil without one.
    public var patient: Reference<Patient>? {
        (authorization as? SMARTAuthorization)?.patient.map { Reference("Patient/\($0)") }
    }
}
#endif
