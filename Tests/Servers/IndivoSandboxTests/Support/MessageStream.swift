import Logging

/// A log that a test reads.
struct MessageStream: LogHandler {
    private let continuation: AsyncStream<String>.Continuation
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(_ continuation: AsyncStream<String>.Continuation, level: Logger.Level = .notice) {
        self.continuation = continuation
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { _, new in new }
        continuation.yield(values.isEmpty ? event.message.description : "\(event.message) \(values)")
    }
}
