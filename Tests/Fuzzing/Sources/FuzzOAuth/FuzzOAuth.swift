import OAuth1

/// Whatever a peer sends: an error, or something that is the same once it was written and read again. The
/// first byte says what it is read as.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] % 4 {
    case 0: header(String(decoding: bytes, as: UTF8.self))
    case 1: form(bytes)
    case 2: token(bytes)
    default: escapes(String(decoding: bytes, as: UTF8.self))
    }
    return 0
}

private func header(_ text: String) {
    let authorization: OAuthAuthorization
    do {
        authorization = try OAuthAuthorization(parsing: text)
    } catch {
        if "\(error)".isEmpty { fatalError("an error says nothing") }
        return
    }
    guard let again = try? OAuthAuthorization(parsing: authorization.headerValue) else {
        fatalError("a written header cannot be read: \(authorization.headerValue)")
    }
    guard again.parameters == authorization.parameters, again.realm == authorization.realm else {
        fatalError("the header changed")
    }
}

private func form(_ bytes: [UInt8]) {
    let form = FormParameters(decoding: bytes)
    let again = FormParameters(decoding: form.encoded)
    // A pair of two empty texts is written as "=", which is nothing to most readers, but one to us.
    guard again == form else { fatalError("the form changed") }
    for element in form where !form.values(of: element.name).contains(element.value) {
        fatalError("a value is not found")
    }
}

private func token(_ bytes: [UInt8]) {
    guard let answer = try? OAuthTokenResponse(parsing: bytes) else { return }
    if answer.token.value.isEmpty || answer.token.secret.reveal().isEmpty { fatalError("a token is empty") }
    if "\(answer)".contains(answer.token.secret.reveal()) && answer.token.secret.reveal().count > 4
        && !answer.additionalParameters.contains(where: { "\($0)".contains(answer.token.secret.reveal()) })
        && !answer.token.value.contains(answer.token.secret.reveal())
        && !"""
        OAuthTokenResponse(token: OAuthToken(value: secret: ), isCallbackConfirmed: Optional(true false), \
        nil additionalParameters: FormParameters
        """
        .contains(answer.token.secret.reveal())
    {
        fatalError("a description shows a secret")
    }
}

private func escapes(_ text: String) {
    guard (try? PercentEncoding.decode(PercentEncoding.encode(text))) == text else {
        fatalError("the text changed")
    }
    guard let decoded = try? PercentEncoding.decode(text) else { return }
    guard (try? PercentEncoding.decode(PercentEncoding.encode(decoded))) == decoded else {
        fatalError("the decoded text changed")
    }
}
