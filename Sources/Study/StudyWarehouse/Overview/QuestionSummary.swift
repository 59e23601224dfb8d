/// What participants answered to a question, without any single participant's answer.
///
/// Each participant counts once, however often they answered.
public struct QuestionSummary: Sendable, Hashable, Codable {
    /// A coded answer, and how many participants gave it.
    public struct Choice: Sendable, Hashable, Codable {
        /// What people read.
        public let label: String
        /// Who gave it.
        public let count: ShownCount
    }

    /// Numbers of one unit. A participant who gave several counts with their mean.
    public struct Numbers: Sendable, Hashable, Codable {
        /// The unit's code; empty for none.
        public let unit: String
        /// How many gave a number: five or more.
        public let participants: ShownCount
        /// Half of them are below. Like the range it has two significant digits.
        public let median: Double
        /// The range without the extremes: at least five participants are at its lower end or below, and at
        /// least five at its upper end or above; `nil` for fewer than ten.
        ///
        /// Each of the extremes would be a single participant's answer.
        public let range: ClosedRange<Double>?

        init(unit: String, participants: Int, median: Double, low: Double, high: Double) {
            self.unit = unit
            self.participants = ShownCount(participants)
            self.median = ShownCount.rounded(median)
            range =
                participants >= 2 * ShownCount.smallest && low <= high
                ? ShownCount.rounded(low)...ShownCount.rounded(high) : nil
        }
    }

    /// The link id, or the code of a measurement.
    public let id: String
    /// What people read.
    public let label: String
    /// The coded answers. Answers that no questionnaire lists are among them when five gave them.
    public var choices: [Choice] = []
    /// A summary for each unit.
    public var numbers: [Numbers] = []
    /// How many gave an answer that is shown no further, such as a text; `nil` for nobody.
    public var others: ShownCount?

    init(id: String, label: String) {
        self.id = id
        self.label = label
    }

    /// Whether there is anything to show.
    var isEmpty: Bool { choices.isEmpty && numbers.isEmpty && others == nil }
}

/// A questionnaire whose answers are in a warehouse, or the measurements.
public struct QuestionSource: Sendable, Hashable {
    /// What names it in paths of concepts.
    public let name: String
    /// What people read.
    public let title: String
}
