import Crypto
import Foundation
import Synchronization

/// Counts attempts to log in, and refuses them for a while after too many.
///
/// An attempt is counted before its password is checked, so that many at once are no more than as many in
/// turn. A few for a name pause the address that they came from, not the name's owner elsewhere; many, from
/// anywhere, pause the name. Names and addresses are kept in so many slots, chosen by a keyed digest: no
/// number of names empties the memory, and names that are not known are treated like those that are.
final class LoginLimiter: Sendable {
    /// Attempts in a row for a name from one address, for a name from anywhere, and from an address, before a
    /// pause.
    static let attempts = (pair: 5, name: 500, address: 20)
    /// The first pause; each further attempt makes it twice as long.
    static let firstPause = Duration.seconds(60)
    /// The longest pause.
    static let maximumPause = Duration.seconds(900)
    private static let slotCount = 4096

    private struct Slot {
        var attempts = 0
        var until = Duration.zero
    }

    private let slots = Mutex((pairs: [Int: Slot](), names: [Int: Slot](), addresses: [Int: Slot]()))
    private let key = SymmetricKey(size: .bits256)
    private let elapsed: @Sendable () -> Duration

    init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    /// Counts an attempt.
    ///
    /// - Returns: `nil` when it may continue; else the seconds to wait.
    func admit(name: String, address: String) -> Int? {
        let pairSlot = slot(name, address)
        let nameSlot = slot(name)
        let addressSlot = slot(address)
        let now = elapsed()
        return slots.withLock { slots in
            let found = [slots.pairs[pairSlot], slots.names[nameSlot], slots.addresses[addressSlot]]
            let pause = found.reduce(Duration.zero) { max($0, $1?.until ?? .zero) } - now
            guard pause <= .zero else { return Int((pause / .seconds(1)).rounded(.up)) }
            Self.count(&slots.pairs[pairSlot, default: Slot()], limit: Self.attempts.pair, now)
            Self.count(&slots.names[nameSlot, default: Slot()], limit: Self.attempts.name, now)
            Self.count(&slots.addresses[addressSlot, default: Slot()], limit: Self.attempts.address, now)
            return nil
        }
    }

    /// Forgets the attempts for a name: its owner has come. Those of the address stay, so that somebody with
    /// a password of their own cannot continue guessing those of others.
    func succeed(name: String, address: String) {
        let pairSlot = slot(name, address)
        let nameSlot = slot(name)
        slots.withLock { slots in
            slots.pairs[pairSlot] = nil
            slots.names[nameSlot] = nil
        }
    }

    private static func count(_ slot: inout Slot, limit: Int, _ now: Duration) {
        // After the longest pause without an attempt it begins anew.
        if slot.attempts > 0, now > slot.until + maximumPause { slot.attempts = 0 }
        slot.attempts += 1
        slot.until = now
        guard slot.attempts >= limit else { return }
        slot.until += min(maximumPause, firstPause * (1 << min(slot.attempts - limit, 8)))
    }

    private func slot(_ texts: String...) -> Int {
        let code = HMAC<SHA256>.authenticationCode(for: Data(texts.joined(separator: "\0").utf8), using: key)
        return code.prefix(2).reduce(0) { $0 << 8 | Int($1) } % Self.slotCount
    }
}
