import Foundation
import IndivoTesting

/// Proves the outbox by fault: clients, a server and the network between them fail and are killed at random
/// moments, and after each run everything is on the server once and in order, or set aside.
///
/// ```
/// IndivoSoak MINUTES [--seed N] [--epoch N] [--jobs N] [--folder DIR]
/// IndivoSoak proxy SERVERS-PORT SEED PROBABILITY
/// IndivoSoak --delivery SUBMISSIONS [--seed N] [--epoch N] [--jobs N] [--folder DIR]
/// ```
/// With `--delivery` it is the queue of studies, at a server that counts; everything on disk and on the wire
/// is searched for what was planted in the submissions.
///
/// A seed determines what is queued, what goes wrong, and when. `--epoch` runs one world of it alone. The
/// last line holds the figures; the exit status is 1 when something was lost, doubled or out of order.
@main
enum Soak {
    static let app = "soak@apps.example.org"
    static let appSecret = "soak-secret"

    static func main() async {
        // A child whose parent is gone, or a proxy whose client is, must not end the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch arguments.first {
            case "client" where arguments.count == 2: exit(try await SoakClient.run(arguments[1]))
            case "delivery-client" where arguments.count == 2:
                exit(try await DeliveryClient.run(arguments[1]))
            case "delivery-server" where arguments.count == 3:
                try await DeliveryServer.run(folder: arguments[1], portFile: arguments[2])
            case "server" where arguments.count == 3:
                try await SoakServer.run(database: arguments[1], portFile: arguments[2])
            case "proxy" where arguments.count == 4:
                guard let server = UInt16(arguments[1]), let seed = UInt64(arguments[2]),
                    let probability = Double(arguments[3])
                else {
                    throw CocoaError(.formatting)
                }
                try await SoakProxy.run(server: server, seed: seed, probability: probability)
            default: exit(try await run(Options(arguments)))
            }
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ options: Options) async throws -> Int32 {
        print("seed \(options.seed)")
        let begin = ContinuousClock.now
        let end = begin + .seconds(options.minutes * 60)
        let worlds = options.submissions.map {
            ($0 + DeliveryEpoch.submissions - 1) / DeliveryEpoch.submissions
        }
        var total = Figures()
        var problems = 0
        try await withThrowingTaskGroup(of: (Figures?, Int).self) { group in
            var next = options.epoch ?? 0
            func startOne() {
                let number = next
                next += 1
                group.addTask { (try await epoch(number, options), number) }
            }
            for _ in 0..<(options.epoch == nil ? min(options.jobs, worlds ?? .max) : 1) { startOne() }
            while let (figures, number) = try await group.next() {
                if let figures { total += figures } else { problems += 1 }
                if number % 10 == 9 { print("\(ContinuousClock.now - begin): \(total)") }
                fflush(nil)
                if options.epoch == nil, worlds.map({ next < $0 }) ?? (ContinuousClock.now < end) {
                    startOne()
                }
            }
        }
        print(total)
        return total.isClean && problems == 0 ? 0 : 1
    }

    private static func epoch(_ number: Int, _ options: Options) async throws -> Figures? {
        let folder = options.folder + "/indivo-soak-\(options.seed)-\(number)-\(UUID().uuidString.prefix(8))"
        do {
            let figures =
                if options.submissions == nil {
                    try await Epoch(Epoch.Settings(seed: options.seed, number: number, folder: folder)).run()
                } else {
                    try await DeliveryEpoch(seed: options.seed, number: number, folder: folder).run()
                }
            if figures.isClean {
                try? FileManager.default.removeItem(atPath: folder)
            } else {
                print("kept \(folder)")
            }
            return figures
        } catch {
            print("seed \(options.seed), epoch \(number) stopped: \(error); kept \(folder)")
            return nil
        }
    }
}

/// The arguments.
private struct Options {
    var minutes = 1.0
    /// How many submissions to a study; without it the outbox is tried.
    var submissions: Int?
    var seed = UInt64.random(in: 0..<1 << 48)
    var epoch: Int?
    var jobs = 2
    var folder = FileManager.default.temporaryDirectory.path

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value<Value: LosslessStringConvertible>(_ name: String) throws -> Value {
            guard let text = rest.popFirst(), let value = Value(text) else {
                throw SoakFailure("\(name) needs a value")
            }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--delivery": submissions = max(1, try value(argument))
            case "--seed": seed = try value(argument)
            case "--epoch": epoch = try value(argument) as Int
            case "--jobs": jobs = max(1, try value(argument))
            case "--folder": folder = try value(argument)
            default:
                guard let minutes = Double(argument) else {
                    throw SoakFailure(
                        """
                        usage: soak MINUTES | --delivery SUBMISSIONS [--seed N] [--epoch N] [--jobs N] \
                        [--folder DIR]
                        """
                    )
                }
                self.minutes = minutes
            }
        }
    }
}
