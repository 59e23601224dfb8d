extension Request {
    /// Whether a form was sent by a page of this server, or by a client that is no browser.
    ///
    /// A browser reports the site in `Sec-Fetch-Site`, which also holds behind a proxy that ends TLS and has another name
    /// than this server. Without that header, `Origin` has to name the host of the request, whatever its scheme.
    package var isFromOwnPage: Bool {
        if let site = header("Sec-Fetch-Site") { return site == "same-origin" || site == "none" }
        guard let origin = header("Origin") else { return true }
        guard let scheme = origin.range(of: "://"), let host = header("Host") else { return false }
        return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }
}
