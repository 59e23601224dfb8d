import Foundation

/// Prints the shortest of 20 times that some work takes, each of 1,000 turns, in µs of the clock for a turn.
///
/// - Parameter work: Gives a number above 0, so that no part of it is left out.
public func showTime(_ what: String, of work: (Int) throws -> Int) rethrows {
    var total = 0
    let times = try (0..<20).map { _ in
        try ContinuousClock().measure { for number in 0..<1_000 { total += try work(number) } }
    }
    precondition(total > 0)
    let shortest = times.min().map { $0 / .microseconds(1_000) } ?? 0
    print(String(format: "%8.2f µs: ", shortest) + what)
}
