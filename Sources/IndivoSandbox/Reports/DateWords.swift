/// Dates in aggregates, which the real server writes in other forms than elsewhere.
enum DateWords {
    /// As its language prints a date, in the XML of generic reports: `2009-03-05 12:00:00`.
    static func plain(_ text: String) -> String { text.replacing("T", with: " ").replacing("Z", with: "") }

    private static let months = ["Jan.", "Feb.", "March", "April", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec."]

    /// As its templates print a date, in minimal reports: `March 5, 2009, noon`, and `March 5, 2009` for a day.
    static func human(_ text: String) -> String {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count >= 3, (1...12).contains(numbers[1]) else { return text }
        let day = "\(months[numbers[1] - 1]) \(numbers[2]), \(numbers[0])"
        guard numbers.count >= 5 else { return day }
        return day + ", " + time(hour: numbers[3], minute: numbers[4])
    }

    private static func time(hour: Int, minute: Int) -> String {
        switch (hour, minute) {
        case (0, 0): return "midnight"
        case (12, 0): return "noon"
        default:
            let clock = hour % 12 == 0 ? 12 : hour % 12
            let minutes = minute == 0 ? "" : minute < 10 ? ":0\(minute)" : ":\(minute)"
            return "\(clock)\(minutes) \(hour < 12 ? "a.m." : "p.m.")"
        }
    }
}
