import Dispatch
import OAuth1

private struct Secrets: OAuthSecretSource {
    func consumerSecret(forKey key: String) -> Secret? { key == "app" ? "consumer secret" : nil }
    func tokenSecret(forToken token: String, consumerKey: String) -> Secret? {
        token == "token" ? "token secret" : nil
    }
}

/// Whatever the request: what the signer signs the verifier takes, once; and a header that somebody made up
/// it never takes. Method, target, content type and body are the input's lines; a first byte with its last
/// bit set makes the rest a header.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let isHeader = start[0] & 1 == 1
    let done = DispatchSemaphore(value: 0)
    Task {
        for policy in [OAuthVerificationPolicy.rfc5849, .indivo] {
            let verifier = OAuthVerifier(
                secrets: Secrets(),
                nonces: OAuthNonceMemory(clock: { 1_000 }),
                policy: policy,
                clock: { 1_000 }
            )
            if isHeader {
                await forged(String(decoding: bytes, as: UTF8.self), verifier)
            } else {
                await genuine(bytes, policy, verifier)
            }
        }
        done.signal()
    }
    done.wait()
    return 0
}

private func forged(_ header: String, _ verifier: OAuthVerifier) async {
    guard let authorization = try? OAuthAuthorization(parsing: header) else { return }
    let request = OAuthRequest(
        method: "GET",
        scheme: "https",
        authority: "h.example.org",
        target: "/records/r/"
    )
    do {
        _ = try await verifier.verify(authorization, of: request)
        fatalError("a forged header was taken")
    } catch is OAuthRefusal {
        return
    } catch {
        fatalError("another error: \(error)")
    }
}

private func genuine(_ bytes: [UInt8], _ policy: OAuthVerificationPolicy, _ verifier: OAuthVerifier) async {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4 else { return }
    let texts = lines.prefix(3).map { String(decoding: $0, as: UTF8.self) }
    var request = OAuthRequest(
        method: texts[0],
        scheme: "https",
        authority: "h.example.org",
        target: texts[1],
        contentType: texts[2].isEmpty ? nil : texts[2],
        body: lines[3].isEmpty ? nil : Array(lines[3])
    )
    let signer = OAuthSigner(
        credentials: OAuthCredentials(
            consumer: OAuthConsumer(key: "app", secret: "consumer secret"),
            token: OAuthToken(value: "token", secret: "token secret")
        ),
        rule: policy.rule,
        nonce: { "nonce" },
        clock: { 1_000 }
    )
    guard let signed = try? signer.authorization(for: request, options: .init(includesBodyHash: true)) else {
        return
    }
    guard let header = try? OAuthAuthorization(parsing: signed.headerValue) else {
        fatalError("a signed header cannot be read: \(signed.headerValue)")
    }
    do {
        _ = try await verifier.verify(header, of: request)
    } catch {
        fatalError("a signed request is refused: \(error)")
    }
    if (try? await verifier.verify(header, of: request)) != nil { fatalError("a request was taken twice") }
    request.path += "x"
    do {
        _ = try await OAuthVerifier(
            secrets: Secrets(),
            nonces: OAuthNonceMemory(clock: { 1_000 }),
            policy: policy,
            clock: { 1_000 }
        ).verify(header, of: request)
        // What follows a ?, a # or a ; an Indivo server does not look at.
        if policy.rule == .rfc5849 { fatalError("a request with another path was taken") }
    } catch is OAuthRefusal {
        return
    } catch {
        fatalError("another error: \(error)")
    }
}
