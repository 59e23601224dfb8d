import OAuth1
import Testing

/// Signatures recorded with a real Indivo server, computed again.
@Suite(
    "Recorded exchanges",
    .enabled(if: Recording.isWanted, "no recordings beside the package; name their folder in INDIVO_RECORDINGS"))
struct RecordedExchangeTests {
    @Test("every signed exchange re-signs by RFC 5849, or deviates as the server's own rule explains")
    func reSign() async throws {
        let recording = try Recording()
        let server = RecordedServer(recording)
        let scheme = recording.credentials.scheme
        var signed = 0
        var reSigned = 0
        var deviating = 0
        for exchange in recording.exchanges {
            guard let signer = exchange.signedWith, let header = exchange.header("Authorization") else { continue }
            signed += 1
            let authorization: OAuthAuthorization
            do {
                authorization = try OAuthAuthorization(parsing: header)
            } catch {
                deviating += 1
                #expect(exchange.status == 403, "\(exchange.name): status \(exchange.status), but \(error)")
                continue
            }
            let signature = try OAuthSigner.signature(
                request: exchange.request(scheme: scheme), authorization: authorization,
                credentials: recording.credentials.credentials(of: signer))
            let verdict = try await server.verdict(on: exchange, authorization: authorization)
            if signature == authorization.signature {
                reSigned += 1
                if let recorded = exchange.signatureBaseString {
                    let ours = try SignatureBaseString(
                        request: exchange.request(scheme: scheme), authorization: authorization)
                    #expect(ours.description == recorded, "\(exchange.name): another base string")
                }
                if case .failure(let refusal) = verdict {
                    // 404 and 405 are answered before the signature is looked at.
                    #expect(
                        [403, 404, 405, 500].contains(exchange.status),
                        "\(exchange.name): status \(exchange.status), but the server's rule says: \(refusal)")
                }
            } else {
                deviating += 1
                let deviation = Deviation(exchange: exchange, verdict: verdict)
                #expect(
                    deviation.agrees(withStatus: exchange.status),
                    "\(exchange.name): status \(exchange.status), but: \(deviation)")
                if case .success = verdict, let recorded = exchange.signatureBaseString {
                    let ours = try SignatureBaseString(
                        request: exchange.request(scheme: scheme), authorization: authorization, rule: .indivo)
                    #expect(ours.description == recorded, "\(exchange.name): another base string")
                }
            }
        }
        #expect(signed > 0, "\(Recording.folder.path) holds no signed exchange")
        #expect(reSigned + deviating == signed)
        print("re-signed \(reSigned) of \(signed), \(deviating) deviate on purpose")
    }
}
