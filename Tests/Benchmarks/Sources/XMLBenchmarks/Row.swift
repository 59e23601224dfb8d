import Foundation
import Measuring

/// A line of the table: two ways to do the same.
struct Row {
    let title: String
    let target: String
    let rounds: Int
    let ours: () -> Int
    let theirs: () -> Int

    /// Measures, and prints the line.
    func report() {
        let result = Comparison(rounds: rounds, ours: ours, theirs: theirs).measure()
        print(
            String(format: "%5.2f", result.ratio) + "  "
                + target.padding(toLength: 6, withPad: " ", startingAt: 0)
                + String(format: "  %9.0f  %9.0f  ", result.ours, result.theirs) + title
        )
    }
}
