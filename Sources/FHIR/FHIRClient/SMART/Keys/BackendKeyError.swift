#if SMART
/// Why a text or file is no key that can sign for SMART backend services. It says nothing of the key.
public enum BackendKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no `-----BEGIN …-----`.
    case notPEM
    /// The key needs a passphrase.
    case encrypted
    /// An RSA key of fewer than 2048 bits.
    case tooShort(bits: Int)
    /// Another kind of key, or a damaged one.
    case unsupported(type: String)
    /// The file cannot be read, or is too large.
    case unreadable
    /// The file's permissions let others than its owner read it.
    case readableByOthers

    public var description: String {
        switch self {
        case .notPEM: "not PEM: there is no line -----BEGIN … PRIVATE KEY-----"
        case .encrypted:
            """
            the private key is encrypted; decrypt it with openssl pkey -in KEY -out FILE, \
            readable by you alone
            """
        case .tooShort(let bits): "the RSA key has \(bits) bits; RS384 needs 2048 or more"
        case .unsupported(let type):
            """
            \(type) holds no key that can be used: make one with openssl genpkey -algorithm EC -pkeyopt \
            ec_paramgen_curve:P-384
            """
        case .unreadable: "the file with the private key cannot be read, or has more than 64 kB"
        case .readableByOthers: "others can read the file with the private key; chmod 600 it"
        }
    }
}
#endif
