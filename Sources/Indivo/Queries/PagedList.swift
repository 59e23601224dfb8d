/// A list on a server, fetched page by page as it is read.
///
/// ```swift
/// for try await document in record.documents() { … }
///
/// let audits = record.audit().onProgress { print("\($0.loaded) of \($0.total ?? 0)") }
/// let everything = try await audits.all()
/// ```
/// Nothing is asked of the server before the first element is. Others may work on the list meanwhile: each page begins with
/// elements of the page before, whose ids show how far the list has shifted. So an element that is in the list all the time is
/// seen once, whatever is added or taken out; one that is added before the current position is left out. An element that moves,
/// because its sort key changes, may be seen twice or not at all; so may one of several elements with equal sort keys.
public struct PagedList<Element>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    let source: ListSource<Element>
    private var report: (@Sendable (ListProgress) -> Void)?

    init(source: ListSource<Element>) { self.source = source }

    /// The pages, as the server gives them.
    public var pages: ListPages<Element> { ListPages(source: source, report: report) }

    /// The list, with a report of its progress after each page.
    /// - Parameter report: Is called once for a page, on whichever actor reads the list.
    public func onProgress(_ report: @escaping @Sendable (ListProgress) -> Void) -> PagedList {
        var list = self
        list.report = report
        return list
    }

    /// Everything in the list.
    /// - Throws: ``IndivoError``, `DocumentError`.
    public func all() async throws -> [Element] {
        var all: [Element] = []
        var iterator = pages.makeAsyncIterator()
        while let page = try await iterator.next() { all += page.elements }
        return all
    }

    /// How many elements the server says there are, whatever the query's own limit; `nil` where it does not say, as it
    /// does not for reports on models. One request, for as little as possible.
    /// - Throws: ``IndivoError``.
    public func total() async throws -> Int? {
        source.tellsTotal ? try await source.page(offset: source.paging.offset, limit: 1).total : nil
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads a list.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: ListPages<Element>.Iterator
        private var rest: ArraySlice<Element> = []

        init(pages: ListPages<Element>.Iterator) { self.pages = pages }

        public mutating func next() async throws -> Element? {
            while rest.isEmpty {
                guard let page = try await pages.next() else { return nil }
                rest = page.elements[...]
            }
            return rest.removeFirst()
        }
    }
}

/// One page of a list.
public struct ListPage<Element> {
    /// The page's elements, in the list's order.
    public let elements: [Element]
    /// How many elements of the list come before it.
    public let offset: Int
    /// How many there are in all, where the server says.
    public let total: Int?
}

extension ListPage: Sendable where Element: Sendable {}

/// How far a list has been read.
public struct ListProgress: Sendable, Hashable {
    /// How many elements were fetched.
    public let loaded: Int
    /// How many there will be, where that is known.
    public let total: Int?

    /// From 0 to 1, where the total is known.
    public var fraction: Double? { total.map { $0 == 0 ? 1 : min(1, Double(loaded) / Double($0)) } }
}

/// The pages of a list; see ``PagedList/pages``.
public struct ListPages<Item>: AsyncSequence, Sendable {
    public typealias Element = ListPage<Item>
    public typealias Failure = any Error

    let source: ListSource<Item>
    let report: (@Sendable (ListProgress) -> Void)?

    public func makeAsyncIterator() -> Iterator { Iterator(source: source, report: report) }

    /// Reads a list's pages.
    public struct Iterator: AsyncIteratorProtocol {
        let source: ListSource<Item>
        let report: (@Sendable (ListProgress) -> Void)?
        private var cursor: ListCursor
        private var loaded = 0
        /// The total that the first page reported.
        private var total: Int?
        private var isAtEnd = false

        init(source: ListSource<Item>, report: (@Sendable (ListProgress) -> Void)?) {
            self.source = source
            self.report = report
            cursor = ListCursor(start: source.paging.offset, pageSize: source.pageSize)
        }

        public mutating func next() async throws -> ListPage<Item>? {
            while !isAtEnd {
                try Task.checkCancellation()
                let rest = (source.paging.limit ?? .max) - loaded
                let request = cursor.request(upTo: rest)
                let page: FetchedPage<Item>
                do {
                    page = try await source.page(offset: request.offset, limit: request.limit)
                    try cursor.checkSteadiness(source.call)
                } catch {
                    isAtEnd = true
                    throw error
                }
                let isFirst = loaded == 0 && total == nil
                if isFirst { total = page.total }
                let (new, isLast) = cursor.take(page.keys, total: page.total, of: request)
                let offset = source.paging.offset + loaded
                loaded += new.count
                isAtEnd = isLast || new.count == rest
                let end = Swift.min(total.map { Swift.max(0, $0 - source.paging.offset) } ?? .max, source.paging.limit ?? .max)
                report?(ListProgress(loaded: loaded, total: total != nil ? end : isAtEnd ? loaded : nil))
                // The first page is one even where nothing is on it.
                if !new.isEmpty || (isAtEnd && offset == source.paging.offset) {
                    return ListPage(elements: Array(page.elements[new]), offset: offset, total: page.total)
                }
            }
            return nil
        }
    }
}
