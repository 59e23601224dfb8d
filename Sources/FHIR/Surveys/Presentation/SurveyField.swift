/// A field for one answer that is entered: a line of text, a number, a date.
///
/// A question that repeats has one for each answer, and an empty one for the next.
public struct SurveyField: Sendable, Hashable, Identifiable {
    /// Which field it is.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        /// The question's ``PresentedItem/id``.
        public let item: PresentedItem.ID
        /// The index of the field among those of the question.
        public let index: Int
        /// Whether it is for something that is not among the options of an open choice.
        public let isOther: Bool

        /// As in `hours.0`.
        public var description: String { isOther ? "\(item).other.\(index)" : "\(item).\(index)" }
    }

    /// Which field it is.
    public let id: ID
    /// What it shows: what was typed, or the answer.
    public let text: String
    /// The code of the unit beside a quantity, or its name where it has no code; empty for none.
    public let unit: String
}
