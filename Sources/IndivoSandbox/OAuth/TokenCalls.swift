import Foundation
import GRDB
import IndivoModel
import OAuth1
import OrderedJSON

enum TokenCalls {
    static let routes: [Route] = [
        sessionCreate,
        .post("request_token", "/oauth/request_token", .anyUserApp, requestToken),
        .post("exchange_token", "/oauth/access_token", .requestToken, exchange),
        .get("request_token_info", "/oauth/internal/request_tokens/{requestToken}/info", .anyAccount, info),
        .post("request_token_claim", "/oauth/internal/request_tokens/{requestToken}/claim", .anyAccount) { call in
            guard case .account(let account) = call.principal else {
                throw Refusal.permissionDenied(why: "only an account can claim a request token")
            }
            try call.store.claim(call.requestToken, by: account)
            return .html(account.id)
        },
        .post("request_token_approve", "/oauth/internal/request_tokens/{requestToken}/approve", .approval, approve),
        .get("surl_verify", "/oauth/internal/surl-verify", .anyAccount, verifySignedURL),
        .get("app_record_list", "/apps/{app}/records/", .anyAutonomousApp) { call in
            guard let app = call.principal.app else { throw Refusal.notFound }
            let records = try RecordRow.fetchAll(
                call.db,
                sql: "SELECT record.* FROM record JOIN share ON share.record = record.id WHERE share.app = ? ORDER BY share.serial",
                arguments: [app.id])
            return .records(records)
        },
        .post("autonomous_access_token", "/apps/{app}/records/{record}/access_token", .ownAutonomousApp) { call in
            let record = try call.record.id
            let pair = try call.store.issueAccessToken(app: call.app.id, record: record)
            return .token(pair, [("xoauth_indivo_record_id", record)], type: FormParameters.contentType)
        },
        .post("record_pha_setup", "/records/{record}/apps/{app}/setup", .admin, setUp),
        .post("get_connect_credentials", "/accounts/{account}/apps/{app}/connect_credentials", .ownerAccount, connect),
    ]

    /// Logs an account in at a UI server. The password is checked before the transaction begins: that takes long.
    private static let sessionCreate: Route = {
        var route = Route.post("session_create", "/oauth/internal/session_create", .chrome) { call in
            guard let account = call.prepared else {
                throw Refusal.permissionDenied(why: "user name and password do not fit, or the account is closed")
            }
            try call.store.forgetAbandoned()
            let pair = TokenPair(call.server.identifiers)
            try SessionTokenRow(
                fingerprint: pair.fingerprint, secret: pair.concealedSecret, account: account.id,
                expiresAt: call.now.advanced(bySeconds: Store.lifetime)
            ).insert(call.db)
            return .token(pair, [("account_id", account.id)])
        }
        route.prepare = { request, server in
            guard let username = request.form["username"] else { throw Refusal.badRequest("No username provided") }
            return try await server.logIn(username, request.form["password"] ?? "")
        }
        return route
    }()

    private static func requestToken(_ call: Call) throws -> Response {
        guard let app = call.principal.app else { throw Refusal.notFound }
        let form = call.request.header("Content-Type") == FormParameters.contentType ? call.request.form : FormFields()
        let callbacks = [call.callback, form["oauth_callback"]].compactMap { $0 }
        guard callbacks.count == 1 else {
            throw Refusal.permissionDenied(
                why: callbacks.isEmpty
                    ? "the parameter oauth_callback is missing"
                    : "oauth_callback stands in the header and in the body; send it once")
        }
        guard callbacks[0] == "oob" || AppRow.isAddress(callbacks[0]) else {
            throw Refusal.badRequest("oauth_callback must be “oob” or an absolute URL in ASCII")
        }
        // Unknown ids are dropped without a word, as the real server does: the token is then bound to nothing.
        let record = try form["indivo_record_id"].flatMap { try RecordRow.find($0, in: call.db)?.id }
        let carenet = try form["indivo_carenet_id"].flatMap { try CarenetRow.find($0, in: call.db)?.id }
        try call.store.forgetAbandoned()
        let pair = TokenPair(call.server.identifiers)
        try RequestTokenRow(
            fingerprint: pair.fingerprint, secret: pair.concealedSecret, app: app.id, callback: callbacks[0],
            record: record, carenet: carenet, createdAt: call.now
        ).insert(call.db)
        return .token(pair, [("xoauth_indivo_carenet_id", carenet)])
    }

    private static func exchange(_ call: Call) throws -> Response {
        guard case .requestToken(let row, _, _) = call.principal else { throw Refusal.notFound }
        let verifier = call.verifier ?? call.request.form["oauth_verifier"] ?? ""
        guard let account = row.account, let fingerprint = row.verifier else {
            throw Refusal.permissionDenied(why: "the request token is not approved yet")
        }
        guard Secrets.areEqual(fingerprint, Secrets.fingerprint(verifier)) else {
            throw Refusal.permissionDenied(why: "oauth_verifier is not the one of this request token")
        }
        let tokens = call.store
        try row.delete(call.db)
        let carenet = try row.carenet.flatMap { try CarenetRow.find($0, in: call.db) }
        let pair = try tokens.issueAccessToken(
            app: row.app, record: carenet?.record ?? row.record.orNotFound(), carenet: carenet?.id, account: account)
        return .token(
            pair,
            [("xoauth_indivo_carenet_id", row.carenet), ("xoauth_indivo_record_id", row.carenet == nil ? row.record : nil)])
    }

    private static func info(_ call: Call) throws -> Response {
        let token = try call.requestToken
        let app = try AppRow.find(token.app, in: call.db).orNotFound()
        let manifest = try JSONValue(parsing: app.manifest)
        let isKnown = try call.store.isEnabled(token)
        var markup: Markup = "<RequestToken token=\"\(call["requestToken"])\">"
        markup += token.record.map { "<record id=\"\($0)\"/>" } ?? "<record />"
        markup += token.carenet.map { "<carenet id=\"\($0)\"/>" } ?? "<carenet />"
        markup += "<kind>\(isKnown ? "same" : "new")</kind><App id=\"\(app.id)\"><name>\(app.name)</name>"
        markup += """
            <description>\(manifest["description"]?.string ?? "")</description>\
            <autonomous>\(app.isAutonomous ? "True" : "False")</autonomous>
            """
        if let reason = manifest["autonomous_reason"]?.string {
            markup += "<autonomousReason>\(reason)</autonomousReason>"
        }
        markup += """
            <frameable>\(manifest["frameable"]?.boolean == true ? "True" : "False")</frameable>\
            <ui>\(manifest["has_ui"]?.boolean == true ? "True" : "False")</ui></App>\
            <Permissions></Permissions></RequestToken>

            """
        return .xml(markup, declaration: false)
    }

    private static func approve(_ call: Call) throws -> Response {
        guard case .account(let account) = call.principal else { throw Refusal.notFound }
        let token = try call.requestToken
        let form = call.request.form
        // What is approved must be what the app asked for.
        let isSame =
            token.carenet == nil
            ? form["record_id"] != nil && form["record_id"] == token.record
            : form["carenet_id"] == token.carenet
        guard isSame else {
            throw Refusal.permissionDenied(why: "the request token is bound to another record or carenet, or to none")
        }
        let location = try call.store.approve(token, called: call["requestToken"], by: account)
        return .html(FormFields.encode([("location", location)]))
    }

    private static func setUp(_ call: Call) throws -> Response {
        let app = try call.app
        let record = try call.record
        try record.enable(app.id, in: call.db)
        if !call.request.body.isEmpty {
            _ = try call.createDocument(in: DocumentScope(record: record.id, app: app.id), externalId: "SETUP")
        }
        let pair = try call.store.issueAccessToken(app: app.id, record: record.id, account: record.owner)
        return .token(pair, [("xoauth_indivo_record_id", record.id)], type: FormParameters.contentType)
    }

    private static func connect(_ call: Call) throws -> Response {
        let form = call.request.form
        let account = try call.account
        let app = try call.app
        let record: RecordRow
        var carenet: CarenetRow?
        if let id = form["carenet_id"] {
            let found = try CarenetRow.find(id, in: call.db).orNotFound()
            guard try found.hasAccount(account.id, in: call.db), try found.hasApp(app.id, in: call.db) else {
                throw Refusal.permissionDenied(why: "the app is not in the carenet, or the account is not")
            }
            record = try RecordRow.find(found.record, in: call.db).orNotFound()
            carenet = found
        } else {
            record = try form["record_id"].flatMap { try RecordRow.find($0, in: call.db) }.orNotFound()
            guard try record.hasApp(app.id, in: call.db), try record.isOwnedOrShared(by: account.id, in: call.db) else {
                throw Refusal.permissionDenied(why: "the app is not enabled on the record")
            }
        }
        let credentials = try call.store.connect(app, record: record, carenet: carenet, account: account)
        return .xml(
            """

            <ConnectCredentials>
              <App id="\(app.id)" />
              <ConnectToken>\(credentials.connect.token)</ConnectToken>
              <ConnectSecret>\(credentials.connect.secret)</ConnectSecret>
              <APIBase>\(call.server.apiBase)</APIBase>
              <RESTToken>\(credentials.rest.token)</RESTToken>
              <RESTSecret>\(credentials.rest.secret)</RESTSecret>
              <OAuthHeader>\(credentials.header)</OAuthHeader>
              <ExpiresAt>\(credentials.expiresAt.text)</ExpiresAt>
            </ConnectCredentials>
            """)
    }

    /// Checks a signed URL. The server would need the secret of the token in it, which it has only concealed: the token
    /// itself is in the URL, so it can.
    private static func verifySignedURL(_ call: Call) throws -> Response {
        func answer(_ result: Markup) -> Response { .xml("<result>\(result)</result>", declaration: false) }
        guard let url = call.request.query["url"], let question = url.firstIndex(of: "?") else { return answer("mismatch") }
        let fields = FormFields(parsing: String(url[url.index(after: question)...]))
        guard let stamp = fields["surl_timestamp"], let time = IndivoDate.parseDateTime(stamp),
            let name = fields["surl_token"], let signature = fields["surl_sig"],
            let cut = url.range(of: "&surl_sig=")
        else { return answer("mismatch") }
        guard call.now.rawValue - time.rawValue <= 3_600_000_000 else { return answer("old") }
        guard let token = try AccessTokenRow.find(name, in: call.db) else { return answer("mismatch") }
        let scheme = url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let path = scheme.firstIndex(of: "/").map { scheme[$0..<cut.lowerBound] } ?? url[..<cut.lowerBound]
        let secret = try HMACSHA1.signature(of: Array("SURL-SECRET".utf8), key: Array(token.secret(for: name).utf8))
        let expected = try HMACSHA1.signature(of: Array(path.utf8), key: Array(secret.utf8))
        return answer(Secrets.areEqual(expected, signature) ? "ok" : "mismatch")
    }
}

extension Response {
    /// A token, with what else is known of it.
    fileprivate static func token(_ pair: TokenPair, _ more: [(String, String?)], type: String = "text/plain") -> Response {
        let fields = [("oauth_token_secret", pair.secret), ("oauth_token", pair.token)]
        return Response(type: type, text: FormFields.encode(fields + more.compactMap { name, value in value.map { (name, $0) } }))
    }
}
