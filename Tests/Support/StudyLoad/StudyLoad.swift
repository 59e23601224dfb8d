import Foundation
import StudyServer
import WebServing

/// What scripts/interop study-load measures: a study's receiver, and beside it a handler that only appends to
/// the same kind of queue.
///
/// ```
/// StudyLoad receiver|append QUEUE.sqlite
/// ```
/// It prints the port, and runs until it is killed. The receiver lets every app register with the anti-spam
/// token `load`.
@main
enum StudyLoad {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let kind = arguments.first, let file = arguments.last else {
            return FileHandle.standardError.write(
                Data("usage: StudyLoad receiver|append QUEUE.sqlite\n".utf8)
            )
        }
        do {
            let queue = try SQLiteMessageQueue(URL(filePath: file))
            switch kind {
            case "receiver":
                var configuration = ReceiverConfiguration()
                configuration.port = 0
                configuration.requestsPerMinute = 10_000_000
                configuration.antispam = ["load"]
                configuration.attestation = NoAttestation()
                let receiver = try await Receiver.start(
                    queue: queue,
                    clients: .file(URL(filePath: file + "-clients")),
                    configuration
                )
                try await run(port: receiver.url.port ?? 0)
            case "append":
                let listener = try await append(to: queue)
                try await run(port: Int(listener.port))
            default: throw CocoaError(.featureUnsupported)
            }
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
        }
    }

    private static func append(to queue: SQLiteMessageQueue) async throws -> HTTPListener {
        let settings = HTTPListener.Configuration(
            address: "127.0.0.1",
            port: 0,
            bodyLimit: 16 << 20,
            timeout: 60,
            serverName: "append",
            tooLarge: Response(status: 413),
            internalError: Response(status: 500),
            now: { Date() }
        )
        return try await HTTPListener(settings) { request in
            do {
                try await queue.send(
                    StudyMessage(content: .envelope, received: "2026-01-01T00:00:00Z", body: request.body)
                )
                return Response(type: "application/json")
            } catch {
                return Response(status: 503)
            }
        }
    }

    private static func run(port: Int) async throws {
        print(port)
        fflush(nil)
        try await Task.sleep(for: .seconds(86_400))
    }
}
