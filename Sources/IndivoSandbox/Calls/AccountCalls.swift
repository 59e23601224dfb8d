import Foundation
import GRDB

enum AccountCalls {
    static let routes: [Route] = [
        .post("account_create", "/accounts/", .admin, create),
        .get("account_search", "/accounts/search", .admin, search),
        .get("account_info", "/accounts/{account}", .adminOrOwnerAccount) { call in
            .xml(try AccountMarkup(db: call.db).account(call.account, logins: true))
        },
        .get("record_list", "/accounts/{account}/records/", .adminOrOwnerAccount) { call in
            _ = try ListArguments(call.request.query)
            return .xml(try AccountMarkup(db: call.db).records(of: call.account.id))
        },
        .get("account_permissions", "/accounts/{account}/permissions/", .ownerAccount) { call in
            let carenets = try CarenetRow.fetchAll(
                call.db,
                sql: """
                    SELECT carenet.* FROM carenet JOIN carenetAccount ON carenetAccount.carenet = carenet.id
                    WHERE carenetAccount.account = ? ORDER BY carenet.serial
                    """,
                arguments: [call.account.id])
            return .carenets(carenets, record: "")
        },
        .post("account_info_set", "/accounts/{account}/info-set", .adminOrOwnerAccount, setInfo),
        .post("account_set_state", "/accounts/{account}/set-state", .admin, setState),
        .post("account_authsystem_add", "/accounts/{account}/authsystems/", .admin, addLogin),
        .post("account_password_change", "/accounts/{account}/authsystems/password/change", .ownerAccount, changePassword),
        .post("account_password_set", "/accounts/{account}/authsystems/password/set", .admin) { call in
            guard let password = call.request.form["password"], !password.isEmpty else { throw Refusal.badRequest("") }
            try AccountStore(db: call.db).setPassword(password, of: call.account.id)
            return .ok
        },
        .post("account_username_set", "/accounts/{account}/authsystems/password/set-username", .adminOrOwnerAccount, setUsername),
        .get("account_check_secrets", "/accounts/{account}/check-secrets/{secret}", .admin) { call in
            try check(call["secret"], call.request.query["secondary_secret"], of: call.account)
            return .ok
        },
        .post("account_initialize", "/accounts/{account}/initialize/{secret}", .chrome) { call in
            let account = try call.account
            guard account.state == "uninitialized" else { throw Refusal.badRequest("") }
            try check(call["secret"], call.request.form["secondary_secret"], of: account)
            try AccountStore(db: call.db).setState("active", of: account.id, at: call.now)
            return .ok
        },
        .post("account_forgot_password", "/accounts/{account}/forgot-password", .admin) { call in
            _ = try reset(call)
            return .html(secret(try call.account.secondarySecret).description)
        },
        .get("account_primary_secret", "/accounts/{account}/primary-secret", .admin) { call in
            .xml(secret(try call.account.primarySecret))
        },
        .get("account_secret", "/accounts/{account}/secret", .admin) { call in .xml(secret(try call.account.secondarySecret)) },
        // The sandbox sends no mail: there is nobody to resend a secret to.
        .post("account_resend_secret", "/accounts/{account}/secret-resend", .admin) { _ in .ok },
        .post("account_reset", "/accounts/{account}/reset", .admin, reset),
    ]

    private static func create(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let id = form["account_id"], id.contains("@") else { throw Refusal.badRequest("Account ID not valid") }
        guard try AccountRow.find(id, in: call.db) == nil else {
            throw Refusal.badRequest("An account with email address \(id) already exists.")
        }
        let account = AccountRow(
            id: id, fullName: form["full_name"] ?? "", contactEmail: form["contact_email"] ?? id,
            state: "uninitialized", createdAt: call.now, stateChangedAt: call.now,
            primarySecret: form["primary_secret_p"] ?? "1" == "1" ? Secrets.token() : nil,
            secondarySecret: form["secondary_secret_p"] == "1" ? Secrets.digits(6) : nil)
        try account.insert(call.db)
        return .xml(try AccountMarkup(db: call.db).account(account))
    }

    private static func search(_ call: Call) throws -> Response {
        let query = call.request.query
        let name = query["fullname"]
        let email = query["contact_email"]
        guard name != nil || email != nil else { throw Refusal.badRequest("No search criteria given") }
        let accounts = try AccountRow.fetchAll(
            call.db,
            sql: """
                SELECT * FROM account WHERE instr(lower(fullName), lower(?)) > 0
                    OR instr(lower(contactEmail), lower(?)) > 0
                ORDER BY id
                """,
            arguments: [name, email])
        let markup = AccountMarkup(db: call.db)
        return .xml("<Accounts>\(try accounts.map { try markup.account($0) })</Accounts>")
    }

    private static func setInfo(_ call: Call) throws -> Response {
        let form = call.request.form
        guard form["contact_email"] != nil || form["full_name"] != nil else { throw Refusal.badRequest("") }
        return try call.execute(
            "UPDATE account SET contactEmail = ifnull(?, contactEmail), fullName = ifnull(?, fullName) WHERE id = ?",
            [form["contact_email"], form["full_name"], call.account.id])
    }

    private static func setState(_ call: Call) throws -> Response {
        guard let state = call.request.form["state"], ["active", "disabled", "retired"].contains(state) else {
            throw Refusal.badRequest("")
        }
        let account = try call.account
        guard account.state != "retired" else { throw Refusal.permissionDenied(why: "the account is retired, and stays so") }
        try AccountStore(db: call.db).setState(state, of: account.id, at: call.now)
        return .ok
    }

    private static func addLogin(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let system = form["system"], let username = form["username"], !username.isEmpty else {
            throw Refusal.badRequest("System and username required")
        }
        guard system == "password" else {
            throw Refusal.permissionDenied(why: "the sandbox knows the authentication system “password” only")
        }
        let accounts = AccountStore(db: call.db)
        guard try accounts.login(username) == nil else { throw Refusal.badRequest("Account already exists") }
        try accounts.addLogin(username, password: form["password"], to: call.account.id)
        // An account that can log in is in use.
        if form["password"] != nil, try call.account.state == "uninitialized" {
            try accounts.setState("active", of: call.account.id, at: call.now)
        }
        return .ok
    }

    private static func changePassword(_ call: Call) throws -> Response {
        let form = call.request.form
        guard let old = form["old"], let new = form["new"], !new.isEmpty else { throw Refusal.badRequest("") }
        let accounts = AccountStore(db: call.db)
        guard try accounts.checks(password: old, of: call.account.id) else {
            throw Refusal.permissionDenied(why: "the old password is another")
        }
        try accounts.setPassword(new, of: call.account.id)
        return .ok
    }

    private static func setUsername(_ call: Call) throws -> Response {
        guard let username = call.request.form["username"], !username.isEmpty else { throw Refusal.badRequest("") }
        let account = try call.account.id
        if let taken = try AccountStore(db: call.db).login(username), taken.account != account {
            throw Refusal.badRequest("Username is already in use")
        }
        return try call.execute("UPDATE login SET username = ? WHERE account = ?", [username, account])
    }

    private static func reset(_ call: Call) throws -> Response {
        try call.execute(
            "UPDATE account SET state = 'uninitialized', primarySecret = ?, stateChangedAt = ? WHERE id = ?",
            [Secrets.token(), call.now, call.account.id])
    }

    private static func secret(_ text: String?) -> Markup { "<secret>\(text ?? "")</secret>" }

    private static func check(_ primary: String, _ secondary: String?, of account: AccountRow) throws {
        guard let known = account.primarySecret, Secrets.areEqual(known, primary),
            account.secondarySecret.map({ Secrets.areEqual($0, secondary ?? "") }) ?? true
        else { throw Refusal.permissionDenied(why: "the account's secrets are others") }
    }
}
