import GRDB
import IndivoBase
import WebServing

enum AccountCalls {
    static let routes: [Route] =
        [
            .post("account_create", "/accounts/", .admin) { call in
                let form = call.request.form
                guard let id = form["account_id"], id.contains("@") else {
                    throw Refusal.badRequest("Account ID not valid")
                }
                try require(
                    AccountRow.find(id, in: call.db) == nil,
                    .badRequest("An account with email address \(id) already exists.")
                )
                let account = AccountRow(
                    id: id,
                    fullName: form["full_name"] ?? "",
                    contactEmail: form["contact_email"] ?? id,
                    state: "uninitialized",
                    createdAt: call.now,
                    stateChangedAt: call.now,
                    primarySecret: form["primary_secret_p"] ?? "1" == "1" ? Secrets.token() : nil,
                    secondarySecret: form["secondary_secret_p"] == "1" ? Secrets.digits(6) : nil
                )
                try account.insert(call.db)
                return .xml(account.markup())
            },
            .get("account_search", "/accounts/search", .admin) { call in
                let name = call.request.query["fullname"]
                let email = call.request.query["contact_email"]
                try require(name != nil || email != nil, .badRequest("No search criteria given"))
                let accounts = try AccountRow.all(
                    """
                    WHERE instr(lower(fullName), lower(?)) > 0 OR instr(lower(contactEmail), lower(?)) > 0
                    ORDER BY id
                    """,
                    [name, email],
                    in: call.db
                )
                return .xml("<Accounts>\(accounts.map { $0.markup() })</Accounts>")
            },
        ]
        + Route.below(
            "/accounts/{account}",
            [
                .get("account_info", "", .adminOrOwnerAccount) { call in
                    let logins = try LoginRow.all(
                        "WHERE account = ? ORDER BY username",
                        [call.account.id],
                        in: call.db
                    )
                    return .xml(try call.account.markup(logins: logins.map(\.username)))
                },
                .get("record_list", "/records/", .adminOrOwnerAccount) { call in
                    _ = try ListArguments(call.request.query)
                    let records = try ReachableRecord.all(of: call.account.id, in: call.db)
                    return .xml("<Records>\(records.map(\.markup))</Records>")
                },
                .get("account_permissions", "/permissions/", .ownerAccount) { call in
                    let account = try call.account.id
                    let own = """
                        WHERE record IN (SELECT id FROM record WHERE owner = ?)
                            OR id IN (SELECT carenet FROM carenetAccount WHERE account = ?)
                        ORDER BY serial
                        """
                    return .carenets(try CarenetRow.all(own, [account, account], in: call.db), record: "")
                },
                .post("account_info_set", "/info-set", .adminOrOwnerAccount) { call in
                    let form = call.request.form
                    try require(form["contact_email"] != nil || form["full_name"] != nil, .badRequest())
                    return try call.execute(
                        """
                        UPDATE account
                        SET contactEmail = ifnull(?, contactEmail), fullName = ifnull(?, fullName)
                        WHERE id = ?
                        """,
                        [form["contact_email"], form["full_name"], call.account.id]
                    )
                },
                .post("account_set_state", "/set-state", .admin) { call in
                    let state = call.request.form["state"] ?? ""
                    try require(["active", "disabled", "retired"].contains(state), .badRequest())
                    try require(
                        call.account.state != "retired",
                        .permissionDenied(why: "the account is retired, and stays so")
                    )
                    try call.account.setState(state, at: call.now, in: call.db)
                    return .ok
                },
                .post("account_authsystem_add", "/authsystems/", .admin) { call in
                    let form = call.request.form
                    let account = try call.account
                    let system = try form["system"].orThrow(.badRequest("System and username required"))
                    let username = try form.required("username", "System and username required")
                    try require(
                        system == "password",
                        .permissionDenied(why: "the sandbox knows the authentication system “password” only")
                    )
                    try require(
                        LoginRow.find(username, in: call.db) == nil,
                        .badRequest("Account already exists")
                    )
                    let hash = try form["password"].map { try PasswordHash(of: $0).text }
                    try LoginRow(username: username, account: account.id, password: hash).insert(call.db)
                    // An account that can log in is in use.
                    if hash != nil, account.state == "uninitialized" {
                        try account.setState("active", at: call.now, in: call.db)
                    }
                    return .ok
                },
                .post("account_password_change", "/authsystems/password/change", .ownerAccount) { call in
                    let form = call.request.form
                    let old = try form["old"].orThrow(.badRequest())
                    let new = try form.required("new")
                    let hashes = try LoginRow.all("WHERE account = ?", [call.account.id], in: call.db)
                        .compactMap(\.password)
                    let isKnown = hashes.contains { PasswordHash(text: $0).matches(old) }
                    try require(isKnown, .permissionDenied(why: "the old password is another"))
                    try call.account.setPassword(new, in: call.db)
                    return .ok
                },
                .post("account_password_set", "/authsystems/password/set", .admin) { call in
                    try call.account.setPassword(call.request.form.required("password"), in: call.db)
                    return .ok
                },
                .post("account_username_set", "/authsystems/password/set-username", .adminOrOwnerAccount) {
                    call in
                    let username = try call.request.form.required("username")
                    let account = try call.account.id
                    let taken =
                        try LoginRow.find(username, in: call.db).map { $0.account != account } ?? false
                    try require(!taken, .badRequest("Username is already in use"))
                    return try call.execute(
                        "UPDATE login SET username = ? WHERE account = ?",
                        [username, account]
                    )
                },
                .get("account_check_secrets", "/check-secrets/{secret}", .admin) {
                    try check($0["secret"], $0.request.query["secondary_secret"], of: $0.account)
                },
                .post("account_initialize", "/initialize/{secret}", .chrome) { call in
                    let account = try call.account
                    try require(account.state == "uninitialized", .badRequest())
                    _ = try check(call["secret"], call.request.form["secondary_secret"], of: account)
                    try account.setState("active", at: call.now, in: call.db)
                    return .ok
                },
                .post("account_forgot_password", "/forgot-password", .admin) { call in
                    _ = try reset(call)
                    return .html(secret(try call.account.secondarySecret).description)
                },
                .get("account_primary_secret", "/primary-secret", .admin) {
                    .xml(secret(try $0.account.primarySecret))
                },
                .get("account_secret", "/secret", .admin) { .xml(secret(try $0.account.secondarySecret)) },
                // The sandbox sends no mail: there is nobody to resend a secret to.
                .post("account_resend_secret", "/secret-resend", .admin) { _ in .ok },
                .post("account_reset", "/reset", .admin, reset),
            ]
        )

    private static func reset(_ call: Call) throws -> Response {
        try call.execute(
            "UPDATE account SET state = 'uninitialized', primarySecret = ?, stateChangedAt = ? WHERE id = ?",
            [Secrets.token(), call.now, call.account.id]
        )
    }

    private static func secret(_ text: String?) -> Markup { "<secret>\(text ?? "")</secret>" }

    private static func check(_ primary: String, _ secondary: String?, of account: AccountRow) throws
        -> Response
    {
        let isFirst = account.primarySecret.map { constantTimeEqual($0, primary) } ?? false
        let isSecond = account.secondarySecret.map { constantTimeEqual($0, secondary ?? "") } ?? true
        try require(isFirst && isSecond, .permissionDenied(why: "the account's secrets are others"))
        return .ok
    }
}
