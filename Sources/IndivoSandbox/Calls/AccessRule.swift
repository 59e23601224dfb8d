import GRDB

/// Who may make a call. The names are those of the API reference.
enum AccessRule: Sendable {
    /// Every principal, nobody included.
    case anyone
    case anyAccount
    case anyUserApp
    case anyAutonomousApp
    case requestToken
    /// A machine app.
    case admin
    /// A UI server's app.
    case chrome
    /// The account named in the URL, or an app with a token of it.
    case ownerAccount
    case adminOrOwnerAccount
    /// An account that owns the record or has a full share of it.
    case full
    case fullOrAdmin
    case recordOwnerOrAdmin
    /// A token for this record whose account still has it, or an autonomous app's.
    case appRecordOrFullOrAdmin
    /// The same, or the record's accounts.
    case recordDocument
    /// A token for this record, of the app named in the URL.
    case recordDocumentExternal
    /// As `recordDocument`, or the admin app that made the record.
    case recordAdminDocument
    case recordDocumentOrAdmin
    /// A token for this record, or an admin app. Accounts may not.
    case message
    /// The app named in the URL, enabled on the record, with or without a token.
    case ownStorage
    /// The app named in the URL, without a token.
    case ownApp
    /// The autonomous app named in the URL, without a token, enabled on the record.
    case ownAutonomousApp
    case carenetDocument
    case carenetDocumentOrAdmin
    case carenetRead
    case carenetPermissions
    /// Full control of the record of the request token, or account and app both in its carenet.
    case approval
    /// The admin app named in the URL.
    case ownAdminApp
    /// No rule is registered: always refused.
    case no

    /// Why the call is refused; nil when it is allowed.
    func refusal(of call: Call) throws -> String? {
        if try permits(call) { return nil }
        return "\(call.principal.summary) may not make the call \(call.route.name) here (rule: \(self))"
    }

    private func permits(_ call: Call) throws -> Bool {
        switch self {
        case .anyone: true
        case .anyAccount: call.principal.isAccount
        case .anyUserApp: call.principal.twoLeggedApp != nil
        case .anyAutonomousApp: call.principal.twoLeggedApp?.isAutonomous == true
        case .requestToken: call.principal.isRequestToken
        case .admin: call.principal.isAdmin
        case .chrome: call.principal.isChrome
        case .ownerAccount: try call.isOwnerAccount
        case .adminOrOwnerAccount: try call.principal.isAdmin || call.isOwnerAccount
        case .full: try call.isFull
        case .fullOrAdmin: try call.principal.isAdmin || call.isFull
        case .recordOwnerOrAdmin: try call.principal.isAdmin || call.isRecordOwner
        case .appRecordOrFullOrAdmin: try call.principal.isAdmin || call.isAppOnRecord || call.isFull
        case .recordDocument: try call.isAppOnRecord || call.isFull
        case .recordDocumentExternal: try call.isAppOnRecord && call.isAppInURL
        case .recordAdminDocument: try call.isAppOnRecord || call.isFull || call.isCreatorOfRecord
        case .recordDocumentOrAdmin: try call.principal.isAdmin || call.isAppOnRecord || call.isFull
        case .message: try call.principal.isAdmin || call.isAppOnRecord
        case .ownStorage: try call.isAppInURL && (call.isAppOnRecord || call.isTwoLeggedAppOnRecord)
        case .ownApp: try call.principal.twoLeggedApp != nil && call.isAppInURL
        case .ownAutonomousApp:
            try call.principal.twoLeggedApp?.isAutonomous == true && call.isAppInURL && call.isTwoLeggedAppOnRecord
        case .carenetDocument: try call.isInCarenet
        case .carenetDocumentOrAdmin: try call.principal.isAdmin || call.isInCarenet
        case .carenetRead: try call.principal.isAdmin || call.isInCarenetItself || call.isFull
        case .carenetPermissions: try call.principal.isAdmin || call.isInCarenet
        case .approval: try call.mayApprove
        case .ownAdminApp: try call.isAdminAppInURL
        case .no: false
        }
    }
}

extension Principal {
    fileprivate var isAccount: Bool { if case .account = self { true } else { false } }
    fileprivate var isRequestToken: Bool { if case .requestToken = self { true } else { false } }
    fileprivate var isAdmin: Bool { if case .machineApp = self { true } else { false } }
    fileprivate var isChrome: Bool { if case .machineApp(let app) = self { app.isChrome } else { false } }
    fileprivate var twoLeggedApp: AppRow? { if case .app(let app) = self { app } else { nil } }
}

extension Call {
    fileprivate var isOwnerAccount: Bool {
        get throws {
            let id = try account.id
            return switch principal {
            case .account(let account): account.id == id
            case .accessToken(let token, _, _): token.account == id
            default: false
            }
        }
    }

    fileprivate var isFull: Bool {
        get throws {
            guard case .account(let account) = principal else { return false }
            return try record.isOwnedOrShared(by: account.id, in: db)
        }
    }

    fileprivate var isRecordOwner: Bool {
        get throws {
            guard case .account(let account) = principal else { return false }
            return try record.owner == account.id
        }
    }

    fileprivate var isAppOnRecord: Bool {
        get throws {
            guard case .accessToken(let token, _, _) = principal else { return false }
            let record = try self.record
            guard token.record == record.id, token.carenet == nil else { return false }
            guard let account = token.account else { return true }
            return try record.isOwnedOrShared(by: account, in: db)
        }
    }

    fileprivate var isTwoLeggedAppOnRecord: Bool {
        get throws {
            guard case .app(let app) = principal else { return false }
            return try record.hasApp(app.id, in: db)
        }
    }

    fileprivate var isAppInURL: Bool {
        get throws { try principal.app?.id == app.id }
    }

    fileprivate var isCreatorOfRecord: Bool {
        get throws {
            guard case .machineApp(let app) = principal else { return false }
            return try record.creator == app.id
        }
    }

    fileprivate var isAdminAppInURL: Bool {
        get throws {
            guard case .machineApp(let app) = principal else { return false }
            return app.id == self["adminApp"]
        }
    }

    /// A token of the carenet or of the whole record; a member of the carenet, or an account with full control.
    fileprivate var isInCarenet: Bool {
        get throws {
            if case .accessToken(let token, _, _) = principal, token.carenet == nil { return try isAppOnRecord }
            return try isInCarenetItself || isFull
        }
    }

    fileprivate var isInCarenetItself: Bool {
        get throws {
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

    /// Whether the caller may see all of the record, not only what is shared in a carenet.
    var reachesWholeRecord: Bool { get throws { try isAppOnRecord || isFull } }

    fileprivate var mayApprove: Bool {
        get throws {
            guard case .account(let account) = principal else { return false }
            return try requestToken.mayBeApproved(by: account.id, in: db)
        }
    }
}

extension RequestTokenRow {
    /// Whether an account may allow what the token asks for.
    func mayBeApproved(by account: String, in db: Database) throws -> Bool {
        if let claimedBy = self.account, claimedBy != account { return false }
        if let carenet, let row = try CarenetRow.find(carenet, in: db) {
            if let record = try RecordRow.find(row.record, in: db), try record.isOwnedOrShared(by: account, in: db) {
                return true
            }
            return try row.hasAccount(account, in: db) && row.hasApp(app, in: db)
        }
        if let record, let row = try RecordRow.find(record, in: db) {
            return try row.isOwnedOrShared(by: account, in: db)
        }
        // A token that is bound to nothing can never be approved.
        return false
    }
}
