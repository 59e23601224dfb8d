import OAuth1
import OrderedJSON
import TestSupport
import Testing

/// Exchanges recorded with a real Indivo server, and the credentials to recompute their signatures.
struct Recording {
    let exchanges: [ServerExchange]
    let credentials: RecordedCredentials

    init() throws {
        exchanges = try ServerRecordings.exchanges()
        credentials = RecordedCredentials(try ServerRecordings.credentials())
    }
}

extension ServerExchange {
    /// The request as it was sent to a server of this scheme.
    func request(scheme: String) -> OAuthRequest {
        OAuthRequest(
            method: method,
            scheme: scheme,
            authority: host,
            target: path,
            contentType: requestHeader("Content-Type"),
            body: requestBody.map { Array($0) }
        )
    }
}

/// `credentials.json`, as far as signatures need it.
struct RecordedCredentials {
    /// The keys and secrets of apps, and the tokens and theirs.
    let consumers: [String: (key: String, secret: String)]
    let tokens: [String: (token: String, secret: String)]
    /// `http` or `https`.
    let scheme: String

    init(_ json: JSONValue) {
        func pairs(_ list: String, _ name: String) -> [String: (String, String)] {
            Dictionary(
                (json[list]?.members ?? []).map { member in
                    (member.name, (member.value[name]?.string ?? "", member.value["secret"]?.string ?? ""))
                },
                uniquingKeysWith: { $1 }
            )
        }
        consumers = pairs("consumers", "key")
        tokens = pairs("tokens", "token")
        scheme = json["base_url"]?.string?.hasPrefix("https:") == true ? "https" : "http"
    }

    func credentials(of signer: ServerExchange.Signer) throws -> OAuthCredentials {
        let consumer = try #require(
            consumers[signer.consumer],
            "credentials.json has no consumer \(signer.consumer)"
        )
        return OAuthCredentials(
            consumer: OAuthConsumer(key: consumer.key, secret: Secret(consumer.secret)),
            token: try signer.token.map {
                let token = try #require(tokens[$0], "credentials.json has no token \($0)")
                return OAuthToken(value: token.token, secret: Secret(token.secret))
            }
        )
    }
}
