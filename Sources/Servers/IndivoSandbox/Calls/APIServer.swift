import Foundation
import GRDB
import IndivoBase
import OAuth1

/// Checks as the real server does, in its order: path and ids in the URL (404), method (405), signature and
/// access rule (403).
struct APIServer: Sendable {
    static let allRoutes: [Route] = [
        PublicCalls.routes, TokenCalls.routes, AccountCalls.routes, RecordCalls.routes, DocumentCalls.routes,
        RelationCalls.routes, AppStorageCalls.routes, DemographicsCalls.routes, MessageCalls.routes,
        CarenetCalls.routes,
        AuditCalls.routes, GenericReportCalls.routes, MinimalReportCalls.routes, CCRCalls.routes,
        SMARTCalls.routes,
    ].flatMap { $0 }

    private let server: ServerContext
    private let routes: RouteTree<Route>

    init(_ server: ServerContext) {
        self.server = server
        routes = APIServer.allRoutes.reduce(into: RouteTree()) { $0.insert($1, at: $1.path) }
    }

    func answer(_ request: Request) async -> Response {
        var note = RequestLog.Entry(at: server.now, method: request.method, path: request.rawPath)
        let response: Response
        do {
            response = try await answer(request, &note)
        } catch let refusal as Refusal {
            response = refusal.response
            note.reason = refusal.reason
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

    private func answer(_ request: Request, _ note: inout RequestLog.Entry) async throws -> Response {
        guard let path = request.path, path.isASCII else {
            throw Refusal.serverFails(why: "the path holds more than ASCII")
        }
        let unknown = Refusal(response: .notFound, reason: "no call has this path; mind the slash at the end")
        let (candidates, captures) = try routes.match(path).orThrow(unknown)
        note.call = candidates[0].name
        let header = Result {
            try request.header("Authorization").map { try OAuthAuthorization(parsing: $0) }
        }
        let authorization = try? header.get()
        // Nothing depends on what is found before the signature is verified.
        let target = try server.database.readHere { db in
            try Call.Target(captures, authorization, at: server.now, in: db)
        }
        guard
            let route = candidates.first(where: { $0.methods.isEmpty || $0.methods.contains(request.method) })
        else {
            let allowed = candidates.flatMap(\.methods).joined(separator: ", ")
            throw Refusal(
                response: .html("", status: 405).adding("Allow", allowed),
                reason: "\(request.method) is not a method of this path; \(allowed) is"
            )
        }
        note.call = route.name
        if let authorization {
            try await verify(authorization, target.credentials, of: request)
        } else if case .failure(let problem) = header {
            // Whether anybody may make the call or not: a header that cannot be read is a bad signature.
            throw Refusal.permissionDenied(why: "\(problem)")
        }
        let result = try await run(route, captures, request, authorization, target)
        // The real server notes the path in a column of 200 when everything is done, and fails where it does
        // not fit.
        let tooLong = "the path is too long for the audit; the call was made all the same"
        try require(path.unicodeScalars.count <= 200, Refusal(response: .internalError, reason: tooLong))
        return try result.get()
    }

    private func verify(_ authorization: OAuthAuthorization, _ credentials: Credentials?, of request: Request)
        async throws
    {
        let now = server.now
        let verifier = OAuthVerifier(
            secrets: credentials ?? Credentials(),
            nonces: server.nonces,
            policy: .indivo,
            clock: { Int(now.seconds) }
        )
        do {
            _ = try await verifier.verify(authorization, of: OAuthRequest(request, authorization))
        } catch let refusal as OAuthRefusal {
            let isNumber = authorization["oauth_timestamp"].flatMap(PythonText.integer) != nil
            switch refusal {
            // Not a timestamp that is a number, though none that can be good.
            case .malformedTimestamp where !isNumber, .unsupportedSignatureMethod, .nonceTooLong:
                throw Refusal.serverFails(why: "\(refusal)")
            default: throw Refusal.permissionDenied(why: "\(refusal)")
            }
        }
    }

    /// What came of the call once it is made; throws ``Refusal`` for one that its rule refuses, and any error
    /// that is not a refusal.
    private func run(
        _ route: Route,
        _ captures: [String: String],
        _ request: Request,
        _ authorization: OAuthAuthorization?,
        _ target: Call.Target
    ) async throws -> Result<Response, Refusal> {
        let makeCall = { @Sendable (db: Database, target: Call.Target, prepared: AccountRow?) in
            Call(
                request: request,
                route: route,
                captures: captures,
                authorization: authorization,
                target: target,
                db: db,
                server: server,
                now: server.now,
                prepared: prepared
            )
        }
        do {
            var prepared: AccountRow?
            if let prepare = route.prepare {
                try server.database.readHere { db in try route.rule.check(makeCall(db, target, nil)) }
                prepared = try await prepare(request, server)
            }
            if route.writes {
                let response = try await server.database.write { [prepared] db in
                    try server.storingPending(in: db) {
                        // Looked up anew: what writes must find what it names as it is now.
                        let found = try Call.Target(captures, authorization, at: server.now, in: db)
                        let (response, audit) = try answer(makeCall(db, found, prepared))
                        try audit.insert(db)
                        return response
                    }
                }
                return .success(response)
            }
            let (response, audit) = try server.database.readHere { db in try answer(makeCall(db, target, nil))
            }
            try await record(audit)
            return .success(response)
        } catch let failure as CallFailure {
            try await record(failure.audit)
            guard let refusal = failure.underlying as? Refusal else { throw failure.underlying }
            return .failure(refusal)
        }
    }

    private func record(_ audit: AuditRow) async throws {
        if server.audits.append(audit) >= AuditRow.batch { try await server.storePending() }
    }

    /// A handler's error, with the audit entry of the call, which was made.
    private struct CallFailure: Error {
        var underlying: any Error
        var audit: AuditRow
    }

    private func answer(_ call: Call) throws -> (Response, AuditRow) {
        try call.route.rule.check(call)
        do {
            // The real server's database refuses to look for it, whatever it is.
            if call.captures.values.contains(where: \.hasZeroByte) { throw ContentError.zeroByte }
            let response = try call.route.handler(call)
            return (response, AuditRow(call, status: response.status))
        } catch {
            let underlying = (error as? ContentError).map { Refusal.badRequest($0.sentence) } ?? error
            let status = (underlying as? Refusal)?.response.status ?? 500
            throw CallFailure(underlying: underlying, audit: AuditRow(call, status: status))
        }
    }
}

extension OAuthRequest {
    /// The request as it came. A body without a type counts as plain text, and only a form's or a hashed one
    /// is needed.
    fileprivate init(_ request: Request, _ authorization: OAuthAuthorization) {
        let type = request.header("Content-Type") ?? (request.body.isEmpty ? nil : "text/plain")
        let needsBody =
            authorization.bodyHash != nil || (type ?? "").lowercased().hasPrefix(FormParameters.contentType)
        self.init(
            method: request.method,
            scheme: "http",
            authority: request.header("Host") ?? "",
            path: request.rawPath,
            query: request.rawQuery.isEmpty ? nil : request.rawQuery,
            contentType: type,
            body: needsBody ? [UInt8](request.body) : nil
        )
    }
}
