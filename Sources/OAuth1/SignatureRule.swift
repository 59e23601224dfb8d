/// How the base string of a signature is made.
public enum SignatureRule: Sendable, Hashable {
    /// As RFC 5849 (3.4.1) says: host in lower case, default port left out, path as sent, query and form body signed.
    case rfc5849

    /// As Indivo X servers do, which keep to the RFC where a plain request is concerned and leave it in these points:
    ///
    /// - the `Host` header is taken verbatim: no lower case, no default port left out;
    /// - the path is percent-decoded, and then cut at the first `?` or `#`, and at the first `;` of its last segment;
    ///   a path that decodes to something other than ASCII cannot be signed at all;
    /// - the query is signed for `GET` only, and `;` separates its parameters as `&` does;
    /// - a form body is signed, for all other methods, when its content type is the form type, to the letter;
    /// - parameters are sorted before they are percent-encoded, and a name may occur only once.
    ///
    /// A request whose path needs no escapes, whose query goes with `GET`, and whose host is in lower case has the
    /// same base string under both rules.
    case indivo
}
