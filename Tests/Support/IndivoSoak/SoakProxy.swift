import Foundation
import IndivoTesting
import Synchronization

/// The failing network alone, for scripts: prints its port, leads to a server until standard input ends, and
/// prints what it did.
enum SoakProxy {
    static func run(server: UInt16, seed: UInt64, probability: Double) async throws {
        let plan = FaultPlan(seed: seed, epoch: 0)
        let faults = Mutex(0)
        let proxy = try FaultProxy(to: server) { request in
            let fault = plan.networkFault(request.number, probability: probability, delay: .milliseconds(20))
            if fault != nil { faults.withLock { $0 += 1 } }
            return fault
        }
        print(proxy.port)
        fflush(nil)
        while readLine() != nil {}
        await proxy.drain()
        proxy.stop()
        print("\(proxy.requestCount) requests, \(faults.withLock { $0 }) faults")
    }
}
