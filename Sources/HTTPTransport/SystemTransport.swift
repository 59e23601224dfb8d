#if !canImport(CLibCurl)
extension HTTPTransport where Self == URLSessionTransport {
    /// The transport of this system, with the usual limits; one for the whole process, so connections are shared.
    public static var system: URLSessionTransport { .shared }

    /// A transport of this system with limits, and connections, of its own.
    public static func system(limits: HTTPLimits) -> URLSessionTransport {
        URLSessionTransport(limits: limits)
    }
}
#else
extension HTTPTransport where Self == CurlTransport {
    /// The transport of this system, with the usual limits; one for the whole process, so connections are shared.
    public static var system: CurlTransport { .shared }

    /// A transport of this system with limits, and connections, of its own.
    public static func system(limits: HTTPLimits) -> CurlTransport {
        CurlTransport(limits: limits)
    }
}
#endif
