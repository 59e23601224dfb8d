import Foundation
import IndivoTesting

/// What goes wrong, as a seed determines it.
struct FaultPlan {
    let seed: UInt64
    let epoch: Int

    /// What happens to a request, by its number.
    func networkFault(_ number: Int, probability: Double, delay: Duration) -> FaultProxy.Fault? {
        var generator = SeededGenerator(seed: seed, part: epoch, 3, number)
        guard generator.happens(probability) else { return nil }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<15: return .loseRequest
        case 15..<25: return .cutRequest(afterBytes: Int.random(in: 0..<1200, using: &generator))
        case 25..<45: return .loseResponse
        case 45..<60: return .cutResponse(afterBytes: Int.random(in: 0..<900, using: &generator))
        case 60..<64: return .delayRequest(delay)
        case 64..<68: return .delayResponse(delay)
        case 68..<84: return .doubleRequest(secondResponse: generator.happens(0.5))
        default:
            return .status(
                [500, 500, 502, 503, 504, 429].randomElement(using: &generator) ?? 500,
                reachesServer: generator.happens(0.5)
            )
        }
    }

    /// Who is killed, and when.
    struct Kill {
        enum Victim: CaseIterable { case client, server, both }

        enum Moment {
            /// When so many further requests have come to a point.
            case request(Int, FaultProxy.Point)
            /// After so much time.
            case time(Duration)
            /// When the client comes to a step of its disk; kills the client only.
            case diskStep(Int)
        }

        let victim: Victim
        let moment: Moment
    }

    func kill(record: Int, run: Int) -> Kill? {
        var generator = SeededGenerator(seed: seed, part: epoch, 4, record, run)
        guard generator.happens(0.85) else { return nil }
        let roll = Int.random(in: 0..<10, using: &generator)
        let victim: Kill.Victim = roll < 6 ? .client : roll < 8 ? .server : .both
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5:
            let point = FaultProxy.Point.allCases.randomElement(using: &generator) ?? .arrived
            return Kill(victim: victim, moment: .request(Int.random(in: 0..<50, using: &generator), point))
        case 5..<8 where victim == .client:
            return Kill(victim: .client, moment: .diskStep(Int.random(in: 0..<150, using: &generator)))
        default:
            return Kill(
                victim: victim,
                moment: .time(.milliseconds(Int.random(in: 1..<250, using: &generator)))
            )
        }
    }

    func diskFault(record: Int, run: Int) -> World.DiskPlan.Fault? {
        var generator = SeededGenerator(seed: seed, part: epoch, 5, record, run)
        guard generator.happens(0.2) else { return nil }
        return World.DiskPlan.Fault(
            step: Int.random(in: 0..<150, using: &generator),
            code: [ENOSPC, EROFS, EIO].randomElement(using: &generator) ?? ENOSPC,
            isLasting: generator.happens(0.5)
        )
    }

    /// Whether a second process delivers the same outbox at the same time.
    func hasCompanion(record: Int, run: Int) -> Bool {
        var generator = SeededGenerator(seed: seed, part: epoch, 6, record, run)
        return generator.happens(0.2)
    }
}
