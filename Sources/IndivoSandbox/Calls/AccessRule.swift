import GRDB

/// Who may make a call. The names are those of the API reference.
enum AccessRule: String, Sendable {
    /// Every principal, nobody included.
    case anyone
    case anyAccount, anyUserApp, anyAutonomousApp, requestToken
    /// A machine app.
    case admin
    /// A UI server's app.
    case chrome
    /// The account named in the URL, or an app with a token of it.
    case ownerAccount, adminOrOwnerAccount
    /// An account that owns the record or has a full share of it.
    case full, fullOrAdmin
    case recordOwnerOrAdmin
    /// A token for this record whose account still has it, or an autonomous app's; or the record's accounts.
    case recordDocument, recordDocumentOrAdmin, appRecordOrFullOrAdmin
    case recordDocumentExternal
    /// As `recordDocument`, or the admin app that made the record.
    case recordAdminDocument
    /// A token for this record, or an admin app. Accounts may not.
    case message
    /// The app named in the URL, enabled on the record, with or without a token.
    case ownStorage
    /// The app named in the URL, without a token.
    case ownApp
    /// The autonomous app named in the URL, without a token, enabled on the record.
    case ownAutonomousApp
    case carenetDocument, carenetDocumentOrAdmin, carenetPermissions, carenetRead
    /// Full control of the record of the request token, or account and app both in its carenet.
    case approval
    /// The admin app named in the URL.
    case ownAdminApp
    /// No rule is registered: always refused.
    case no

    /// - Throws: ``Refusal`` with the reason when the call is not allowed.
    func check(_ call: Call) throws {
        if try permits(call) { return }
        let (who, name) = (call.principal.summary, call.route.name)
        throw Refusal.permissionDenied(why: "\(who) may not make the call \(name) here (rule: \(rawValue))")
    }

    private func permits(_ call: Call) throws -> Bool {
        let principal = call.principal
        return switch self {
        case .anyone: true
        case .anyAccount: principal.account != nil
        case .anyUserApp: principal.twoLeggedApp != nil
        case .anyAutonomousApp: principal.twoLeggedApp?.isAutonomous == true
        case .requestToken: if case .requestToken = principal { true } else { false }
        case .admin: principal.isAdmin
        case .chrome: principal.machineApp?.isChrome == true
        case .ownerAccount: try call.isOwnerAccount()
        case .adminOrOwnerAccount: try principal.isAdmin || call.isOwnerAccount()
        case .full: try call.isFull()
        case .fullOrAdmin: try principal.isAdmin || call.isFull()
        case .recordOwnerOrAdmin: try principal.isAdmin || principal.account.map { try call.record.owner == $0.id } ?? false
        case .recordDocument: try call.reachesWholeRecord
        case .recordDocumentOrAdmin, .appRecordOrFullOrAdmin: try principal.isAdmin || call.reachesWholeRecord
        case .recordDocumentExternal: try call.isAppOnRecord() && call.isAppInURL()
        case .recordAdminDocument:
            try call.reachesWholeRecord || principal.machineApp.map { try call.record.creator == $0.id } ?? false
        case .message: try principal.isAdmin || call.isAppOnRecord()
        case .ownStorage: try call.isAppInURL() && (call.isAppOnRecord() || call.isTwoLeggedAppOnRecord())
        case .ownApp: try principal.twoLeggedApp != nil && call.isAppInURL()
        case .ownAutonomousApp:
            try principal.twoLeggedApp?.isAutonomous == true && call.isAppInURL() && call.isTwoLeggedAppOnRecord()
        case .carenetDocument: try call.isInCarenet()
        case .carenetDocumentOrAdmin, .carenetPermissions: try principal.isAdmin || call.isInCarenet()
        case .carenetRead: try principal.isAdmin || call.isInCarenetItself() || call.isFull()
        case .approval: try principal.account.map { try call.requestToken.mayBeApproved(by: $0.id, in: call.db) } ?? false
        case .ownAdminApp: principal.machineApp?.id == call["adminApp"]
        case .no: false
        }
    }
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
        guard case .accessToken(let token, _, _) = principal else { return false }
        let record = try self.record
        guard token.record == record.id, token.carenet == nil else { return false }
        return try token.account.map { try record.isOwnedOrShared(by: $0, in: db) } ?? true
    }

    fileprivate func isTwoLeggedAppOnRecord() throws -> Bool {
        try principal.twoLeggedApp.map { try record.hasApp($0.id, in: db) } ?? false
    }

    fileprivate func isAppInURL() throws -> Bool { try principal.app?.id == app.id }

    /// A token of the carenet or of the whole record; a member of the carenet, or an account with full control.
    fileprivate func isInCarenet() throws -> Bool {
        if case .accessToken(let token, _, _) = principal, token.carenet == nil { return try isAppOnRecord() }
        return try isInCarenetItself() || isFull()
    }

    fileprivate func isInCarenetItself() throws -> Bool {
        let carenet = try self.carenet
        switch principal {
        case .account(let account):
            return try carenet.hasAccount(account.id, in: db)
        case .accessToken(let token, _, let account):
            guard token.carenet == carenet.id, let account else { return false }
            return try carenet.hasAccount(account.id, in: db) && carenet.hasApp(token.app, in: db)
        default:
            return false
        }
    }
}

extension RequestTokenRow {
    /// Whether an account may allow what the token asks for.
    func mayBeApproved(by account: String, in db: Database) throws -> Bool {
        if let claimedBy = self.account, claimedBy != account { return false }
        guard let net = try CarenetRow.find(carenet, in: db) else {
            // A token that is bound to nothing can never be approved.
            return try RecordRow.find(record, in: db)?.isOwnedOrShared(by: account, in: db) ?? false
        }
        if try RecordRow.find(net.record, in: db)?.isOwnedOrShared(by: account, in: db) == true { return true }
        return try net.hasAccount(account, in: db) && net.hasApp(app, in: db)
    }
}
