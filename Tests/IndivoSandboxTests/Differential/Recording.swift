import Foundation

/// One recorded request with its answer.
struct RecordedExchange: Sendable {
    var name: String
    var call: String
    var sequence: Int
    var method: String
    var path: String
    var host: String
    var requestHeaders: [(String, String)]
    /// Nil where the recording left it out.
    var requestBody: Data?
    /// The bytes of the body that was left out.
    var omittedLength = 0
    var status: Int
    var responseHeaders: [(String, String)]
    var responseBody: Data
    var at: Date
    var consumer: String?
    var token: String?

    var responseText: String { String(decoding: responseBody, as: UTF8.self) }
    var requestText: String { requestBody.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The request's body; where the recording left it out, XML that is as long.
    var sentBody: Data {
        if let requestBody { return requestBody }
        let (start, end) = ("<omitted>", "</omitted>")
        let length = max(0, omittedLength - start.utf8.count - end.utf8.count)
        return Data((start + String(repeating: "x", count: length) + end).utf8)
    }

    func responseHeader(_ name: String) -> String? {
        responseHeaders.first { $0.0.lowercased() == name.lowercased() }?.1
    }

    func requestHeader(_ name: String) -> String? {
        requestHeaders.first { $0.0.lowercased() == name.lowercased() }?.1
    }
}

/// A folder of recorded exchanges, with the credentials they were made with.
struct Recording: Sendable {
    struct Credential: Sendable {
        var key: String
        var secret: String
        var kind: String
    }

    struct Account: Sendable {
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

    var exchanges: [RecordedExchange]
    /// The sequence numbers of exchanges that are only there for what they change.
    var context: Set<Int> = []
    var accounts: [Account]
    var consumers: [Credential]
    var tokens: [String: Token]
    /// Ids by label.
    var records: [String: String]
    var carenets: [String: String]

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The folder of the recordings: the one that INDIVO_RECORDINGS names, or the one beside the package.
    static var folder: URL {
        ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"].map { URL(fileURLWithPath: $0) } ?? folderBesidePackage
    }

    private static var folderBesidePackage: URL {
        var package = URL(fileURLWithPath: #filePath)
        while package.pathComponents.count > 1,
            !FileManager.default.fileExists(atPath: package.appending(path: "Package.swift").path)
        { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appending(path: "shared/recordings")
    }

    /// Whether there is something to replay. A folder that is named and is not there is a failure, not a reason to
    /// skip.
    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] != nil
            || FileManager.default.fileExists(atPath: folder.appending(path: "exchanges.jsonl").path)
    }

    /// The digest of the exchanges, which tells one recording from another.
    static func digest() throws -> String {
        Digests.sha256(try Data(contentsOf: folder.appending(path: "exchanges.jsonl")))
    }

    /// Loads the recording to replay.
    ///
    /// State carries over from one exchange to the next: where the folder holds a part of a recording whose other part
    /// lies beside the package, that is replayed with it, each request in its turn, and not compared.
    static func load() throws -> Recording {
        var recording = try load(folder)
        guard folder.standardizedFileURL != folderBesidePackage.standardizedFileURL,
            let other = try? load(folderBesidePackage), other.records == recording.records
        else { return recording }
        let compared = Set(recording.exchanges.map(\.sequence))
        let context = other.exchanges.filter { !compared.contains($0.sequence) }
        recording.context = Set(context.map(\.sequence))
        recording.exchanges = (recording.exchanges + context).sorted { $0.sequence < $1.sequence }
        return recording
    }

    private static func load(_ folder: URL) throws -> Recording {
        let lines = try Data(contentsOf: folder.appending(path: "exchanges.jsonl")).split(separator: UInt8(ascii: "\n"))
        let exchanges = try lines.map { try RecordedExchange($0) }.sorted { $0.sequence < $1.sequence }
        let data = try Data(contentsOf: folder.appending(path: "credentials.json"))
        guard let json = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let accounts = json["accounts"] as? [String: [String: Any]],
            let consumers = json["consumers"] as? [String: [String: Any]],
            let tokens = json["tokens"] as? [String: [String: Any]], let records = json["records"] as? [String: String]
        else { throw Failure(description: "credentials.json is not in the form that its README tells") }
        let other = json["other"] as? [String: Any]
        func text(_ value: [String: Any], _ key: String) -> String { value[key] as? String ?? "" }
        return Recording(
            exchanges: exchanges,
            accounts: accounts.values.map {
                Account(email: text($0, "email"), username: text($0, "username"), password: text($0, "password"))
            },
            consumers: consumers.values.map {
                Credential(key: text($0, "key"), secret: text($0, "secret"), kind: text($0, "kind"))
            },
            tokens: tokens.mapValues { token in
                let response = token["response"] as? [String: String]
                return Token(
                    token: text(token, "token"), secret: text(token, "secret"), kind: text(token, "kind"),
                    record: response?["xoauth_indivo_record_id"], carenet: response?["xoauth_indivo_carenet_id"])
            },
            records: records, carenets: other?["carenets"] as? [String: String] ?? [:])
    }
}

extension RecordedExchange {
    init(_ line: Data) throws {
        guard let json = try JSONSerialization.jsonObject(with: line) as? [String: Any],
            let name = json["name"] as? String
        else { throw Recording.Failure(description: "a line of exchanges.jsonl is not a JSON object with a name") }
        func pairs(_ key: String) -> [(String, String)] {
            (json[key] as? [[String]] ?? []).map { ($0[0], $0[1]) }
        }
        func body(_ key: String) -> Data? {
            if let text = json[key] as? String {
                // Foundation drops a byte order mark at the beginning of a string; the request had it.
                let mark = Data("\"\(key)\": \"\u{FEFF}".utf8)
                return (line.range(of: mark) == nil ? Data() : Data([0xEF, 0xBB, 0xBF])) + Data(text.utf8)
            }
            return (json[key + "_b64"] as? String).flatMap { Data(base64Encoded: $0) }
        }
        let omitted = json["request_body_omitted"] as? [String: Any]
        let signed = json["signed_with"] as? [String: Any]
        let headers = pairs("response_headers")
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        let date = headers.first { $0.0 == "Date" }.flatMap { formatter.date(from: $0.1) }
        self.init(
            name: name, call: json["call"] as? String ?? "", sequence: json["seq"] as? Int ?? 0,
            method: json["method"] as? String ?? "", path: json["path"] as? String ?? "",
            host: json["host"] as? String ?? "", requestHeaders: pairs("request_headers"),
            requestBody: omitted == nil ? body("request_body") ?? Data() : nil, status: json["status"] as? Int ?? 0,
            responseHeaders: headers, responseBody: body("response_body") ?? Data(),
            at: date ?? Date(timeIntervalSince1970: 0),
            consumer: signed?["consumer"] as? String, token: signed?["token"] as? String)
        omittedLength = omitted?["length"] as? Int ?? 0
    }
}
