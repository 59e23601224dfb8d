/// Numbers as dates and times have them.
package enum CivilTime {
    /// With zeros before it.
    package static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// A date, as in `2026-03-29`.
    package static func date(_ year: Int, _ month: Int, _ day: Int) -> String {
        "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// A time of day, as in `08:05:00`.
    package static func clock(_ hour: Int, _ minute: Int, _ second: Int) -> String {
        "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    }
}
