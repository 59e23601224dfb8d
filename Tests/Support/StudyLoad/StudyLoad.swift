import Foundation
import StudyServer
import WebServing

/// What scripts/interop study-load measures: a study's receiver, and beside it a handler that only appends to
/// the same kind of queue.
///
/// ```
/// StudyLoad receiver|append QUEUE.sqlite
/// StudyLoad prepare QUEUE STORE surveys|samples|archives
/// StudyLoad fill QUEUE KEYS COUNT surveys|samples|archives
/// StudyLoad consume QUEUE STORE KEYS [SECONDS]
/// StudyLoad load STORE DAYS
/// StudyLoad answers FOLDER COUNT
/// ```
/// The first prints the port, and runs until it is killed. The receiver lets every app register with the
/// anti-spam token `load`. The others are ``ConsumerLoad``, ``SampleLoad`` and ``AnswerJourney``; their queues
/// and stores are `sqlite:FILE` or `postgresql://…`.
@main
enum StudyLoad {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("prepare", 4):
                try await ConsumerLoad.prepare(arguments[1], arguments[2], kind(arguments[3]))
            case ("fill", 5):
                let keys = URL(filePath: arguments[2])
                let count = Int(arguments[3]) ?? 0
                try await ConsumerLoad.fill(arguments[1], kind(arguments[4]), keys: keys, count: count)
            case ("load", 3): try await SampleLoad.load(arguments[1], count: Int(arguments[2]) ?? 0)
            case ("answers", 3):
                try await AnswerJourney.run(in: URL(filePath: arguments[1]), rounds: Int(arguments[2]) ?? 0)
            case ("consume", 4), ("consume", 5):
                try await ConsumerLoad.consume(
                    arguments[1],
                    into: arguments[2],
                    keys: URL(filePath: arguments[3]),
                    visibility: arguments.dropFirst(4).first.flatMap { Int($0) } ?? 300
                )
            case (let kind?, 2): try await serve(kind, arguments[1])
            default: throw CocoaError(.featureUnsupported)
            }
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func kind(_ text: String) throws -> ConsumerLoad.Kind {
        guard let kind = ConsumerLoad.Kind(rawValue: text) else { throw CocoaError(.featureUnsupported) }
        return kind
    }

    private static func serve(_ kind: String, _ file: String) async throws {
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
