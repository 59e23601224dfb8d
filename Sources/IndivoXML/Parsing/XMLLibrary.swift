import CLibXML2

/// libxml2's one-time set-up, which must come before it is used from several threads.
enum XMLLibrary {
    private static let once: Void = xmlInitParser()

    @inline(__always)
    static func initialize() { once }
}
