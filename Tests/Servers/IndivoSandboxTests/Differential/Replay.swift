import Foundation
import IndivoSandbox
import Synchronization
import TestSupport

/// Brings a sandbox into the state in which a recording began, and sends its requests byte for byte.
///
/// Nothing is signed anew: the sandbox is given the recording's clock, and hands out the ids and tokens that
/// the real server handed out, so that every signature in the recording has to verify as it stands.
final class Replay: Sendable {
    private struct Names {
        var now = Date(timeIntervalSince1970: 0)
        var tokens: [String] = []
        var ids: [IdentifierSource.Kind: [String]] = [:]
    }

    let recording: Recording
    let documents: [RecordedDocument]
    private let names: Mutex<Names>
    private let contents: [String: Data]

    init(_ recording: Recording) {
        self.recording = recording
        documents = RecordedDocument.all(in: recording)
        names = Mutex(Names())
        let others = documents.filter { !$0.isMadeByExchange && $0.creatorType == "Account" && $0.app == nil }
        var accepted: [Int: RecordedDocument] = [:]
        for exchange in recording.exchanges
        where exchange.call == "account_inbox_message_attachment_accept" && exchange.status == 200 {
            accepted[exchange.seq] = others.first { abs($0.createdAt.timeIntervalSince(exchange.at)) < 1.5 }
        }
        self.accepted = accepted
        var contents: [String: Data] = [:]
        for exchange in recording.exchanges {
            for body in [exchange.requestBody, exchange.responseBody].compactMap({ $0 }) {
                contents[Digests.sha256(body)] = body
                contents[Digests.sha1(body)] = body
            }
        }
        self.contents = contents
    }

    func start() async throws -> Sandbox {
        var configuration = SandboxConfiguration()
        configuration.demoData = false
        configuration.now = { self.names.withLock { $0.now } }
        configuration.identifiers = IdentifierSource(
            id: { kind in
                self.names.withLock { names in
                    names.ids[kind]?.isEmpty == false ? names.ids[kind]?.removeFirst() : nil
                } ?? IdentifierSource.random.id(kind)
            },
            token: {
                self.names.withLock { names in
                    names.tokens.isEmpty ? nil : names.tokens.removeFirst()
                } ?? IdentifierSource.random.token()
            }
        )
        let first = documents.first?.createdAt ?? recording.exchanges[0].at
        setClock(first.addingTimeInterval(-1))
        let sandbox = try await Sandbox.start(configuration)
        try await setUp(sandbox)
        return sandbox
    }

    private func setClock(_ date: Date) { names.withLock { $0.now = max($0.now, date) } }

    private func give(_ kind: IdentifierSource.Kind, _ ids: [String]) {
        names.withLock { $0.ids[kind] = ids }
    }

    private func give(tokens: [String]) { names.withLock { $0.tokens = tokens } }

    // MARK: The state at the beginning

    private var john: String { recording.accounts.first { $0.username == "jsmith" }?.email ?? "" }
    /// The account beside: one that has not the probe's record, but what is shared of it.
    private var jane: String { recording.accounts.first { $0.username != "jsmith" }?.email ?? "" }

    /// The account that the kind of a token names; the records' owner unless it names another.
    private func account(of token: Recording.Token) -> String {
        recording.accounts.first {
            token.kind.contains("of \($0.name)") || token.kind.contains("for \($0.name)")
        }?.email ?? john
    }

    /// The app that signs with a token.
    private func app(of token: Recording.Token) -> String {
        let signed = recording.exchanges.lazy.compactMap { $0.requestHeader("Authorization") }
            .first { $0.contains("oauth_token=\"\(token.token)\"") }
        let key = signed?.firstMatch(of: /oauth_consumer_key="([^"]+)"/).map { String($0.output.1) }
        return key?.removingPercentEncoding ?? "probe@apps.indivo.org"
    }

    /// The name of an account, as a response gives it.
    private func fullName(of account: String) -> String? {
        let pattern = "<creator id=\"\(account)\" type=\"Account\"><fullname>"
        return recording.exchanges.lazy.map(\.responseText).compactMap { text in
            text.range(of: pattern).map { String(text[$0.upperBound...].prefix { $0 != "<" }) }
        }.first
    }

    private func setUp(_ sandbox: Sandbox) async throws {
        for account in recording.accounts {
            let usual = account.email == john ? "John Smith" : "Jane Doe"
            let name = account.fullName ?? fullName(of: account.email) ?? usual
            try await sandbox.addAccount(
                id: account.email,
                fullName: name,
                contactEmail: account.email.replacing("@indivo.org", with: "@example.org"),
                username: account.username,
                password: account.password
            )
            try await sandbox.seedLogins(loginsBefore(account), of: account.email)
        }
        try await setUpApps(sandbox)
        try await setUpRecords(sandbox)
    }

    /// How often an account had logged in when the recording began, as its first description tells.
    private func loginsBefore(_ account: Recording.Account) -> Int {
        let told = recording.exchanges.first {
            $0.call == "account_info" && $0.status == 200 && $0.path.hasSuffix(account.email)
        }
        guard let told, let match = told.responseText.firstMatch(of: /<totalLoginCount>(\d+)</) else {
            return 0
        }
        let since = recording.exchanges.count {
            $0.call == "session_create" && $0.status == 200 && $0.seq < told.seq
                && $0.requestText.contains("username=\(account.username)&")
        }
        return max(0, (Int(match.output.1) ?? 0) - since)
    }

    private func setUpApps(_ sandbox: Sandbox) async throws {
        for consumer in recording.consumers
        where consumer.kind.contains("admin") || consumer.kind.contains("chrome") {
            try await sandbox.addMachineApp(
                SandboxMachineApp(
                    id: consumer.key,
                    name: consumer.key,
                    consumerKey: consumer.key,
                    consumerSecret: consumer.secret,
                    isChrome: consumer.kind.contains("chrome")
                )
            )
        }
        // The list of all apps has their manifests.
        let list = recording.exchanges.first { $0.call == "all_phas" && $0.status == 200 }
        let manifests =
            list.flatMap { try? JSONSerialization.jsonObject(with: $0.responseBody) } as? [[String: Any]]
            ?? []
        for manifest in manifests {
            let id = manifest["id"] as? String ?? ""
            let consumer = recording.consumers.first { $0.key == id }
            try await sandbox.addApp(
                SandboxApp(
                    manifest: JSONSerialization.data(withJSONObject: manifest),
                    consumerKey: consumer?.key ?? id,
                    consumerSecret: consumer?.secret ?? "not known here"
                )
            )
        }
        for consumer in recording.consumers where consumer.kind.contains("user app") {
            guard !manifests.contains(where: { $0["id"] as? String == consumer.key }) else { continue }
            try await sandbox.addApp(
                SandboxApp(
                    id: consumer.key,
                    name: consumer.key,
                    consumerSecret: consumer.secret,
                    startURL: "",
                    callbackURL: "",
                    isAutonomous: consumer.kind.contains("autonomous")
                )
            )
        }
    }

    private func setUpRecords(_ sandbox: Sandbox) async throws {
        let known = SeedFacts.known(in: recording)
        for (label, id) in recording.records.sorted(by: { $0.key < $1.key }) {
            let mine = documents.filter {
                ($0.record == id || $0.record.isEmpty && label == "Probe Patient") && $0.app == nil
                    && $0.creatorType == "NoUser"
            }
            give(.record, [id])
            if label == "Probe Patient" {
                give(.carenet, ["Family", "Physicians", "Work/School"].compactMap { recording.carenets[$0] })
            }
            let demographics = try demographicsId(of: id)
            give(.document, demographics.map { [$0] } ?? [])
            if let seed = mine.first(where: { $0.id == demographics }) { setClock(seed.createdAt) }
            if label == "Probe Patient" { setClock(try recordCreation(of: id)) }
            try await sandbox.addRecord(
                owner: label.contains("Jane") ? jane : john,
                label: label,
                demographics: Data(demographicsDocument(label).utf8)
            )
            if hasNoDemographics(id) { try await sandbox.seedWithoutDemographics(record: id) }
            if let seed = documents.first(where: { $0.id == demographics }) {
                try await sandbox.seedDigest(of: seed.id, size: seed.size, digest: seed.digest)
            }
            guard label == "Probe Patient" else { continue }
            try await seedDocuments(mine.filter { $0.id != demographics }, known, sandbox, record: id)
        }
        for app in recording.consumers where app.kind.contains("user app") {
            guard let record = recording.records["Probe Patient"] else { continue }
            if try sharesAtStart().contains(app.key) {
                try await sandbox.enable(app: app.key, onRecord: record)
            }
        }
        for token in recording.tokens.values where token.kind.contains("access token") {
            let isIssued = recording.exchanges.contains {
                $0.status == 200 && $0.method == "POST"
                    && $0.responseText.contains("oauth_token=\(token.token)")
            }
            guard !isIssued else { continue }
            let record = token.record ?? recording.records["Probe Patient"] ?? ""
            let isAutonomous = token.kind.contains("autonomous")
            let account = account(of: token)
            try await sandbox.seedAccessToken(
                token.token,
                secret: token.secret,
                app: app(of: token),
                record: record,
                carenet: token.carenet,
                account: isAutonomous ? nil : account,
                enabling: account == john && token.carenet == nil && !token.kind.contains("left behind")
            )
            if let carenet = token.carenet {
                try await seedCarenet(carenet, account: account, app: app(of: token), sandbox)
            }
        }
        try await seedRequestTokens(sandbox)
        try await seedSessions(sandbox)
        try await seedFactIds(sandbox)
    }

    /// What a carenet had in it when the recording began: the token's account and app, and the documents that
    /// a list shows before any was placed there.
    private func seedCarenet(_ carenet: String, account: String, app: String, _ sandbox: Sandbox) async throws
    {
        func isMade(_ call: String) -> Bool {
            recording.exchanges.contains { $0.call == call && $0.status == 200 }
        }
        guard !isMade("carenet_account_create"), !isMade("carenet_apps_create") else { return }
        let placed = recording.exchanges.first {
            $0.call == "carenet_document_placement" && $0.status == 200
        }?.seq
        let list = recording.exchanges.first {
            $0.call == "carenet_document_list" && $0.status == 200 && $0.path.contains(carenet)
                && !$0.path.contains("?")
        }
        let shown = list.map { $0.seq < placed ?? .max } ?? false ? list?.responseText ?? "" : ""
        let documents = shown.matches(of: /<Document id="([^"]+)"/).map { String($0.output.1) }
        try await sandbox.seedCarenet(carenet, account: account, app: app, documents: documents)
    }

    /// Sessions that a part of the recording began which is not here.
    private func seedSessions(_ sandbox: Sandbox) async throws {
        for token in recording.tokens.values where token.kind.contains("session token") {
            let isIssued = recording.exchanges.contains {
                $0.responseText.contains("oauth_token=\(token.token)")
            }
            guard !isIssued else { continue }
            try await sandbox.seedSession(
                token.token,
                secret: token.secret,
                account: account(of: token)
            )
        }
    }

    /// Request tokens that a part of the recording issued which is not here.
    private func seedRequestTokens(_ sandbox: Sandbox) async throws {
        for token in recording.tokens.values where token.kind.contains("request token") {
            let isIssued = recording.exchanges.contains {
                $0.call == "request_token" && $0.responseText.contains("oauth_token=\(token.token)")
            }
            guard !isIssued else { continue }
            let exchange = recording.exchanges.first {
                $0.call == "exchange_token" && $0.status == 200
                    && $0.requestHeader("Authorization")?.contains("oauth_token=\"\(token.token)\"") == true
            }
            let record = exchange?.responseText.firstMatch(of: /xoauth_indivo_record_id=([0-9a-f-]+)/)
                .map { String($0.output.1) }
            let app = exchange?.requestHeader("Authorization")?.firstMatch(of: /oauth_consumer_key="([^"]+)"/)
                .flatMap { String($0.output.1).removingPercentEncoding }
            try await sandbox.seedRequestToken(
                token.token,
                secret: token.secret,
                app: app ?? "probe@apps.indivo.org",
                record: record
            )
        }
    }

    /// The apps that worked on the record when the recording began: those that the first look at a request
    /// token calls known already.
    private func sharesAtStart() throws -> Set<String> {
        var apps: Set<String> = []
        for exchange in recording.exchanges
        where exchange.call == "request_token_info" && exchange.status == 200 {
            guard let app = exchange.responseText.firstMatch(of: /<App id="([^"]+)"/) else { continue }
            if exchange.responseText.contains("<kind>same</kind>"), exchange.seq < 55 {
                apps.insert(String(app.output.1))
            }
        }
        // Where the first list of shares comes before any app was let in, it names them.
        let list = recording.exchanges.first { $0.call == "record_shares" && $0.status == 200 }
        let isFirst = !recording.exchanges.contains {
            $0.call == "request_token_approve" && $0.seq < list?.seq ?? 0
        }
        if let list, isFirst {
            apps.formUnion(list.responseText.matches(of: /pha="([^"]+)"/).map { String($0.output.1) })
        }
        return apps
    }

    /// Whether a record had none until a request set them.
    private func hasNoDemographics(_ record: String) -> Bool {
        let first = recording.exchanges.first {
            $0.path.hasPrefix("/records/\(record)/demographics") && [200, 404].contains($0.status)
        }
        return first?.status == 404
    }

    private func demographicsId(of record: String) throws -> String? {
        recording.exchanges.lazy.compactMap { exchange in
            exchange.responseText.firstMatch(
                of: /<Record id="([^"]+)" label="[^"]*"><demographics document_id="([^"]+)"/
            )
            .flatMap { String($0.output.1) == record ? String($0.output.2) : nil }
        }.first
    }

    private func recordCreation(of record: String) throws -> Date {
        recording.exchanges.lazy.compactMap { exchange in
            exchange.responseText.firstMatch(of: /<Record id="([^"]+)".*<created at="([^"]+)"/)
                .flatMap { String($0.output.1) == record ? RecordedDocument.date(String($0.output.2)) : nil }
        }.first ?? Date(timeIntervalSince1970: 0)
    }

    private func demographicsDocument(_ label: String) -> String {
        if label == "Probe Patient" {
            if let known = SeedFacts.demographics(in: recording) { return known }
            if let sample = SeedFacts.demographics(patient: "patient_1288992") { return sample }
        }
        return """
            <Demographics \
            xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>1950-01-01</dateOfBirth>\
            <gender>male</gender><Name><familyName>X</familyName><givenName>Y</givenName></Name>\
            </Demographics>
            """
    }

    /// Puts the documents in that were there before, each with the facts that are known of it.
    private func seedDocuments(
        _ seeds: [RecordedDocument],
        _ known: [String: String],
        _ sandbox: Sandbox,
        record: String
    ) async throws {
        var samples = SeedFacts.samples(patient: "patient_1288992")
        let knownKeys = Set(known.values.map { SeedFacts.key(of: $0) })
        samples.removeAll { knownKeys.contains($0.key) }
        // What is left of the samples goes to what is left of the documents, by size.
        let rest = seeds.filter { known[$0.id] == nil && contents[$0.digest] == nil }.sorted {
            $0.size < $1.size
        }
        let bySize = samples.sorted { $0.document.utf8.count < $1.document.utf8.count }
        let assigned = Dictionary(
            zip(rest.map(\.id), bySize.map(\.document)),
            uniquingKeysWith: { first, _ in first }
        )
        for seed in seeds {
            let content =
                contents[seed.digest] ?? Data((known[seed.id] ?? assigned[seed.id] ?? "<unknown/>").utf8)
            give(.document, [seed.id])
            try await sandbox.seed(
                Sandbox.SeedDocument(
                    id: seed.id,
                    record: record,
                    content: content,
                    contentType: seed.digest.count == 40 ? "application/pdf" : "application/xml",
                    size: seed.size,
                    digest: seed.digest,
                    createdAt: seed.createdAt
                )
            )
        }
    }

    /// Facts that a URL of the recording names get the ids they had.
    private func seedFactIds(_ sandbox: Sandbox) async throws {
        for exchange in recording.exchanges
        where exchange.call.hasSuffix("_instance") && exchange.status == 200 {
            guard let id = exchange.path.split(separator: "/").last else { continue }
            let codes = exchange.responseText.matches(of: /<dcterms:identifier>([^<]+)</).map {
                String($0.output.1)
            }
            try await sandbox.seedFactId(String(id), containing: codes)
        }
    }

    // MARK: Replaying

    /// Sends one request, once what happened before it in parts of the recording that are not here has been
    /// made up for.
    func send(_ exchange: ServerExchange, to sandbox: Sandbox) async throws -> RawHTTP.Answer {
        try await makeUp(before: exchange, in: sandbox)
        setClock(exchange.at)
        let text = exchange.responseText
        if let accepted = accepted[exchange.seq] {
            setClock(accepted.createdAt)
            give(.document, [accepted.id])
        } else if let made = text.firstMatch(of: /^<Document id="([^"]+)".*?<createdAt>([^<]+)</),
            exchange.method != "GET"
        {
            setClock(RecordedDocument.date(String(made.output.2)))
            give(.document, [String(made.output.1)])
        } else {
            give(.document, [])
        }
        give(tokens: tokens(in: text))
        give(.message, messageIds(for: exchange))
        var headers = exchange.requestHeaders
        headers.append(("Host", exchange.host))
        return try await RawHTTP.request(
            exchange.method,
            port: sandbox.apiURL.port ?? 0,
            target: exchange.path,
            headers: headers,
            body: exchange.sentBody
        )
    }

    /// The tokens in an answer, in the order in which the sandbox makes them.
    private func tokens(in text: String) -> [String] {
        func first(_ pattern: Regex<(Substring, Substring)>) -> [String] {
            text.firstMatch(of: pattern).map { [String($0.output.1)] } ?? []
        }
        if text.contains("<ConnectCredentials>") {
            return first(/<RESTToken>([^<]+)</) + first(/<RESTSecret>([^<]+)</)
                + first(/<ConnectToken>([^<]+)</)
                + first(/<ConnectSecret>([^<]+)</)
        }
        if text.hasPrefix("location=") { return first(/oauth_verifier%3D([A-Za-z0-9]+)/) }
        return first(/oauth_token=([A-Za-z0-9]+)/) + first(/oauth_token_secret=([A-Za-z0-9]+)/)
    }

    /// The id that the message of a request had, found by its subject in a later inbox.
    private func messageIds(for exchange: ServerExchange) -> [String] {
        guard exchange.call == "record_send_message", exchange.status == 200 else { return [] }
        let fields = Dictionary(
            exchange.requestText.split(separator: "&").compactMap { pair -> (String, String)? in
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                return (
                    String(parts[0]), String(parts[1]).replacing("+", with: " ").removingPercentEncoding ?? ""
                )
            },
            uniquingKeysWith: { $1 }
        )
        let subject = fields["subject"] ?? "[no subject]"
        // Two messages may have one subject, and one may come twice: an id is given once.
        let candidates = inbox.filter {
            $0.subject == subject && abs($0.at.timeIntervalSince(exchange.at)) < 2
        }
        .sorted { $0.at < $1.at }.map(\.id)
        return givenMessages.withLock { given in
            let id = candidates.first { !given.contains($0) }
            return id.map { given.insert($0).inserted ? [$0] : [] } ?? []
        }
    }

    private var inbox: [(id: String, subject: String, at: Date)] {
        recording.exchanges.filter { $0.call == "account_inbox" }.flatMap { exchange in
            exchange.responseText.matches(
                of: /<Message id="([^"]+)"><sender>[^<]*<\/sender><received_at>([^<]+)<.*?<subject>([^<]*)</
            ).map { match in
                (
                    String(match.output.1), TestBrowser.unescape(String(match.output.3)),
                    RecordedDocument.date(String(match.output.2))
                )
            }
        }
    }

    private func makeUp(before exchange: ServerExchange, in sandbox: Sandbox) async throws {
        // Documents that a part of the recording made which is not here.
        let missing = documents.filter { document in
            !document.isMadeByExchange && document.creatorType != "NoUser" && !isAccepted(document)
                && (document.createdAt < exchange.at || document.sequence == exchange.seq
                    || exchange.path.contains(document.id))
                && seeded.withLock { $0.insert(document.id).inserted }
        }
        for document in missing {
            give(.document, [document.id])
            let content = contents[document.digest] ?? Data("<unknown/>".utf8)
            try await sandbox.seed(
                Sandbox.SeedDocument(
                    id: document.id,
                    record: document.record.isEmpty ? nil : document.record,
                    app: document.app,
                    externalId: document.externalId,
                    content: content,
                    contentType: document.digest.count == 40 ? "application/pdf" : "text/plain",
                    size: document.size,
                    digest: document.digest,
                    creator: (document.creator, document.creatorType),
                    createdAt: document.createdAt
                )
            )
        }
        // The operator let a token's time run out, and then ran the clean-up.
        if exchange.name == "token.expired_cleaned" {
            let header = exchange.requestHeader("Authorization") ?? ""
            let token = header.firstMatch(of: /oauth_token="([^"]+)"/).map { String($0.output.1) } ?? ""
            try await sandbox.seedExpiry(ofAccessToken: token)
            try await sandbox.cleanUpTokens()
        }
        // An exchange that succeeded was approved before.
        if exchange.call == "exchange_token", exchange.status == 200,
            let header = exchange.requestHeader("Authorization")
        {
            let token = header.firstMatch(of: /oauth_token="([^"]+)"/).map { String($0.output.1) } ?? ""
            let verifier =
                header.firstMatch(of: /oauth_verifier="([^"]+)"/).map { String($0.output.1) }
                ?? exchange.requestText.firstMatch(of: /oauth_verifier=([A-Za-z0-9]+)/).map {
                    String($0.output.1)
                }
                ?? ""
            let isApproved = recording.exchanges.contains {
                $0.call == "request_token_approve" && $0.status == 200 && $0.path.contains(token)
                    && $0.seq < exchange.seq
            }
            if !isApproved {
                try await sandbox.seedApproval(ofRequestToken: token, verifier: verifier, by: john)
            }
        }
    }

    /// The documents that attachments became when they were accepted, which no response names, by the
    /// exchange: those that an account made at the time.
    private let accepted: [Int: RecordedDocument]

    private func isAccepted(_ document: RecordedDocument) -> Bool {
        accepted.values.contains { $0.id == document.id }
    }

    private let seeded = Mutex<Set<String>>([])
    private let givenMessages = Mutex<Set<String>>([])
}
