import Foundation

/// An account to start a sandbox with, and its records.
public struct SandboxAccount: Sendable {
    /// A record of the account.
    public struct Record: Sendable {
        /// The record's label, mostly the patient's name.
        public var label: String
        /// A `Demographics` document; one with the label for a name unless given.
        public var demographics: Data?
        /// The ids of the apps that may work on it.
        public var apps: [String]
        /// Documents, as XML, in the order in which they are stored.
        public var documents: [String]

        /// A record and what is in it.
        public init(_ label: String, demographics: Data? = nil, apps: [String] = [], documents: [String] = [])
        {
            self.label = label
            self.demographics = demographics
            self.apps = apps
            self.documents = documents
        }
    }

    /// The e-mail address that names the account.
    public var id: String
    /// The person's name.
    public var fullName: String
    /// The name by which the person logs in.
    public var username: String
    /// The password to log in with.
    public var password: String
    /// The records that the account owns.
    public var records: [Record]

    /// - Parameters:
    ///   - id: An e-mail address.
    ///   - username: The id unless given.
    public init(
        id: String,
        fullName: String,
        username: String? = nil,
        password: String,
        records: [Record] = []
    ) {
        self.id = id
        self.fullName = fullName
        self.records = records
        self.username = username ?? id
        self.password = password
    }
}

/// Lists what a sandbox starts with: ``SandboxApp``, ``SandboxMachineApp`` and ``SandboxAccount``.
@resultBuilder
public enum SandboxBuilder {
    /// One thing to start with.
    public struct Item: Sendable { fileprivate let add: @Sendable (Sandbox) async throws -> Void }

    public static func buildExpression(_ app: SandboxApp) -> [Item] { [Item { try await $0.addApp(app) }] }
    public static func buildExpression(_ app: SandboxMachineApp) -> [Item] {
        [Item { try await $0.addMachineApp(app) }]
    }
    public static func buildExpression(_ account: SandboxAccount) -> [Item] {
        [Item { try await $0.add(account) }]
    }
    public static func buildBlock(_ items: [Item]...) -> [Item] { items.flatMap { $0 } }
    public static func buildArray(_ items: [[Item]]) -> [Item] { items.flatMap { $0 } }
    public static func buildOptional(_ items: [Item]?) -> [Item] { items ?? [] }
    public static func buildEither(first items: [Item]) -> [Item] { items }
    public static func buildEither(second items: [Item]) -> [Item] { items }
}

extension Sandbox {
    /// Starts a sandbox with just what is listed, and no demo data.
    ///
    /// ```swift
    /// let sandbox = try await Sandbox.start {
    ///     SandboxApp(
    ///         id: "meds@apps.example.org",
    ///         name: "Meds",
    ///         consumerSecret: "s",
    ///         startURL: "…",
    ///         callbackURL: "…"
    ///     )
    ///     SandboxAccount(id: "ana@example.org", fullName: "Ana Lopez", password: "p", records: [
    ///         .init("Ana Lopez", apps: ["meds@apps.example.org"], documents: [problem])
    ///     ])
    /// }
    /// ```
    /// - Throws: ``SandboxError``, with the server's sentence for a document it would refuse.
    public static func start(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        @SandboxBuilder contents: () -> [SandboxBuilder.Item]
    ) async throws -> Sandbox {
        var configuration = configuration
        configuration.demoData = false
        let sandbox = try await start(configuration)
        do {
            for item in contents() { try await item.add(sandbox) }
        } catch {
            await sandbox.stop()
            throw error
        }
        return sandbox
    }

    fileprivate func add(_ account: SandboxAccount) async throws {
        try await addAccount(
            id: account.id,
            fullName: account.fullName,
            username: account.username,
            password: account.password
        )
        for record in account.records {
            let demographics = record.demographics ?? Sandbox.demographics(of: record.label)
            let id = try await addRecord(owner: account.id, label: record.label, demographics: demographics)
            for app in record.apps { try await enable(app: app, onRecord: id) }
            for document in record.documents { try await addDocument(Data(document.utf8), toRecord: id) }
        }
    }

    /// The least that demographics say: a name, and values for what must be there.
    static func demographics(of name: String) -> Data {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        let markup: Markup = """
            <Demographics xmlns="\(DocumentType.namespace)">\
            <dateOfBirth>1970-01-01</dateOfBirth><gender>female</gender><Name>\
            <familyName>\(parts.count > 1 ? parts[1] : name)</familyName>\
            <givenName>\(parts.first ?? name)</givenName>\
            </Name></Demographics>
            """
        return Data(markup.description.utf8)
    }
}
