enum Principal: Sendable {
    /// Nobody: the request has no Authorization header.
    case nobody
    /// An account, logged in at a UI server that acts for it.
    case account(AccountRow)
    /// An app with an access token, for the token's account or, when autonomous, for itself.
    case accessToken(AccessTokenRow, app: AppRow, account: AccountRow?)
    /// An app with a request token, about to exchange it.
    case requestToken(RequestTokenRow, app: AppRow)
    /// A user app on its own (two-legged).
    case app(AppRow)
    case machineApp(MachineAppRow)

    /// For whom the call counts: creator ids, senders and audit entries show the account behind an app, if
    /// any.
    var effective: Identity {
        switch self {
        case .nobody: Identity(id: "", type: "NoUser", fullName: "")
        case .account(let account), .accessToken(_, _, let account?):
            Identity(id: account.id, type: "Account", fullName: account.fullName)
        case .accessToken(_, let app, nil), .requestToken(_, let app), .app(let app):
            Identity(id: app.id, type: "PHA", fullName: app.name)
        case .machineApp(let app): Identity(id: app.id, type: "MachineApp", fullName: app.name)
        }
    }

    /// The app that acts for the account, "" for none.
    var proxy: String { if case .accessToken(_, let app, .some) = self { app.id } else { "" } }

    var account: AccountRow? { if case .account(let account) = self { account } else { nil } }

    var app: AppRow? {
        switch self {
        case .accessToken(_, let app, _), .requestToken(_, let app), .app(let app): app
        default: nil
        }
    }

    /// The words for it in an explanation.
    var summary: String {
        switch self {
        case .nobody: "nobody (no Authorization header)"
        case .account(let account): "the account \(account.id)"
        case .accessToken(let token, let app, let account):
            "the app \(app.id) with an access token for \(token.carenet == nil ? "a record" : "a carenet")"
                + (account.map { " of \($0.id)" } ?? "")
        case .requestToken(_, let app): "the app \(app.id) with a request token"
        case .app(let app): "the app \(app.id) without a token"
        case .machineApp(let app): "the \(app.isChrome ? "UI server's" : "admin") app \(app.id)"
        }
    }

    /// A principal's name, the kind of it, and how it is called.
    struct Identity: Sendable { var id, type, fullName: String }
}
