#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif

/// libxml2's one-time set-up, which must come before it is used from several threads.
enum XMLLibrary {
    private static let once: Void = xmlInitParser()

    @inline(__always)
    static func initialize() { once }
}
