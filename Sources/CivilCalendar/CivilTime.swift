/// Numbers as dates and times have them.
package enum CivilTime {
    /// With zeros before it.
    package static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
