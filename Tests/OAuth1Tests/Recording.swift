import Foundation
import OAuth1
import Testing

/// Exchanges recorded with a real Indivo server, and the credentials to recompute their signatures.
struct Recording {
    let exchanges: [RecordedExchange]
    let credentials: RecordedCredentials

    /// The folder that `INDIVO_RECORDINGS` names, else the one beside the package.
    static let folder: URL =
        if let named = ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] {
            URL(fileURLWithPath: named, isDirectory: true)
        } else {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../shared/recordings").standardizedFileURL
        }

    /// False when there is nothing to test with, and nobody asked for it.
    static let isWanted =
        ProcessInfo.processInfo.environment["INDIVO_RECORDINGS"] != nil
        || FileManager.default.fileExists(atPath: folder.path)

    /// Reads the folder's `exchanges.jsonl` and `credentials.json`; the exchanges come in their order in time.
    init() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        exchanges = try Data(contentsOf: Self.folder.appending(path: "exchanges.jsonl"))
            .split(separator: UInt8(ascii: "\n"))
            .map { try decoder.decode(RecordedExchange.self, from: $0) }
            .sorted { $0.seq < $1.seq }
        // Names such as "access_carenet" are keys there: no conversion.
        credentials = try JSONDecoder().decode(
            RecordedCredentials.self, from: Data(contentsOf: Self.folder.appending(path: "credentials.json")))
    }
}

/// One line of `exchanges.jsonl`.
struct RecordedExchange: Decodable, CustomTestStringConvertible {
    struct Signer: Decodable {
        var consumer: String
        var token: String?
    }

    struct OmittedBody: Decodable {
        var sha1: String
    }

    var name: String
    var seq: Int
    var method: String
    var path: String
    var host: String
    var requestHeaders: [[String]]
    var signedWith: Signer?
    /// What made the signature: a library, or code of the recording's own where it is wrong on purpose.
    var signer: String?
    var signatureBaseString: String?
    var requestBody: String?
    var requestBodyB64: String?
    var requestBodyOmitted: OmittedBody?
    var status: Int
    var responseHeaders: [[String]]

    var testDescription: String { name }

    func header(_ name: String) -> String? {
        Self.value(of: name, in: requestHeaders)
    }

    /// When the server answered, in seconds since 1970.
    var answeredAt: Int? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return Self.value(of: "Date", in: responseHeaders).flatMap(format.date(from:))
            .map { Int($0.timeIntervalSince1970) }
    }

    /// The request as it was sent to a server of this scheme.
    func request(scheme: String) throws -> OAuthRequest {
        var body = requestBody.map { Array($0.utf8) }
        if let encoded = requestBodyB64 {
            body = Array(try #require(Data(base64Encoded: encoded), "\(name): the body is not base64"))
        }
        return OAuthRequest(
            method: method, scheme: scheme, authority: host, target: path, contentType: header("Content-Type"),
            body: body)
    }

    private static func value(of name: String, in headers: [[String]]) -> String? {
        headers.first { $0.count == 2 && $0[0].lowercased() == name.lowercased() }?[1]
    }
}

/// `credentials.json`, as far as signatures need it.
struct RecordedCredentials: Decodable {
    struct Consumer: Decodable {
        var key: String
        var secret: String
    }

    struct Token: Decodable {
        var token: String
        var secret: String
    }

    /// The address of the API server.
    var baseURL: String?
    var consumers: [String: Consumer]
    var tokens: [String: Token]

    private enum CodingKeys: String, CodingKey {
        case consumers, tokens
        case baseURL = "base_url"
    }

    /// `http` or `https`.
    var scheme: String {
        baseURL?.hasPrefix("https:") == true ? "https" : "http"
    }

    func credentials(of signer: RecordedExchange.Signer) throws -> OAuthCredentials {
        let consumer = try #require(consumers[signer.consumer], "credentials.json has no consumer \(signer.consumer)")
        return OAuthCredentials(
            consumer: OAuthConsumer(key: consumer.key, secret: Secret(consumer.secret)),
            token: try signer.token.map {
                let token = try #require(tokens[$0], "credentials.json has no token \($0)")
                return OAuthToken(value: token.token, secret: Secret(token.secret))
            })
    }
}
