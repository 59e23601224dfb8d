/// A search for options as it is drawn beside a question.
public struct PresentedSearch: Sendable, Hashable {
    /// What became of a search.
    public enum State: Sendable, Hashable {
        /// Too little was typed.
        case waiting
        /// The app searches.
        case searching
        /// It was found what can be chosen; the list may be empty.
        case found(FoundOptions)
        /// The app could not search.
        case failed
    }

    /// What was typed.
    public let text: String
    /// What became of it.
    public package(set) var state: State

    package init(text: String = "", state: State = .waiting) {
        self.text = text
        self.state = state
    }

    func note(in phrases: SurveyPhrases) -> String {
        switch state {
        case .waiting: return phrases.sentence("search.short", [String(OptionSearch.minimumCharacters)])
        case .searching: return phrases.sentence("search.searching")
        case .failed: return phrases.sentence("search.failed")
        case .found(let found) where found.options.isEmpty: return phrases.sentence("search.none")
        case .found(let found):
            return phrases.sentence(
                found.hasMore ? "search.more" : "search.found",
                [String(found.options.count)]
            )
        }
    }
}
