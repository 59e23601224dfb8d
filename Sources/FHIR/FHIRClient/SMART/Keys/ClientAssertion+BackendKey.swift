#if SMART
extension ClientAssertion {
    /// An assertion that a private key signs.
    ///
    /// - Parameters:
    ///   - clientID: The client's id: issuer and subject of the assertion.
    ///   - keyID: The id under which the token endpoint knows the public key.
    ///   - key: The private key.
    public init(clientID: String, keyID: String, key: BackendKey) {
        self.init(clientID: clientID, keyID: keyID, algorithm: key.algorithm) { message in
            try key.signature(for: message)
        }
    }
}
#endif
