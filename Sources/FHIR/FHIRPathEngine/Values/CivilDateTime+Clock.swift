import Foundation
import IndivoBase

extension CivilDateTime {
    /// The time of the machine's clock, in UTC, to milliseconds.
    static var currentInUTC: CivilDateTime {
        let milliseconds = Int((Date().timeIntervalSince1970 * 1000).rounded(.down))
        var result = CivilDateTime(microseconds: milliseconds * 1000)
        result.fractionDigits = 3
        return result
    }
}
