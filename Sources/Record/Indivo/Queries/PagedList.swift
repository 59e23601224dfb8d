/// A list on a server, fetched page by page as it is read.
///
/// ```swift
/// for try await document in record.documents() { … }
///
/// let audits = record.audit().onProgress { print("\($0.loaded) of \($0.total ?? 0)") }
/// let everything = try await audits.all()
/// ```
/// Nothing is asked of the server before the first element is. Others may work on the list meanwhile: each
/// page begins with elements of the page before, whose ids show how far the list has shifted. So an element
/// that is in the list all the time is seen once, whatever is added or taken out. A request for a page that
/// fails is retried like every call that reads, and the list continues where it was. An element that is added
/// before the current position is left out. An element that moves, because its sort key changes, may be seen
/// twice or not at all; so may one of several elements with equal sort keys.
public struct PagedList<Element>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    let scope: any CallScope
    let call: IndivoCall
    var path: [String: String] = [:]
    let paging: Paging
    /// Whether pages report how many elements there are in all.
    var reportsTotal = true
    /// Whether the server gives the list whole, and takes no limit.
    var isWhole = false
    /// The query's parameters, without limit and offset.
    let parameters: @Sendable () throws -> FormParameters
    var report: (@Sendable (Progress) -> Void)?
    let read: @Sendable (CallResponse) async throws -> FetchedPage<Element>

    /// The pages, as the server gives them.
    public var pages: Pages { Pages(list: self) }

    /// The list, with a report of its progress after each page.
    /// - Parameter report: Is called once for a page, on whichever actor reads the list.
    public func onProgress(_ report: @escaping @Sendable (Progress) -> Void) -> PagedList {
        var list = self
        list.report = report
        return list
    }

    /// Everything in the list.
    /// - Throws: ``IndivoError``.
    public func all() async throws -> [Element] {
        var all: [Element] = []
        for try await page in pages { all += page.elements }
        return all
    }

    /// How many elements there are according to the server, whatever the query's limit; `nil` if the server
    /// does not report it, as for reports on models. Sends one request, for a single element.
    /// - Throws: ``IndivoError``.
    public func total() async throws -> Int? {
        reportsTotal ? try await page(offset: paging.offset, limit: 1).total : nil
    }

    fileprivate func page(offset: Int, limit: Int) async throws -> FetchedPage<Element> {
        try paging.check(call)
        var parameters = try parameters()
        if !isWhole {
            parameters.append(name: "limit", value: String(limit))
            parameters.append(name: "offset", value: String(offset))
        }
        let page = try await read(await scope.send(call, path: path, query: parameters))
        guard isWhole else { return page }
        let part = page.keys.indices.dropFirst(offset).prefix(limit)
        return FetchedPage(
            elements: Array(page.elements[part]),
            keys: Array(page.keys[part]),
            total: page.total
        )
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads a list.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages.Iterator
        fileprivate var rest: ArraySlice<Element> = []

        /// The next element; nil at the end of the list. It comes on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            while rest.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                rest = page.elements[...]
            }
            return rest.removeFirst()
        }
    }

    /// One page of a list.
    public struct Page {
        /// The page's elements, in the list's order.
        public let elements: [Element]
        /// How many elements of the list come before it.
        public let offset: Int
        /// How many there are in all, where the server says.
        public let total: Int?
    }

    /// How far a list has been read.
    public struct Progress: Sendable, Hashable {
        /// How many elements were fetched.
        public let loaded: Int
        /// How many there will be, where that is known.
        public let total: Int?

        /// From 0 to 1, where the total is known.
        public var fraction: Double? { total.map { $0 == 0 ? 1 : Swift.min(1, Double(loaded) / Double($0)) } }
    }

    /// The pages of a list; see ``PagedList/pages``.
    public struct Pages: AsyncSequence, Sendable {
        public typealias Failure = any Error

        fileprivate let list: PagedList

        public func makeAsyncIterator() -> Iterator {
            let pageSize = list.isWhole ? .max : list.paging.pageSize
            return Iterator(list: list, cursor: ListCursor(start: list.paging.offset, pageSize: pageSize))
        }

        /// Reads a list's pages.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let list: PagedList
            fileprivate var cursor: ListCursor
            fileprivate var loaded = 0
            /// The total that the first page reported.
            fileprivate var total: Int?
            fileprivate var isAtEnd = false

            /// The next page; nil at the end of the list. It comes on the caller's actor, as the reports of
            /// progress do.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page? {
                let paging = list.paging
                while !isAtEnd {
                    guard !Task.isCancelled else { throw IndivoError(.cancelled, call: list.call) }
                    let rest = (paging.limit ?? .max) - loaded
                    let request = cursor.request(upTo: rest)
                    // The list ends where it cannot be read.
                    isAtEnd = true
                    let page = try await list.page(offset: request.offset, limit: request.limit)
                    try cursor.checkSteadiness(list.call)
                    if loaded == 0, total == nil { total = page.total }
                    let (new, isLast) = cursor.take(page.keys, total: page.total, of: request)
                    let offset = paging.offset + loaded
                    loaded += new.count
                    isAtEnd = isLast || new.count == rest
                    let end = Swift.min(
                        total.map { Swift.max(0, $0 - paging.offset) } ?? .max,
                        paging.limit ?? .max
                    )
                    list.report?(Progress(loaded: loaded, total: total != nil ? end : isAtEnd ? loaded : nil))
                    // An empty list has one page, which is empty.
                    if !new.isEmpty || (isAtEnd && offset == paging.offset) {
                        return Page(elements: Array(page.elements[new]), offset: offset, total: page.total)
                    }
                }
                return nil
            }
        }
    }
}

extension PagedList.Page: Sendable where Element: Sendable {}

/// A page as a server gave it.
struct FetchedPage<Element> {
    let elements: [Element]
    /// The keys by which elements are recognised on another page; not unique where one document has several
    /// facts.
    let keys: [String]
    let total: Int?
}

extension CallResponse {
    /// The total that the response reports, if it reports one.
    /// - Throws: ``IndivoError`` for a number that no list can have, since the total is used in arithmetic.
    func total(_ told: Int?) throws(IndivoError) -> Int? {
        guard let told, !(0...Int(Int32.max)).contains(told) else { return told }
        throw malformed("the total that it tells (\(told)) is that of no list")
    }
}

/// Which part of a list is wanted, and in which pieces it is fetched.
struct Paging: Sendable, Hashable {
    var limit: Int?
    var offset: Int
    var pageSize: Int

    /// - Throws: ``IndivoError`` for numbers that a server fails on.
    func check(_ call: IndivoCall) throws {
        let limit = limit ?? .max
        try call.require(
            limit >= 1,
            "a limit of \(limit) asks for nothing; give 1 or more, or nil for everything"
        )
        try call.require(pageSize >= 1, "a page size of \(pageSize) asks for nothing; give 1 or more")
        try call.require(offset >= 0, "an offset of \(offset) lies before the list; give 0 or more")
    }
}

/// The position in a list that others may change while it is read. Offsets count from the list's beginning,
/// and the server counts the total in a separate statement: neither shows how far the list has shifted. So
/// each page is requested with some elements of the page before it, and with one element more than wanted,
/// which shows whether the list continues.
struct ListCursor {
    /// A part of a list to ask for.
    struct Request {
        var offset, limit: Int
        /// How many elements of it should be known.
        var overlap: Int
        /// How many are wanted beyond those.
        var wanted: Int
    }

    private enum Mode {
        /// The next page begins with the last elements of the one before.
        case following
        /// No element of the page was known: a known element is searched for from a few pages before it.
        case steppingBack
        /// The list is searched from its beginning for a known element.
        case searching
        /// None of the elements read so far is in the list any more: the list is read again from the
        /// beginning.
        case restarting
    }

    private let start: Int
    private let pageSize: Int
    private var mode = Mode.following
    /// The offset on the server of the first element that was not read yet, as of the last page.
    private var position: Int
    /// The keys of what was read, in order.
    private var read: [String] = []
    /// The total with the last page from which anything was taken.
    private var total: Int?
    /// Pages in a row without a result.
    private var fruitlessPages = 0
    private var failedSearches = 0

    /// After how many pages a search is given up, and after how many failed searches the list counts as
    /// unreadable.
    private static let maximumSearchLength = 1000
    private static let maximumFailedSearches = 8
    private static let searchedAtOnce = 100
    private static let slack = 100

    init(start: Int, pageSize: Int) {
        self.start = start
        self.pageSize = pageSize
        position = start
    }

    /// The next request, if at most `rest` elements are still wanted.
    func request(upTo rest: Int) -> Request {
        let wanted = min(pageSize, rest)
        let overlap = mode == .following ? min(read.count, max(1, pageSize / 10), position - start) : 0
        var more = overlap + (wanted < rest ? 1 : 0)
        // Catching up has to be faster than the list grows.
        if fruitlessPages > 0 { more += Self.searchedAtOnce << min(fruitlessPages - 1, 5) }
        return Request(
            offset: position - overlap,
            limit: wanted > .max - more ? .max : wanted + more,
            overlap: overlap,
            wanted: wanted
        )
    }

    /// - Throws: ``IndivoError`` for a list in which searches repeatedly find no element that was read
    ///   before.
    func checkSteadiness(_ call: IndivoCall) throws {
        guard failedSearches > Self.maximumFailedSearches else { return }
        throw IndivoError(
            .malformedResponse(
                "each page of the list holds other elements than the one before; it cannot be read"
            ),
            call: call,
            status: 200
        )
    }

    /// Takes the new elements of a page. Returns their range, and whether the list ends with them.
    mutating func take(_ page: [String], total newTotal: Int?, of request: Request) -> (
        new: Range<Int>, isLast: Bool
    ) {
        let isShort = page.count < request.limit
        // The list's first page may be all new, because everything that was read has been removed from the
        // list.
        let isNew = mode == .restarting || request.offset == start && newTotal ?? .max < total ?? .min
        guard let first = self.first(in: page, after: request.overlap) ?? (isNew ? 0 : nil) else {
            // An empty list has no more.
            if page.isEmpty, request.offset == start { return (0..<0, true) }
            // Elements that were added between the server's two statements may stand after the end that its
            // total gives.
            let isBehindEnd = newTotal.map { request.offset + page.count > $0 + Self.slack } ?? false
            search(after: page, of: request, isAtEnd: isShort || isBehindEnd)
            return (0..<0, false)
        }
        let new = first..<min(page.count, first + min(request.wanted, page.count))
        position = request.offset + (new.isEmpty ? page.count : new.upperBound)
        mode = .following
        fruitlessPages = new.isEmpty ? fruitlessPages + 1 : 0
        read += page[new]
        total = newTotal
        // A page that is not full is the last, unless the server gives fewer than it is asked for.
        let isCapped = newTotal.map { $0 > request.offset + page.count } == true && !new.isEmpty
        return (new, isShort && new.upperBound == page.count && !isCapped)
    }

    /// The index on a page of the first element that was not read; `nil` if no element of the page is known.
    private func first(in page: [String], after overlap: Int) -> Int? {
        guard let last = read.last else { return 0 }
        if overlap > 0, page.prefix(overlap).elementsEqual(read.suffix(overlap)) { return overlap }
        // Several rows may have the same key: the right one has the longest run of known rows before it.
        var best: (index: Int, length: Int)?
        for index in page.indices where page[index] == last {
            let length = zip(page[...index].reversed(), read.reversed()).prefix { $0 == $1 }.count
            if length > best?.length ?? 0 { best = (index, length) }
        }
        if let best { return best.index + 1 }
        // The last one was taken out of the list, or comes later.
        let known = Set(read)
        return page.lastIndex { known.contains($0) }.map { $0 + 1 }
    }

    /// Continues a search, or begins one.
    private mutating func search(after page: [String], of request: Request, isAtEnd: Bool) {
        fruitlessPages += 1
        switch mode {
        case .following where request.offset > start:
            mode = .steppingBack
            position = max(start, request.offset - min(request.limit, 1000) * 4)
        case .steppingBack where request.offset > start:
            mode = .searching
            position = start
        case .restarting: break
        case _ where isAtEnd || fruitlessPages > Self.maximumSearchLength:
            failedSearches += 1
            mode = .restarting
            position = start
        case .following, .steppingBack, .searching:
            mode = .searching
            position = request.offset + page.count
        }
    }
}
