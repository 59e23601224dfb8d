#if canImport(CLibXML2)
import CLibXML2
#else
import libxml2
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What libxml2 prints on standard error of its own accord.
enum LibXMLMessages {
    /// Where printed messages go: Swift cannot make the variadic function that libxml2 would call for them.
    // Set once, and a stream of the C library locks itself.
    nonisolated(unsafe) private static let nullDevice = fopen("/dev/null", "w")

    /// Calls libxml2 without a word on standard error. The handlers are this thread's, and are put back afterwards.
    static func silenced<Result>(_ body: () -> Result) -> Result {
        let print = __xmlGenericError().pointee
        let printContext = __xmlGenericErrorContext().pointee
        let report = __xmlStructuredError().pointee
        let reportContext = __xmlStructuredErrorContext().pointee
        xmlSetGenericErrorFunc(nullDevice, nil)
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        defer {
            xmlSetGenericErrorFunc(printContext, print)
            xmlSetStructuredErrorFunc(reportContext, report)
        }
        return body()
    }
}

/// libxml2's one-time set-up, which must come before it is used from several threads.
enum XMLLibrary {
    private static let once: Void = xmlInitParser()

    @inline(__always)
    static func initialize() { once }
}
