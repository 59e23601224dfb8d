import Foundation
import GRDB
import OAuth1
import ShownText

/// Serves the calls of the API.
///
/// The order of the checks is the real server's: an unknown path and unknown ids in the URL (404), the method (405),
/// the signature and the access rule (403), and only then the call itself.
struct APIServer: Sendable {
    private let server: ServerContext
    private let routes: RouteTree<Route>

    init(_ server: ServerContext) {
        self.server = server
        var tree = RouteTree<Route>()
        for route in APIServer.allRoutes { tree.insert(route, at: route.path) }
        routes = tree
    }

    func answer(_ request: Request) async -> Response {
        var note = RequestLog.Entry(
            at: server.now, method: request.method, path: request.rawPath, call: "", status: 0, reason: "")
        let response: Response
        do {
            response = try await answer(request, &note)
        } catch let refusal as Refusal {
            response = refusal.response
            note.reason = refusal.reason
        } catch let stop as Stop {
            response = stop.response
            note.reason = stop.reason
        } catch {
            server.logger.error("\("\(request.method) \(note.call) failed: \(error)".shown())")
            response = .internalError
            note.reason = "the sandbox failed: see its log"
        }
        note.status = response.status
        server.requests.append(note)
        server.logger.debug("\("\(note.method) \(note.call) \(note.status) \(note.reason)".shown())")
        return response
    }

    /// A response given before the call could begin.
    private struct Stop: Error {
        var response: Response
        var reason: String
    }

    private func answer(_ request: Request, _ note: inout RequestLog.Entry) async throws -> Response {
        // The real server fails on a path that is not ASCII; a clean answer says why.
        guard let path = request.path, path.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Refusal.badRequest("The path may hold ASCII characters only.")
        }
        guard let (candidates, captures) = routes.match(path) else {
            throw Stop(response: .notFound, reason: "no call has this path; mind the slash at the end")
        }
        note.call = candidates[0].name
        let header = AuthorizationHeader(request)
        let authorization = header.authorization
        // Nothing depends on what is found before the signature is verified.
        let lookup = try server.database.read { db in try Lookup(captures, authorization, at: server.now, in: db) }
        guard let route = candidates.first(where: { $0.methods.isEmpty || $0.methods.contains(request.method) }) else {
            let allowed = candidates.flatMap(\.methods)
            throw Stop(
                response: .methodNotAllowed(allowed),
                reason: "\(request.method) is not a method of this path; \(allowed.joined(separator: ", ")) is")
        }
        note.call = route.name
        if let authorization {
            try await verify(authorization, lookup.credentials, of: request)
        } else if let problem = header.problem {
            // Whether anybody may make the call or not: a header that cannot be read is a bad signature.
            throw Refusal.permissionDenied(why: problem)
        }
        let outcome = try await run(route, captures, request, authorization, lookup)
        note.reason = outcome.refusal?.reason ?? ""
        // The real server notes the path in a column when everything is done, and fails where it does not fit.
        guard path.unicodeScalars.count <= APIServer.longestPath else {
            note.reason = "the path is too long for the audit; the call was made all the same"
            return .internalError
        }
        return outcome.response
    }

    private static let longestPath = 200

    /// The Authorization header: absent, readable, or not.
    private struct AuthorizationHeader {
        var authorization: OAuthAuthorization?
        var problem: String?

        init(_ request: Request) {
            guard let header = request.header("Authorization") else { return }
            do {
                authorization = try OAuthAuthorization(parsing: header)
            } catch {
                problem = "\(error)"
            }
        }
    }

    /// What the URL and the Authorization header name.
    private struct Lookup: Sendable {
        var target: Call.Target
        var credentials: Credentials?

        init(
            _ captures: [String: String], _ authorization: OAuthAuthorization?, at now: Timestamp, in db: Database
        ) throws {
            target = try Call.Target(captures, in: db)
            credentials = try authorization.map { try Credentials($0, at: now, in: db) }
        }
    }

    private func verify(
        _ authorization: OAuthAuthorization, _ credentials: Credentials?, of request: Request
    ) async throws {
        let now = server.now
        let verifier = OAuthVerifier(
            secrets: credentials ?? Credentials(), nonces: server.nonces, policy: .indivo,
            clock: { Int(now.seconds) })
        do {
            _ = try await verifier.verify(authorization, of: OAuthRequest(request, authorization))
        } catch let refusal as OAuthRefusal {
            switch refusal {
            // A number, though none that can be good.
            case .malformedTimestamp where authorization["oauth_timestamp"].flatMap(PythonText.integer) != nil:
                throw Refusal.permissionDenied(why: "\(refusal)")
            // The real server fails on these three.
            case .unsupportedSignatureMethod, .malformedTimestamp, .nonceTooLong:
                throw Refusal.badRequest("\(refusal)")
            default:
                throw Refusal.permissionDenied(why: "\(refusal)")
            }
        }
    }

    /// What a call came to. A refusal is not thrown out of here: the call was made, and audits report it.
    private struct Outcome: Sendable {
        var response: Response
        var refusal: Refusal?
    }

    private func run(
        _ route: Route, _ captures: [String: String], _ request: Request, _ authorization: OAuthAuthorization?,
        _ lookup: Lookup
    ) async throws -> Outcome {
        let makeCall = { @Sendable (db: Database, lookup: Lookup) -> Call in
            Call(
                request: request, route: route, captures: captures, target: lookup.target,
                principal: lookup.credentials?.principal ?? .nobody, db: db, server: server, now: server.now,
                callback: authorization?.callback, verifier: authorization?.verifier)
        }
        do {
            var prepared: AccountRow?
            if let prepare = route.prepare {
                try server.database.read { db in
                    let call = makeCall(db, lookup)
                    if let why = try route.rule.refusal(of: call) { throw Refusal.permissionDenied(why: why) }
                }
                prepared = try await prepare(request, server)
            }
            if route.writes {
                return try await server.database.writer.write { [prepared] db in
                    try server.storingPending(in: db) {
                        // Looked up anew: what writes must find what it names as it is now.
                        let lookup = try Lookup(captures, authorization, at: server.now, in: db)
                        var call = makeCall(db, lookup)
                        call.prepared = prepared
                        let response = try answer(call)
                        try AuditRow(call, status: response.status).insert(db)
                        return Outcome(response: response)
                    }
                }
            }
            let (response, audit) = try server.database.read { db in
                let call = makeCall(db, lookup)
                let response = try answer(call)
                return (response, AuditRow(call, status: response.status))
            }
            try await record(audit)
            return Outcome(response: response)
        } catch let failure as CallFailure {
            try await record(failure.audit)
            guard let refusal = failure.underlying as? Refusal else { throw failure.underlying }
            return Outcome(response: refusal.response, refusal: refusal)
        }
    }

    private func record(_ audit: AuditRow) async throws {
        if server.audits.append(audit) {
            try await server.storePending()
        }
    }

    /// A handler's error, with the audit entry of the call.
    private struct CallFailure: Error {
        var underlying: any Error
        var audit: AuditRow
    }

    private func answer(_ call: Call) throws -> Response {
        if let why = try call.route.rule.refusal(of: call) { throw Refusal.permissionDenied(why: why) }
        do {
            // The real server's database refuses to look for it, whatever it is.
            guard !call.captures.values.contains(where: { $0.utf8.contains(0) }) else {
                throw Refusal.badRequest(ContentError.zeroByte)
            }
            return try call.route.handler(call)
        } catch {
            let status = (error as? Refusal)?.response.status ?? 500
            throw CallFailure(underlying: error, audit: AuditRow(call, status: status))
        }
    }
}

extension OAuthRequest {
    /// The request as it came. A body without a type counts as plain text, and only a form's or a hashed one is needed.
    fileprivate init(_ request: Request, _ authorization: OAuthAuthorization) {
        let type = request.header("Content-Type") ?? (request.body.isEmpty ? nil : "text/plain")
        let needsBody = authorization.bodyHash != nil || (type ?? "").lowercased().hasPrefix(FormParameters.contentType)
        self.init(
            method: request.method, scheme: "http", authority: request.header("Host") ?? "", path: request.rawPath,
            query: request.rawQuery.isEmpty ? nil : request.rawQuery, contentType: type,
            body: needsBody ? [UInt8](request.body) : nil)
    }
}
