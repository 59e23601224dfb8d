import Foundation
import GRDB
import OAuth1

extension Store {
    /// For so many seconds a token is said to live. As on the real server nothing ends it then but a
    /// clean-up.
    static let lifetime: Int64 = 1800

    /// An autonomous app's token stands for the app alone, whoever allowed it, and has no end.
    func issueAccessToken(app: String, record: String, carenet: String? = nil, account: String? = nil) throws
        -> TokenPair
    {
        let account = try AppRow.find(app, in: db)?.isAutonomous == true ? nil : account
        let pair = server.identifiers.tokenPair()
        try AccessTokenRow(
            fingerprint: pair.fingerprint,
            secret: pair.concealedSecret,
            app: app,
            record: record,
            carenet: carenet,
            account: account,
            createdAt: now,
            expiresAt: account.map { _ in now.advanced(bySeconds: Store.lifetime) }
        ).insert(db)
        return pair
    }

    /// Deletes sessions that are over, and request tokens a day old.
    func forgetAbandoned() throws {
        try db.execute(sql: "DELETE FROM sessionToken WHERE expiresAt <= ?", arguments: [now])
        try db.execute(
            sql: "DELETE FROM requestToken WHERE createdAt <= ?",
            arguments: [now.advanced(bySeconds: -86_400)]
        )
    }

    func claim(_ token: RequestTokenRow, by account: AccountRow) throws {
        let isFree = token.account == nil || token.account == account.id
        try require(isFree, .permissionDenied(why: "another account has claimed the request token"))
        try db.execute(
            sql: "UPDATE requestToken SET account = ? WHERE fingerprint = ?",
            arguments: [account.id, token.fingerprint]
        )
    }

    /// Whether the app of a request token works on its record or carenet already.
    func isEnabled(_ token: RequestTokenRow) throws -> Bool {
        if let carenet = try CarenetRow.find(token.carenet, in: db) {
            return try carenet.hasApp(token.app, in: db)
        }
        return try RecordRow.find(token.record, in: db)?.hasApp(token.app, in: db) ?? false
    }

    /// Enables the app, makes the verifier, and says where the browser goes next.
    func approve(_ token: RequestTokenRow, called name: String, by account: AccountRow) throws -> String {
        if token.carenet == nil { try RecordRow.find(token.record, in: db)?.enable(token.app, in: db) }
        let verifier = server.identifiers.token()
        try db.execute(
            sql: "UPDATE requestToken SET account = ?, verifier = ? WHERE fingerprint = ?",
            arguments: [account.id, Secrets.fingerprint(verifier), token.fingerprint]
        )
        let app = try AppRow.find(token.app, in: db).orNotFound()
        let callback = token.callback == "oob" ? app.callbackURL : token.callback
        // Always with a question mark, even after one.
        return callback + "?" + FormFields.encode([("oauth_token", name), ("oauth_verifier", verifier)])
    }

    struct ConnectCredentials {
        var connect, rest: TokenPair
        var startURL: String
        /// A whole Authorization header, by which the app's page can verify the token in it.
        var header: String
        var expiresAt: Timestamp

        /// Where the app starts, with the header: blanks and quotation marks escaped as by the real UI
        /// server, its own escapes not.
        var location: String {
            let escaped = header.replacing(" ", with: "%20").replacing("\"", with: "%22")
            return startURL + (startURL.contains("?") ? "&" : "?") + "oauth_header=" + escaped
        }
    }

    /// Credentials for an app that a UI server is about to open: an access token, and a connect token
    /// standing for it.
    func connect(_ app: AppRow, record: RecordRow, carenet: CarenetRow?, account: AccountRow) throws
        -> ConnectCredentials
    {
        let rest = try issueAccessToken(
            app: app.id,
            record: record.id,
            carenet: carenet?.id,
            account: account.id
        )
        let connect = server.identifiers.tokenPair()
        let row = ConnectTokenRow(
            fingerprint: connect.fingerprint,
            secret: connect.concealedSecret,
            accessToken: rest.fingerprint
        )
        try row.insert(db)
        let startURL = app.startURL.replacing("{record_id}", with: carenet == nil ? record.id : "")
            .replacing("{carenet_id}", with: carenet?.id ?? "")
        return ConnectCredentials(
            connect: connect,
            rest: rest,
            startURL: startURL,
            header: try header(startURL, app, rest, record: record.id, account: account.id),
            expiresAt: now.advanced(bySeconds: Store.lifetime)
        )
    }

    private func header(
        _ startURL: String,
        _ app: AppRow,
        _ token: TokenPair,
        record: String,
        account: String
    ) throws -> String {
        let parts = URLComponents(string: startURL)
        // As the real server signs it: over the start URL without its query.
        let authority = (parts?.host ?? "") + (parts?.port.map { ":\($0)" } ?? "")
        let request = OAuthRequest(
            method: "GET",
            scheme: parts?.scheme ?? "http",
            authority: authority,
            path: parts?.percentEncodedPath ?? ""
        )
        var parameters: FormParameters = [
            "oauth_consumer_key": app.consumerKey, "oauth_signature_method": OAuthSigner.signatureMethod,
            "oauth_timestamp": String(now.seconds), "oauth_nonce": OAuthSigner.randomNonce(),
            "oauth_version": "1.0",
            "smart_container_api_base": server.apiBase, "smart_oauth_token": token.token,
            "smart_oauth_token_secret": token.secret,
            "smart_user_id": account, "smart_app_id": app.id, "smart_record_id": record,
        ]
        let signature = try OAuthSigner.signature(
            request: request,
            authorization: OAuthAuthorization(parameters: parameters),
            credentials: OAuthCredentials(
                consumer: OAuthConsumer(key: app.consumerKey, secret: Secret(app.consumerSecret))
            )
        )
        parameters.append(name: "oauth_signature", value: signature)
        return OAuthAuthorization(parameters: parameters, realm: "").headerValue
    }
}
