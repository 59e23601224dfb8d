import OAuth1
import TestSupport
import Testing

/// Signatures recorded with a real Indivo server, computed again.
@Suite(
    "Recorded exchanges",
    .enabled(
        if: ServerRecordings.areWanted,
        "no recordings beside the package; name their folder in INDIVO_RECORDINGS"
    )
)
struct RecordedExchangeTests {
    /// The exchanges that were signed otherwise than RFC 5849 asks, and why. Those of another recording are
    /// not listed.
    private static let deviations = [
        "get_version.bad_signature": wrong, "request_token.bad_consumer_secret": wrong,
        "error.bad_consumer_secret": wrong,
        "record_document_label.form_ctype_unsigned": wrong, "document_set_status.body_unsigned": wrong,
        "document_create_by_ext_id.char_question_decoded": wrong,
        "document_create_by_ext_id.char_hash_decoded": wrong,
        "path.at_percent40_decoded_sbs": decoded, "document_create_by_ext_id.char_space_decoded": decoded,
        "record_document_meta_ext.char_space": decoded,
        "document_create_by_ext_id.char_tilde_escaped_decoded": decoded,
        "document_create_by_ext_id.char_percent_decoded": decoded,
        "record_document_meta_ext.char_percent": decoded,
        "document_create_by_ext_id.char_percent_escape_like_decoded": decoded,
        "document_create_by_ext_id.char_slash_decoded": decoded,
        "document_create_by_ext_id.char_bracket_pipe_decoded": decoded,
        "document_create_by_ext_id.char_hash_truncated": decoded,
        "error.token_of_other_app": "refused: \(OAuthRefusal.unknownToken)",
        "error.empty_token": "signed without the token, for the app alone",
        "error.method_hmac_sha256": "signed with HMAC-SHA256, which the server does not know",
        "error.host_uppercase_verbatim": "signed as the server does: over the Host header verbatim",
        "error.host_default_port_verbatim": "signed as the server does: over the Host header verbatim",
    ]
    private static let wrong = "refused: \(OAuthRefusal.wrongSignature)"
    private static let decoded = "signed as the server does: over the decoded path"

    @Test("every signed exchange is signed alike here, or deviates by its server's rule")
    func reSign() async throws {
        let recording = try Recording()
        let server = RecordedServer(recording)
        let scheme = recording.credentials.scheme
        var signed = 0
        var unreadable = 0
        var deviating: [String: String] = [:]
        for exchange in recording.exchanges {
            guard let signer = exchange.signedWith, let header = exchange.requestHeader("Authorization")
            else { continue }
            signed += 1
            let authorization: OAuthAuthorization
            do {
                authorization = try OAuthAuthorization(parsing: header)
            } catch {
                unreadable += 1
                #expect(exchange.status == 403, "\(exchange.name): status \(exchange.status), but \(error)")
                continue
            }
            let signature = try OAuthSigner.signature(
                request: exchange.request(scheme: scheme),
                authorization: authorization,
                credentials: recording.credentials.credentials(of: signer)
            )
            let errorClass = try await server.errorClass(on: exchange, authorization: authorization)
            if signature == authorization.signature {
                if let recorded = exchange.signatureBaseString {
                    let ours = try SignatureBaseString(
                        request: exchange.request(scheme: scheme),
                        authorization: authorization
                    )
                    #expect(ours.description == recorded, "\(exchange.name): another base string")
                }
                if case .failure(let refusal) = errorClass {
                    // 404 and 405 are answered before the signature is looked at.
                    #expect(
                        [403, 404, 405, 500].contains(exchange.status),
                        "\(exchange.name): status \(exchange.status), but the server's rule says: \(refusal)"
                    )
                }
            } else {
                let deviation = Deviation(exchange: exchange, errorClass: errorClass)
                deviating[exchange.name] = deviation.reason
                #expect(
                    deviation.agrees(withStatus: exchange.status),
                    "\(exchange.name): status \(exchange.status), but: \(deviation)"
                )
                if case .success = errorClass, let recorded = exchange.signatureBaseString {
                    let ours = try SignatureBaseString(
                        request: exchange.request(scheme: scheme),
                        authorization: authorization,
                        rule: .indivo
                    )
                    #expect(ours.description == recorded, "\(exchange.name): another base string")
                }
            }
        }
        try #require(signed > 0, "\(ServerRecordings.folder.path) holds no signed exchange")
        let names = Set(recording.exchanges.map(\.name))
        #expect(
            deviating.filter { Self.deviations[$0.key] != nil }
                == Self.deviations.filter { names.contains($0.key) }
        )
        // What a library signed is signed as the RFC asks, with a method that this module knows.
        let byLibrary = Set(recording.exchanges.filter { $0.signer != "custom" }.map(\.name))
        for (name, reason) in deviating where Self.deviations[name] == nil {
            #expect(
                !byLibrary.contains(name) || reason.hasPrefix("signed with "),
                "\(name) deviates: \(reason)"
            )
            #expect(!reason.hasSuffix("in a way not known"), "\(name)")
        }
        let reSigned = signed - unreadable - deviating.count
        #expect(Double(reSigned) >= 0.85 * Double(signed), "\(reSigned) of \(signed) re-sign")
        if Set(Self.deviations.keys).isSubset(of: names), signed == 441 {
            #expect(reSigned == 419 && unreadable == 0)
        }
        print(
            """
            re-signed \(reSigned) of \(signed), \(deviating.count) deviate on purpose, \(unreadable) cannot \
            be read
            """
        )
    }
}
