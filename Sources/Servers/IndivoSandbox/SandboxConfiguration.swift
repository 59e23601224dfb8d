import Foundation
import IndivoModel
import Logging
import OrderedJSON

/// What a sandbox is started with. The defaults suit a test: free ports, a database in memory, demo data.
public struct SandboxConfiguration: Sendable {
    /// Where the sandbox keeps its data.
    public enum Database: Sendable {
        /// In memory, gone when the sandbox stops.
        case inMemory
        /// In an SQLite file, made when it is not there.
        case file(URL)
    }

    /// The IPv4 address to listen on. Anything but a loopback address puts the sandbox on the network: it is
    /// made for development and tests.
    public var address = "127.0.0.1"

    /// The port of the API, 0 for a free one.
    public var apiPort: UInt16 = 0

    /// The port of the pages people see, 0 for a free one.
    public var uiPort: UInt16 = 0

    /// Where the data is kept.
    public var database = Database.inMemory

    /// Whether to add the demo account, the demo app and sample records to a database that has none of them.
    public var demoData = true

    /// Apps to register, beside the demo app.
    public var apps: [SandboxApp] = []

    /// Admin and UI-server apps to register.
    public var machineApps: [SandboxMachineApp] = []

    /// The data models that documents may hold and reports are made of.
    public var models: [DataModel] = DataModel.core

    /// A folder of SDML files whose models are known too. It is read again when something in it changes.
    ///
    /// A file with a mistake in it is left out, and ``Sandbox/modelProblems`` says why; so does the log.
    public var modelFolder: URL?

    /// The largest request body that is read, in bytes; the response to a larger one is 413.
    public var bodyLimit = 16 << 20

    /// Seconds without a byte after which a connection is closed, and the seconds a whole request may take to
    /// arrive.
    public var connectionTimeout = 30

    /// Where the sandbox logs what it does. Secrets, tokens and documents are never logged.
    public var logger = Logger(label: "indivo.sandbox")

    /// Where new ids and tokens come from.
    package var identifiers = IdentifierSource.random

    /// The clock. Give another in tests that depend on time.
    public var now: @Sendable () -> Date = { Date() }

    /// A sandbox in memory, on free ports of 127.0.0.1, with the demo account and app.
    public init() {}
}

/// A user app to register with a sandbox.
public struct SandboxApp: Sendable {
    /// The id, in the form of an e-mail address.
    public var id: String
    /// What people call the app.
    public var name: String
    /// The key by which the app signs; mostly its id.
    public var consumerKey: String
    /// The secret of ``consumerKey``.
    public var consumerSecret: String

    /// Where the app starts once a record is chosen; `{record_id}` and `{carenet_id}` are filled in.
    public var startURL: String

    /// Where the browser returns to after authorisation when the app does not say (`oob`).
    public var callbackURL: String

    /// What the app does, as the page that asks the person says it.
    public var description: String

    /// Whether the app works without a user: it takes its own tokens for the records it is enabled on.
    public var isAutonomous: Bool

    /// The manifest as the server tells it; nil for one that is made of the above.
    var manifest: String?

    /// An app described by its manifest, as a real server registers it (JSON: `id`, `name`, `index`,
    /// `oauth_callback_url`, `mode`, …).
    ///
    /// - Throws: ``SandboxError/manifest(reason:)`` for one that is not JSON, or lacks its `id` or `name`.
    public init(manifest: Data, consumerKey: String? = nil, consumerSecret: String) throws {
        guard let json = try? JSONValue(parsing: manifest) else {
            throw SandboxError.manifest(reason: "it is not JSON")
        }
        guard let id = json["id"]?.string, let name = json["name"]?.string else {
            throw SandboxError.manifest(reason: "it has no “id” or no “name”")
        }
        self.init(
            id: id,
            name: name,
            consumerKey: consumerKey,
            consumerSecret: consumerSecret,
            startURL: json["index"]?.string ?? "",
            callbackURL: json["oauth_callback_url"]?.string ?? "",
            description: json["description"]?.string ?? "",
            isAutonomous: json["mode"]?.string == "background"
        )
        self.manifest = SandboxManifest.registered(json).serverText
    }

    /// - Parameter consumerKey: The id unless given.
    public init(
        id: String,
        name: String,
        consumerKey: String? = nil,
        consumerSecret: String,
        startURL: String,
        callbackURL: String,
        description: String = "",
        isAutonomous: Bool = false
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.isAutonomous = isAutonomous
        self.consumerKey = consumerKey ?? id
        self.consumerSecret = consumerSecret
        self.startURL = startURL
        self.callbackURL = callbackURL
    }

    /// The app of the demo data: id and consumer key `demo@apps.example.org`, secret `demo-secret`.
    public static let demo = SandboxApp(
        id: "demo@apps.example.org",
        name: "Demo",
        consumerSecret: "demo-secret",
        startURL: "http://127.0.0.1:8002/start?record_id={record_id}&carenet_id={carenet_id}",
        callbackURL: "http://127.0.0.1:8002/callback",
        description: "The app of the examples."
    )
}

/// An admin app, or the app of a UI server, to register with a sandbox.
public struct SandboxMachineApp: Sendable {
    /// The app's id, in the form of an e-mail address.
    public var id: String
    /// What people call the app.
    public var name: String
    /// The key by which the app signs; mostly its id.
    public var consumerKey: String
    /// The secret of ``consumerKey``.
    public var consumerSecret: String

    /// Whether it is a UI server's app ("chrome"), which may act for whoever logs in there.
    public var isChrome: Bool

    /// A machine app.
    public init(id: String, name: String, consumerKey: String, consumerSecret: String, isChrome: Bool = false)
    {
        self.id = id
        self.name = name
        self.isChrome = isChrome
        self.consumerKey = consumerKey
        self.consumerSecret = consumerSecret
    }

    /// The admin app of the demo data: id and consumer key `admin@apps.example.org`, secret
    /// `demo-admin-secret`. It makes accounts and records, as an operator does.
    public static let demoAdmin = SandboxMachineApp(
        id: "admin@apps.example.org",
        name: "Demo admin",
        consumerKey: "admin@apps.example.org",
        consumerSecret: "demo-admin-secret"
    )
}
