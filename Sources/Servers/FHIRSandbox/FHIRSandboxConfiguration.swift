import FHIRValidation
import Foundation
import Logging

/// The configuration of a ``FHIRSandbox``. The defaults suit a test: a free port and a database in memory.
public struct FHIRSandboxConfiguration: Sendable {
    /// Where the resources are kept.
    public enum Database: Sendable {
        /// In memory, gone when the sandbox stops.
        case inMemory
        /// In an SQLite file, made when it is not there.
        case file(URL)
    }

    /// The IPv4 address to listen on. Anything but a loopback address puts the sandbox on the network: it is
    /// made for development and tests.
    public var address = "127.0.0.1"

    /// The port, 0 for a free one.
    public var port: UInt16 = 0

    /// The base URL of the REST interface for clients on other machines, which ends in `/fhir`:
    /// `https://fhir.example.org/fhir` behind a proxy that ends TLS and passes `Host` on.
    ///
    /// Links, issuer and audience have it where a request names its host, and off this machine tokens are for
    /// this base alone. Without it the sandbox is reached by the machine's addresses, and off this machine
    /// nobody logs in.
    public var publicURL: URL?

    /// Where the resources are kept.
    public var database = Database.inMemory

    /// The bearer tokens that are accepted. When it is empty, no token is needed.
    ///
    /// A browser asks for a name and a password: any name, and one of the tokens as the password.
    public var tokens: Set<String> = []

    /// The authorization server (SMART App Launch 2.2); nil for none. With one, each request needs a token,
    /// whose scopes are enforced; ``tokens`` still open everything.
    public var smart: SMARTSandboxConfiguration?

    /// Whether a resource with errors is refused with 422, rather than stored. It says what is wrong.
    public var refusesInvalid = true

    /// The profiles, extensions and value sets that resources are validated by, besides R4's.
    public var definitions = FHIRDefinitions.r4

    /// The limits of requests and responses.
    public var limits = FHIRSandboxLimits()

    /// Where the sandbox logs what it does. Tokens and resources are never logged.
    public var logger = Logger(label: "fhir.sandbox")

    /// The clock. Give another in tests that depend on time.
    public var now: @Sendable () -> Date = { Date() }

    /// A sandbox in memory, on a free port of 127.0.0.1, open to everybody on this machine.
    public init() {}

    /// ``publicURL`` as a text without a slash at its end.
    var publicBase: String? {
        guard var text = publicURL?.absoluteString[...] else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        return String(text)
    }

    /// The host of ``publicURL``, as requests name it, with a port that is not the scheme's.
    var publicHost: String? {
        publicURL.flatMap { url in url.host()?.lowercased().appending(url.port.map { ":\($0)" } ?? "") }
    }
}

/// The limits of requests and responses. A request that exceeds one gets an OperationOutcome that names it.
public struct FHIRSandboxLimits: Sendable, Hashable {
    /// Bytes of a request's body.
    public var body = 32 << 20
    /// Arrays and objects inside each other.
    public var depth = 100
    /// Entries of a batch or transaction.
    public var entries = 20_000
    /// Bytes of a query, in a URL or a form.
    public var query = 16_384
    /// Parameters of a search.
    public var parameters = 64
    /// Values of all parameters of a search together.
    public var values = 256
    /// Resources on a page that a client can ask for with `_count`.
    public var page = 1_000
    /// Resources on a page where a client does not ask.
    public var defaultPage = 50
    /// Resources that a search may find.
    public var matches = 100_000
    /// Resources that `_include` and `_revinclude` may add to a page.
    public var included = 2_000
    /// Values of one resource in the search index.
    public var indexedValues = 20_000
    /// Bytes of the resources on a page, and of those that a batch or transaction reads and writes.
    public var response = 64 << 20
    /// Operations of a JSON Patch.
    public var patchOperations = 1_000
    /// Seconds that a request may take in the database.
    public var seconds = 20.0
    /// Seconds that entries of a batch are done in one go. Then other requests have their turn.
    public var batchTurn = 0.05
    /// Seconds without a byte after which a connection is closed, and that a whole request may take to
    /// arrive.
    public var connectionTimeout = 30

    /// The default limits.
    public init() {}
}
