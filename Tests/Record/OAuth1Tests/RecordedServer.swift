import Foundation
import OAuth1
import TestSupport

/// The server of a recording: what it knew, and what it says of a signature by its own rule.
struct RecordedServer: OAuthSecretSource {
    private let secretOfConsumer: [String: Secret]
    private let secretOfToken: [String: Secret]
    /// The key of the consumer each token was issued to: the one that is named beside it most often.
    private let ownerOfToken: [String: String]
    private let nonces = OAuthNonceMemory()
    private let scheme: String

    init(_ recording: Recording) {
        let credentials = recording.credentials
        scheme = credentials.scheme
        secretOfConsumer = Dictionary(
            credentials.consumers.values.map { ($0.key, Secret($0.secret)) },
            uniquingKeysWith: { first, _ in first }
        )
        secretOfToken = Dictionary(
            credentials.tokens.values.map { ($0.token, Secret($0.secret)) },
            uniquingKeysWith: { first, _ in first }
        )
        var votes: [String: [String: Int]] = [:]
        for signer in recording.exchanges.compactMap(\.signedWith) {
            if let token = signer.token.flatMap({ credentials.tokens[$0]?.token }),
                let consumer = credentials.consumers[signer.consumer]?.key
            {
                votes[token, default: [:]][consumer, default: 0] += 1
            }
        }
        ownerOfToken = votes.compactMapValues { $0.max { $0.value < $1.value }?.key }
    }

    func consumerSecret(forKey key: String) -> Secret? { secretOfConsumer[key] }

    func tokenSecret(forToken token: String, consumerKey: String) -> Secret? {
        ownerOfToken[token] == consumerKey ? secretOfToken[token] : nil
    }

    /// Whether the server's rule accepts the signature of an exchange, and if not, why not. Ask in the order
    /// of time: nonces are remembered.
    func errorClass(
        on exchange: ServerExchange,
        authorization: OAuthAuthorization
    ) async throws -> Result<OAuthCaller, OAuthRefusal> {
        let answeredAt =
            exchange.answeredAt.map { Int($0.timeIntervalSince1970) } ?? authorization.timestamp.flatMap {
                Int($0)
            } ?? 0
        let verifier = OAuthVerifier(secrets: self, nonces: nonces, policy: .indivo, clock: { answeredAt })
        do {
            return .success(try await verifier.verify(authorization, of: exchange.request(scheme: scheme)))
        } catch OAuthRefusal.wrongBodyHash where bodyHashFitsOmittedBody(exchange, authorization) {
            return .success(
                OAuthCaller(consumerKey: authorization.consumerKey ?? "", token: authorization.token)
            )
        } catch let refusal as OAuthRefusal {
            return .failure(refusal)
        }
    }

    /// A body that was left out of the recording is known by its SHA-1 in hexadecimal digits.
    private func bodyHashFitsOmittedBody(_ exchange: ServerExchange, _ authorization: OAuthAuthorization)
        -> Bool
    {
        guard let omitted = exchange.omittedBody, let hash = authorization.bodyHash,
            let digest = Data(base64Encoded: hash)
        else { return false }
        let digits = digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return digits == omitted.sha1.lowercased()
    }
}
