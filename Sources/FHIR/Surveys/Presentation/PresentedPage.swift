/// A page of a survey with everything that a view draws of it, in the person's language.
public struct PresentedPage: Sendable {
    /// The survey's title.
    public let title: String?
    /// The page's own title.
    public let heading: String?
    /// The index of the page, from 0.
    public let index: Int
    /// How many pages there are now; 0 where nothing is asked.
    public let count: Int
    /// How many questions of the whole survey are answered.
    public let progress: SurveyProgress
    /// The items, those of groups under their group.
    public let items: [PresentedItem]
    /// Whether somebody wanted to leave the page, so that missing answers are problems.
    public let isChecked: Bool

    /// Whether it is the first page.
    public var isFirst: Bool { index == 0 }
    /// Whether it is the last page.
    public var isLast: Bool { index >= count - 1 }

    /// The items in the order in which they are read, with those under others.
    public var allItems: [PresentedItem] {
        var all: [PresentedItem] = []
        for item in items { item.forEach { all.append($0) } }
        return all
    }

    /// The item with an id.
    public func item(_ id: PresentedItem.ID) -> PresentedItem? { allItems.first { $0.id == id } }
}
