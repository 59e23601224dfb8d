/// A list on a server, fetched page by page as it is read.
///
/// ```swift
/// for try await document in record.documents() { … }
///
/// let audits = record.audit().onProgress { print("\($0.loaded) of \($0.total ?? 0)") }
/// let everything = try await audits.all()
/// ```
/// Nothing is asked of the server before the first element is. Others may work on the list meanwhile: each page begins with
/// elements of the page before, by whose ids it is seen how far the list has shifted. So what was in the list all the time
/// is seen once, whatever is added or taken out; what comes in before the place that is being read is left out. An element
/// that moves, because what the list is ordered by changes, may be seen twice or not at all, and so may one of several that
/// the order does not tell apart.
public struct PagedList<Element>: AsyncSequence, Sendable {
    public typealias Failure = any Error

    let source: any PageSource<Element>
    private var report: (@Sendable (ListProgress) -> Void)?

    init(source: some PageSource<Element>) { self.source = source }

    /// The pages, as the server gives them.
    public var pages: ListPages<Element> { ListPages(source: source, report: report) }

    /// The list, telling how far it is after each page.
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
        source.tellsTotal ? try await source.page(offset: source.start, limit: 1).total : nil
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

/// Where a list's pages come from.
protocol PageSource<Element>: Sendable {
    associatedtype Element

    /// How many elements of the list are left out at its beginning.
    var start: Int { get }
    /// How many elements are wanted at most.
    var limit: Int? { get }
    /// How many to ask for at once.
    var pageSize: Int { get }
    /// Whether pages tell how many elements there are in all.
    var tellsTotal: Bool { get }

    /// The call that gives the list.
    var call: IndivoCall { get }

    func page(offset: Int, limit: Int) async throws -> FetchedPage<Element>
}

/// A page as a server gave it.
struct FetchedPage<Element> {
    let elements: [Element]
    /// By what each is known again; not unique where one document has several facts.
    let keys: [String]
    let total: Int?
}

extension PageSource {
    var tellsTotal: Bool { true }
}

extension Answer {
    /// A total that the answer tells, if it is one.
    /// - Throws: ``IndivoError`` for one that no list has; it is reckoned with.
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
        if let limit, limit < 1 {
            throw IndivoError.argument(
                "a limit of \(limit) asks for nothing; give 1 or more, or nil for everything", call)
        }
        if pageSize < 1 {
            throw IndivoError.argument("a page size of \(pageSize) asks for nothing; give 1 or more", call)
        }
        if offset < 0 {
            throw IndivoError.argument("an offset of \(offset) lies before the list; give 0 or more", call)
        }
    }
}
