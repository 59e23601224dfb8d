/// The intervals of time that are covered so far, disjoint and in order.
package struct Coverage: Sendable {
    private var ranges: [Range<Int>] = []

    package init() {}

    /// The parts of an interval that are not covered. For a single moment, it is that moment, or nothing.
    ///
    /// - Parameters:
    ///   - cursor: 0 at first, then as it was left; starts must not decrease from call to call.
    ///   - steps: How many intervals may be looked at; when they are used up, nil is returned.
    package func outside(_ start: Int, _ end: Int, _ cursor: inout Int, _ steps: inout Int) -> [Range<Int>]? {
        while cursor < ranges.count, ranges[cursor].upperBound <= start { cursor += 1 }
        if start == end {
            return cursor < ranges.count && ranges[cursor].contains(start) ? [] : [start..<start]
        }
        var parts: [Range<Int>] = []
        var position = start
        var index = cursor
        while index < ranges.count, ranges[index].lowerBound < end {
            steps -= 1
            guard steps > 0 else { return nil }
            if ranges[index].lowerBound > position { parts.append(position..<ranges[index].lowerBound) }
            position = max(position, ranges[index].upperBound)
            index += 1
        }
        if position < end { parts.append(position..<end) }
        return parts
    }

    /// Covers intervals that are sorted by their starts.
    package mutating func add(_ intervals: [Range<Int>]) {
        var merged: [Range<Int>] = []
        merged.reserveCapacity(ranges.count + intervals.count)
        var i = 0
        var j = 0
        while i < ranges.count || j < intervals.count {
            let range: Range<Int>
            if j == intervals.count || (i < ranges.count && ranges[i].lowerBound <= intervals[j].lowerBound) {
                range = ranges[i]
                i += 1
            } else {
                range = intervals[j]
                j += 1
            }
            if range.isEmpty { continue }
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }
}
