import DurableQueue
import Foundation
import StudyDelivery

// Measures the encryption of packages beside openssl's, and what a delivery of gigabytes takes of memory.
//
// usage: DeliveryBenchmarks encryption MIB    ratios of processor time, openssl's to ours: 1 is as quick,
//                                             above 1 quicker
//        DeliveryBenchmarks delivery MIB      packs, encrypts, queues and sends two attachments of together
//                                             so much
//
// Every measured run is a process of its own: its processor time and its largest memory are what the system
// counted.
signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "encryption" where arguments.count == 2:
    try EncryptionBenchmark(mebibytes: Int(arguments[1]) ?? 256).run()
case "delivery" where arguments.count == 2: try DeliveryBenchmark(mebibytes: Int(arguments[1]) ?? 2048).run()
case "encrypt" where arguments.count == 5:
    try EncryptionBenchmark.encrypt(arguments[1], arguments[2], arguments[3], arguments[4])
case "submit" where arguments.count > 3:
    try await DeliveryBenchmark.submit(arguments[1], arguments[2], Array(arguments[3...]))
case "deliver" where arguments.count == 3: try await DeliveryBenchmark.deliver(arguments[1], arguments[2])
case "serve" where arguments.count == 2: try CountingServer.run(portFile: arguments[1])
default:
    print("usage: DeliveryBenchmarks encryption MIB | delivery MIB")
    exit(2)
}
