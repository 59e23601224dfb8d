import DurableQueue
import Foundation
import StudyDelivery

/// A delivery of large attachments: one process packs, encrypts and queues them, another one sends them.
struct DeliveryBenchmark {
    let mebibytes: Int
    private static let subject = UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7))

    func run() throws {
        try withScratchFolder { folder in
            let files = ["first.bin", "second.bin"].map { folder.appending(path: $0) }
            for file in files { try writeNoise(file, mebibytes: mebibytes / 2) }
            let portFile = folder.appending(path: "port").path
            let server = try MeasuredProcess.start(MeasuredProcess.own, ["serve", portFile])
            defer {
                kill(server, SIGKILL)
                var status: Int32 = 0
                waitpid(server, &status, 0)
            }
            while !FileManager.default.fileExists(atPath: portFile) { usleep(1000) }
            let url = "http://127.0.0.1:\(try String(contentsOfFile: portFile, encoding: .utf8))/upload"
            for (name, isEncrypted) in [
                ("encrypted for the study", "yes"), ("not encrypted for the study", "no"),
            ] {
                let submitted = try MeasuredProcess(
                    MeasuredProcess.own,
                    ["submit", folder.path, isEncrypted] + files.map(\.path)
                )
                let delivered = try MeasuredProcess(MeasuredProcess.own, ["deliver", folder.path, url])
                for (step, process) in [("packed and queued", submitted), ("sent", delivered)] {
                    print(
                        "\(mebibytes) MiB \(name), \(step):",
                        String(
                            format: "%.0f MB of memory, %.1f s, %.1f s of the processor",
                            Double(process.memory) / 1e6,
                            process.time,
                            process.processorTime
                        )
                    )
                }
            }
        }
    }

    private static func queue(_ folder: String) throws -> StudyQueue {
        let folder = URL(filePath: folder)
        return try StudyQueue(
            in: folder.appending(path: "queue"),
            study: "org.example.benchmark",
            subject: subject,
            keys: FileKeyStore(folder.appending(path: "key"))
        )
    }

    static func submit(_ folder: String, _ isEncrypted: String, _ files: [String]) async throws {
        // The same content is one submission: another item makes another.
        var archive = try StudyArchive(
            ArchiveInfo(study: "org.example.benchmark", item: "attachments \(isEncrypted)")
        )
        for file in files { try archive.add(contentsOf: URL(filePath: file)) }
        let certificate = try StudyPrivateKey(bits: 2048).certificate(subject: "CN=Benchmark", days: 2)
        try await queue(folder).submit(
            archive,
            protection: isEncrypted == "yes" ? .cms(CMSEncryption(for: [certificate])) : .none
        )
    }

    static func deliver(_ folder: String, _ url: String) async throws {
        guard let url = URL(string: url) else {
            throw MeasuredProcess.Failure(description: "\(url) is not a URL")
        }
        let report = try await queue(folder).deliver(to: ResearchKitEndpoint(url))
        guard report.delivered.count == 1, report.remaining == 0 else {
            throw MeasuredProcess.Failure(
                description: "not delivered: \(report.stopped.values.first.map { "\($0)" } ?? "")"
            )
        }
    }
}
