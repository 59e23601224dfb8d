import Foundation
import OrderedJSON
import TestSupport

extension ServerExchange {
    /// The request's body; where the recording left it out, XML that is as long.
    var sentBody: Data {
        guard let omittedBody else { return requestBody ?? Data() }
        let start = "<omitted>"
        let end = "</omitted>"
        let length = max(0, omittedBody.length - start.utf8.count - end.utf8.count)
        return Data((start + String(repeating: "x", count: length) + end).utf8)
    }

    var at: Date { answeredAt ?? Date(timeIntervalSince1970: 0) }
}

/// A folder of recorded exchanges, with the credentials they were made with.
struct Recording: Sendable {
    struct Credential: Sendable {
        var key: String
        var secret: String
        var kind: String
    }

    struct Account: Sendable {
        /// What the recording calls it.
        var name: String
        /// The name of the person, where the recording tells.
        var fullName: String?
        var email: String
        var username: String
        var password: String
    }

    struct Token: Sendable {
        var token: String
        var secret: String
        var kind: String
        var record: String?
        var carenet: String?
    }

    /// Where the recorded server was.
    var base = "http://127.0.0.1:8000"
    var exchanges: [ServerExchange]
    /// The sequence numbers of exchanges that are only there for what they change.
    var context: Set<Int> = []
    var accounts: [Account]
    var consumers: [Credential]
    var tokens: [String: Token]
    /// Ids by label.
    var records: [String: String]
    var carenets: [String: String]

    /// The digest of the exchanges, which tells one recording from another.
    static func digest() throws -> String {
        Digests.sha256(try ServerRecordings.content())
    }

    /// Loads the recording to replay.
    ///
    /// State carries over from one exchange to the next: where the folder holds a part of a recording whose
    /// other part lies beside the package, that is replayed with it, each request in its turn, and not
    /// compared.
    static func load() throws -> Recording {
        let folder = ServerRecordings.folder
        let beside = ServerRecordings.folderBesidePackage
        var recording = try load(folder)
        guard folder.standardizedFileURL != beside.standardizedFileURL,
            let other = try? load(beside), other.records == recording.records
        else { return recording }
        let compared = Set(recording.exchanges.map(\.seq))
        let context = other.exchanges.filter { !compared.contains($0.seq) }
        recording.context = Set(context.map(\.seq))
        recording.exchanges = (recording.exchanges + context).sorted { $0.seq < $1.seq }
        return recording
    }

    private static func load(_ folder: URL) throws -> Recording {
        let json = try ServerRecordings.credentials(in: folder)
        func values<Value>(_ list: JSONValue?, _ make: (JSONValue) -> Value) -> [String: Value] {
            Dictionary((list?.members ?? []).map { ($0.name, make($0.value)) }, uniquingKeysWith: { $1 })
        }
        func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }
        return Recording(
            base: json["base_url"]?.string ?? "http://127.0.0.1:8000",
            exchanges: try ServerRecordings.exchanges(in: folder),
            accounts: values(json["accounts"]) {
                Account(
                    name: "",
                    fullName: $0["full_name"]?.string,
                    email: text($0, "email"),
                    username: text($0, "username"),
                    password: text($0, "password")
                )
            }.map { name, account in
                var account = account
                account.name = name
                return account
            },
            consumers: values(json["consumers"]) {
                Credential(key: text($0, "key"), secret: text($0, "secret"), kind: text($0, "kind"))
            }.map(\.value),
            tokens: values(json["tokens"]) { token in
                Token(
                    token: text(token, "token"),
                    secret: text(token, "secret"),
                    kind: text(token, "kind"),
                    record: token["response"]?["xoauth_indivo_record_id"]?.string,
                    carenet: token["response"]?["xoauth_indivo_carenet_id"]?.string
                )
            },
            records: values(json["records"]) { $0.string ?? "" },
            carenets: values(json["other"]?["carenets"]) { $0.string ?? "" }
        )
    }
}
