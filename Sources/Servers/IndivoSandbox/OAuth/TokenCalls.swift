import Foundation
import GRDB
import IndivoBase
import IndivoModel
import OAuth1
import OrderedJSON

enum TokenCalls {
    static let routes: [Route] = [
        // Begins an account's session at a UI server.
        Route(["POST"], "session_create", "/oauth/internal/session_create", .chrome, prepare: logIn) { call in
            let why = "user name and password do not fit, or the account is closed"
            let account = try call.prepared.orThrow(.permissionDenied(why: why)).id
            try call.store.forgetAbandoned()
            let pair = call.server.identifiers.tokenPair()
            try SessionTokenRow(
                fingerprint: pair.fingerprint,
                secret: pair.concealedSecret,
                account: account,
                expiresAt: call.now.advanced(bySeconds: Store.lifetime)
            ).insert(call.db)
            return .token(pair, [("account_id", account)])
        },
        .post("request_token", "/oauth/request_token", .anyUserApp, requestToken),
        .post("exchange_token", "/oauth/access_token", .requestToken, exchange),
        .get("request_token_info", "/oauth/internal/request_tokens/{requestToken}/info", .anyAccount, info),
        .post("request_token_claim", "/oauth/internal/request_tokens/{requestToken}/claim", .anyAccount) {
            call in
            let account = try call.principal.account.orThrow(
                .permissionDenied(why: "only an account can claim a request token")
            )
            try call.store.claim(call.requestToken, by: account)
            return .html(account.id)
        },
        .post("request_token_approve", "/oauth/internal/request_tokens/{requestToken}/approve", .approval) {
            call in
            let account = try call.principal.account.orNotFound()
            let token = try call.requestToken
            let form = call.request.form
            // What is approved must be what the app asked for.
            let (asked, approved) =
                token.carenet == nil ? (token.record, form["record_id"]) : (token.carenet, form["carenet_id"])
            let why = "the request token is bound to another record or carenet, or to none"
            try require(approved != nil && approved == asked, .permissionDenied(why: why))
            let location = try call.store.approve(token, called: call["requestToken"], by: account)
            return .html(FormFields.encode([("location", location)]))
        },
        .get("surl_verify", "/oauth/internal/surl-verify", .anyAccount, verifySignedURL),
        .get("app_record_list", "/apps/{app}/records/", .anyAutonomousApp) { call in
            let rest = "JOIN share ON share.record = record.id WHERE share.app = ? ORDER BY share.serial"
            return .records(try RecordRow.all(rest, [call.principal.app.orNotFound().id], in: call.db))
        },
        .post("autonomous_access_token", "/apps/{app}/records/{record}/access_token", .ownAutonomousApp) {
            call in
            let record = try call.record.id
            let pair = try call.store.issueAccessToken(app: call.app.id, record: record)
            return .token(pair, [("xoauth_indivo_record_id", record)], type: FormParameters.contentType)
        },
        .post("record_pha_setup", "/records/{record}/apps/{app}/setup", .admin) { call in
            let app = try call.app
            let record = try call.record
            try record.enable(app.id, in: call.db)
            if !call.request.body.isEmpty {
                _ = try call.createDocument(
                    in: DocumentScope(record: record.id, app: app.id),
                    externalId: "SETUP"
                )
            }
            // The token is for no account: with it, an app that is not autonomous reaches what it has stored
            // itself, and nothing of the record.
            let pair = try call.store.issueAccessToken(app: app.id, record: record.id)
            return .token(pair, [("xoauth_indivo_record_id", record.id)], type: FormParameters.contentType)
        },
        .post(
            "get_connect_credentials",
            "/accounts/{account}/apps/{app}/connect_credentials",
            .ownerAccount,
            connect
        ),
    ]

    /// The account that logs in. The password is checked before the transaction begins, since that takes
    /// long.
    private static func logIn(_ request: Request, _ server: ServerContext) async throws -> AccountRow? {
        let username = try request.form["username"].orThrow(.badRequest("No username provided"))
        return try await server.logIn(username, request.form["password"] ?? "")
    }

    private static func requestToken(_ call: Call) throws -> Response {
        let app = try call.principal.app.orNotFound()
        let form =
            call.request.header("Content-Type") == FormParameters.contentType
            ? call.request.form : FormFields()
        let callbacks = [call.authorization?.callback, form["oauth_callback"]].compactMap { $0 }
        let callback = try callbacks.first.orThrow(
            .permissionDenied(why: "the parameter oauth_callback is missing")
        )
        let why = "oauth_callback stands in the header and in the body; send it once"
        try require(callbacks.count == 1, .permissionDenied(why: why))
        let isAddress = callback == "oob" || AppRow.isAddress(callback)
        try require(isAddress, .badRequest("oauth_callback must be “oob” or an absolute URL in ASCII"))
        // An unknown id is ignored silently, as on the real server: the token is then not bound to a record.
        let record = try RecordRow.find(form["indivo_record_id"], in: call.db)?.id
        let carenet = try CarenetRow.find(form["indivo_carenet_id"], in: call.db)?.id
        try call.store.forgetAbandoned()
        let pair = call.server.identifiers.tokenPair()
        try RequestTokenRow(
            fingerprint: pair.fingerprint,
            secret: pair.concealedSecret,
            app: app.id,
            callback: callback,
            record: record,
            carenet: carenet,
            createdAt: call.now
        ).insert(call.db)
        return .token(pair, [("xoauth_indivo_carenet_id", carenet)])
    }

    private static func exchange(_ call: Call) throws -> Response {
        guard case .requestToken(let row, _) = call.principal else { throw Refusal.notFound }
        let verifier = call.authorization?.verifier ?? call.request.form["oauth_verifier"] ?? ""
        let unapproved = Refusal.permissionDenied(why: "the request token is not approved yet")
        guard let account = row.account, let fingerprint = row.verifier else { throw unapproved }
        let isSame = constantTimeEqual(fingerprint, Secrets.fingerprint(verifier))
        try require(isSame, .permissionDenied(why: "oauth_verifier is not the one of this request token"))
        try row.delete(call.db)
        let carenet = try CarenetRow.find(row.carenet, in: call.db)
        let pair = try call.store.issueAccessToken(
            app: row.app,
            record: carenet?.record ?? row.record.orNotFound(),
            carenet: carenet?.id,
            account: account
        )
        let name = row.carenet == nil ? "xoauth_indivo_record_id" : "xoauth_indivo_carenet_id"
        return .token(pair, [(name, row.carenet ?? row.record)])
    }

    private static func info(_ call: Call) throws -> Response {
        let token = try call.requestToken
        let app = try AppRow.find(token.app, in: call.db).orNotFound()
        let manifest = try JSONValue(parsing: app.manifest)
        let kind = try call.store.isEnabled(token) ? "same" : "new"
        func word(_ value: Bool?) -> String { value == true ? "True" : "False" }
        let record: Markup = token.record.map { "<record id=\"\($0)\"/>" } ?? "<record />"
        let carenet: Markup = token.carenet.map { "<carenet id=\"\($0)\"/>" } ?? "<carenet />"
        return .xml(
            """
            <RequestToken token="\(call["requestToken"])">\(record)\(carenet)<kind>\(kind)</kind>\
            <App id="\(app.id)"><name>\(app.name)</name>\
            <description>\(manifest["description"]?.string ?? "")</description>\
            <autonomous>\(word(app.isAutonomous))</autonomous>\
            \(manifest["autonomous_reason"]?.string.map { "<autonomousReason>\($0)</autonomousReason>" })\
            <frameable>\(word(manifest["frameable"]?.boolean))</frameable>\
            <ui>\(word(manifest["has_ui"]?.boolean))</ui></App>\
            <Permissions></Permissions></RequestToken>

            """,
            declaration: false
        )
    }

    private static func connect(_ call: Call) throws -> Response {
        let form = call.request.form
        let account = try call.account
        let app = try call.app
        let carenet = try form["carenet_id"].map { try CarenetRow.find($0, in: call.db).orNotFound() }
        let record = try RecordRow.find(carenet?.record ?? form["record_id"], in: call.db).orNotFound()
        let isAllowed =
            try carenet.map { try $0.hasAccount(account.id, in: call.db) && $0.hasApp(app.id, in: call.db) }
            ?? (record.hasApp(app.id, in: call.db) && record.isOwnedOrShared(by: account.id, in: call.db))
        let why =
            carenet == nil
            ? "the app is not enabled on the record" : "the app is not in the carenet, or the account is not"
        try require(isAllowed, .permissionDenied(why: why))
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
            """
        )
    }

    /// Checks a signed URL: the secret of its token is concealed, but the token itself is in the URL.
    private static func verifySignedURL(_ call: Call) throws -> Response {
        func answer(_ result: Markup) -> Response { .xml("<result>\(result)</result>", declaration: false) }
        guard let url = call.request.query["url"], let question = url.firstIndex(of: "?") else {
            return answer("mismatch")
        }
        let fields = FormFields(parsing: String(url[url.index(after: question)...]))
        guard let stamp = fields["surl_timestamp"], let time = IndivoDate.parseDateTime(stamp),
            let name = fields["surl_token"], let signature = fields["surl_sig"],
            let cut = url.range(of: "&surl_sig=")
        else { return answer("mismatch") }
        guard call.now.rawValue - time.rawValue <= 3_600_000_000 else { return answer("old") }
        guard let token = try AccessTokenRow.find(name, in: call.db) else { return answer("mismatch") }
        let signed = url[..<cut.lowerBound]
        let rest = signed.range(of: "://").map { signed[$0.upperBound...] } ?? signed
        let path = rest.firstIndex(of: "/").map { rest[$0...] } ?? signed
        let secret = try HMACSHA1.signature(
            of: Array("SURL-SECRET".utf8),
            key: Array(token.secret(for: name).utf8)
        )
        let expected = try HMACSHA1.signature(of: Array(path.utf8), key: Array(secret.utf8))
        return answer(constantTimeEqual(expected, signature) ? "ok" : "mismatch")
    }
}

extension Response {
    /// A token, with what else is known of it.
    fileprivate static func token(_ pair: TokenPair, _ more: [(String, String?)], type: String = "text/plain")
        -> Response
    {
        let fields = [("oauth_token_secret", pair.secret), ("oauth_token", pair.token)]
        return Response(
            type: type,
            text: FormFields.encode(fields + more.compactMap { name, value in value.map { (name, $0) } })
        )
    }
}
