/// The pages of a list; see ``PagedList/pages``.
public struct ListPages<Item>: AsyncSequence, Sendable {
    public typealias Element = ListPage<Item>
    public typealias Failure = any Error

    let source: any PageSource<Item>
    let report: (@Sendable (ListProgress) -> Void)?

    public func makeAsyncIterator() -> Iterator { Iterator(source: source, report: report) }

    /// Reads a list's pages.
    public struct Iterator: AsyncIteratorProtocol {
        let source: any PageSource<Item>
        let report: (@Sendable (ListProgress) -> Void)?
        private var cursor: ListCursor
        private var loaded = 0
        /// What the first page told.
        private var total: Int?
        private var isAtEnd = false

        init(source: any PageSource<Item>, report: (@Sendable (ListProgress) -> Void)?) {
            self.source = source
            self.report = report
            cursor = ListCursor(start: source.start, pageSize: source.pageSize)
        }

        public mutating func next() async throws -> ListPage<Item>? {
            while !isAtEnd {
                try Task.checkCancellation()
                let rest = (source.limit ?? .max) - loaded
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
                let offset = source.start + loaded
                loaded += new.count
                isAtEnd = isLast || new.count == rest
                let end = Swift.min(total.map { Swift.max(0, $0 - source.start) } ?? .max, source.limit ?? .max)
                report?(ListProgress(loaded: loaded, total: total != nil ? end : isAtEnd ? loaded : nil))
                // The first page is one even where nothing is on it.
                if !new.isEmpty || (isAtEnd && offset == source.start) {
                    return ListPage(elements: Array(page.elements[new]), offset: offset, total: page.total)
                }
            }
            return nil
        }
    }
}
