import libxml2

/// An error that libxml2 reports, in its words.
struct LibXMLMessage {
    var text: String
    /// The line of the error's node, or in the text that libxml2 read; nil where it knows none.
    var line: Int?
    /// The record of the node that libxml2 made for a mirror.
    var node: UInt32?
    /// A number whose meaning is the error's: XPath's is where the expression goes wrong.
    var number: Int

    /// Where printed messages go: Swift cannot make the variadic function that libxml2 would call for them.
    // Set once, and a stream of the C library locks itself.
    nonisolated(unsafe) private static let nullDevice = fopen("/dev/null", "w")

    /// Calls libxml2 without a word on standard error. The handlers are this thread's, and are put back
    /// afterwards.
    static func collected<Result>(_ body: () -> Result) -> (result: Result, messages: [LibXMLMessage]) {
        let print = __xmlGenericError().pointee
        let printContext = __xmlGenericErrorContext().pointee
        let report = __xmlStructuredError().pointee
        let reportContext = __xmlStructuredErrorContext().pointee
        defer {
            xmlSetGenericErrorFunc(printContext, print)
            xmlSetStructuredErrorFunc(reportContext, report)
        }
        xmlSetGenericErrorFunc(nullDevice, nil)
        var messages: [LibXMLMessage] = []
        let result = withUnsafeMutablePointer(to: &messages) { messages in
            xmlSetStructuredErrorFunc(messages) { messages, error in
                guard let messages, let error else { return }
                messages.assumingMemoryBound(to: [LibXMLMessage].self).pointee.append(
                    LibXMLMessage(error.pointee)
                )
            }
            return body()
        }
        return (result, messages)
    }

    private init(_ error: xmlError) {
        text = error.message.map { String(cString: $0) } ?? "no reason is given"
        line = error.line > 0 ? Int(error.line) : nil
        node = error.node.flatMap { LibXMLMirror.index(of: $0.assumingMemoryBound(to: xmlNode.self)) }
        number = Int(error.int1)
    }
}

/// libxml2's one-time set-up, which must come before it is used from several threads.
enum XMLLibrary {
    static let initialized: Void = xmlInitParser()
}
