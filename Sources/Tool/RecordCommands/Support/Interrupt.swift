import Foundation

/// The signals by which a person or a supervisor ends a command.
package enum Interrupt {
    /// Returns once the process is interrupted or told to terminate.
    package static func wait() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}
