import GRDB

/// Who may make a call. The names are those of the API reference.
struct AccessRule: Sendable {
    private let name: String
    private let permits: @Sendable (Call) throws -> Bool

    private init(_ name: String, _ permits: @escaping @Sendable (Call) throws -> Bool) {
        self.name = name
        self.permits = permits
    }

    func check(_ call: Call) throws {
        if try permits(call) { return }
        let who = call.principal.summary
        throw Refusal.permissionDenied(
            why: "\(who) may not make the call \(call.route.name) here (rule: \(name))"
        )
    }

    /// Every principal, nobody included.
    static let anyone = AccessRule("anyone") { _ in true }
    static let anyAccount = AccessRule("anyAccount") { $0.principal.account != nil }
    static let anyUserApp = AccessRule("anyUserApp") { $0.principal.twoLeggedApp != nil }
    static let anyAutonomousApp = AccessRule("anyAutonomousApp") {
        $0.principal.twoLeggedApp?.isAutonomous == true
    }
    static let requestToken = AccessRule("requestToken") {
        if case .requestToken = $0.principal { true } else { false }
    }
    static let admin = AccessRule("admin") { $0.principal.isAdmin }
    /// A UI server's app.
    static let chrome = AccessRule("chrome") { $0.principal.machineApp?.isChrome == true }
    /// The account named in the URL, or an app with a token of it.
    static let ownerAccount = AccessRule("ownerAccount") { try $0.isOwnerAccount() }
    static let adminOrOwnerAccount = AccessRule("adminOrOwnerAccount") {
        try $0.principal.isAdmin || $0.isOwnerAccount()
    }
    /// An account that owns the record or has a full share of it.
    static let full = AccessRule("full") { try $0.isFull() }
    static let fullOrAdmin = AccessRule("fullOrAdmin") { try $0.principal.isAdmin || $0.isFull() }
    static let recordOwnerOrAdmin = AccessRule("recordOwnerOrAdmin") { call in
        try call.principal.isAdmin || call.principal.account.map { try call.record.owner == $0.id } ?? false
    }
    /// A token for this record whose account still has it, or an autonomous app's; or the record's accounts.
    static let recordDocument = AccessRule("recordDocument") { try $0.reachesWholeRecord }
    static let recordDocumentOrAdmin = AccessRule("recordDocumentOrAdmin") {
        try $0.principal.isAdmin || $0.reachesWholeRecord
    }
    static let appRecordOrFullOrAdmin = AccessRule("appRecordOrFullOrAdmin", recordDocumentOrAdmin.permits)
    static let recordDocumentExternal = AccessRule("recordDocumentExternal") {
        try $0.isAppOnRecord() && $0.isAppInURL()
    }
    /// As `recordDocument`, or the admin app that made the record.
    static let recordAdminDocument = AccessRule("recordAdminDocument") { call in
        try call.reachesWholeRecord
            || call.principal.machineApp.map { try call.record.creator == $0.id } ?? false
    }
    /// A token for this record, or an admin app. Accounts may not.
    static let message = AccessRule("message") { try $0.principal.isAdmin || $0.isAppOnRecord() }
    /// The app named in the URL, enabled on the record, with or without a token.
    static let ownStorage = AccessRule("ownStorage") {
        try $0.isAppInURL() && ($0.isTokenOfRecord() || $0.isTwoLeggedAppOnRecord())
    }
    /// The app named in the URL, without a token.
    static let ownApp = AccessRule("ownApp") { try $0.principal.twoLeggedApp != nil && $0.isAppInURL() }
    /// The autonomous app named in the URL, without a token, enabled on the record.
    static let ownAutonomousApp = AccessRule("ownAutonomousApp") {
        try anyAutonomousApp.permits($0) && $0.isAppInURL() && $0.isTwoLeggedAppOnRecord()
    }
    static let carenetDocument = AccessRule("carenetDocument") { try $0.isInCarenet() }
    static let carenetDocumentOrAdmin = AccessRule("carenetDocumentOrAdmin") {
        try $0.principal.isAdmin || $0.isInCarenet()
    }
    static let carenetPermissions = AccessRule("carenetPermissions", carenetDocumentOrAdmin.permits)
    static let carenetRead = AccessRule("carenetRead") {
        try $0.principal.isAdmin || $0.isInCarenetItself() || $0.isFull()
    }
    /// Full control of the record of the request token, or account and app both in its carenet.
    static let approval = AccessRule("approval") { call in
        try call.principal.account.map { try call.requestToken.mayBeApproved(by: $0.id, in: call.db) }
            ?? false
    }
    /// The admin app named in the URL.
    static let ownAdminApp = AccessRule("ownAdminApp") { $0.principal.machineApp?.id == $0["adminApp"] }
    /// No rule is registered: always refused.
    static let no = AccessRule("no") { _ in false }
}

extension Principal {
    fileprivate var machineApp: MachineAppRow? { if case .machineApp(let app) = self { app } else { nil } }
    fileprivate var twoLeggedApp: AppRow? { if case .app(let app) = self { app } else { nil } }
    fileprivate var isAdmin: Bool { machineApp != nil }
}

extension Call {
    /// Whether the caller may see all of the record, not only what is shared in a carenet.
    var reachesWholeRecord: Bool { get throws { try isAppOnRecord() || isFull() } }

    fileprivate func isOwnerAccount() throws -> Bool {
        let id = try account.id
        return switch principal {
        case .account(let account): account.id == id
        case .accessToken(let token, _, _): token.account == id
        default: false
        }
    }

    fileprivate func isFull() throws -> Bool {
        try principal.account.map { try record.isOwnedOrShared(by: $0.id, in: db) } ?? false
    }

    fileprivate func isAppOnRecord() throws -> Bool {
        guard case .accessToken(let token, let app, _) = principal else { return false }
        guard try isTokenOfRecord() else { return false }
        return try token.account.map { try record.isOwnedOrShared(by: $0, in: db) } ?? app.isAutonomous
    }

    /// A token for the whole record, whoever it stands for.
    fileprivate func isTokenOfRecord() throws -> Bool {
        guard case .accessToken(let token, _, _) = principal else { return false }
        return try token.record == record.id && token.carenet == nil
    }

    fileprivate func isTwoLeggedAppOnRecord() throws -> Bool {
        try principal.twoLeggedApp.map { try record.hasApp($0.id, in: db) } ?? false
    }

    fileprivate func isAppInURL() throws -> Bool { try principal.app?.id == app.id }

    /// A token of the carenet or of the whole record; a member of the carenet, or an account with full
    /// control.
    fileprivate func isInCarenet() throws -> Bool {
        if case .accessToken(let token, _, _) = principal, token.carenet == nil { return try isAppOnRecord() }
        return try isInCarenetItself() || isFull()
    }

    fileprivate func isInCarenetItself() throws -> Bool {
        let carenet = try self.carenet
        return switch principal {
        case .account(let account): try carenet.hasAccount(account.id, in: db)
        case .accessToken(let token, _, let account?) where token.carenet == carenet.id:
            try carenet.hasAccount(account.id, in: db) && carenet.hasApp(token.app, in: db)
        default: false
        }
    }
}

extension RequestTokenRow {
    /// Whether an account may allow what the token asks for.
    func mayBeApproved(by account: String, in db: Database) throws -> Bool {
        if let claimedBy = self.account, claimedBy != account { return false }
        let net = try CarenetRow.find(carenet, in: db)
        // A token that is bound to nothing can never be approved.
        if try RecordRow.find(net?.record ?? record, in: db)?.isOwnedOrShared(by: account, in: db) == true {
            return true
        }
        return try net.map { try $0.hasAccount(account, in: db) && $0.hasApp(app, in: db) } ?? false
    }
}
