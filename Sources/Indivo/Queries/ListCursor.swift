/// How far a list has been read that others work on meanwhile.
///
/// A server's pages are counted from the list's beginning, and its total and its rows come from two statements: neither
/// shows how far the list has shifted since the last page. So each page is asked for with some elements of the one before
/// it, and with one more than is wanted, which shows whether the list continues.
struct ListCursor {
    /// A part of a list to ask for.
    struct Request {
        var offset: Int
        var limit: Int
        /// How many elements of it should be known.
        var overlap: Int
        /// How many are wanted beyond those.
        var wanted: Int
    }

    private enum Mode {
        /// The next page begins with the last elements of the one before.
        case following
        /// Nothing of a page was known: a known element is searched for from a few pages before it.
        case steppingBack
        /// The list is searched from its beginning for a known element.
        case searching
        /// None of the elements read so far is in the list any more: the list is read again from the beginning.
        case restarting
    }

    private let start: Int
    private let pageSize: Int
    private var mode = Mode.following
    /// Where on the server the first element stands that was not read yet, as of the last page.
    private var position: Int
    /// The keys of what was read, in order.
    private var read: [String] = []
    /// The total with the last page from which anything was taken.
    private var total: Int?
    /// Pages in a row of which nothing was taken.
    private var fruitlessPages = 0
    private var failedSearches = 0

    /// So many pages are searched, and so many searches made in vain, before a list counts as one that cannot be read.
    private static let longestSearch = 1000
    private static let mostFailedSearches = 8
    private static let searchedAtOnce = 100
    private static let slack = 100

    init(start: Int, pageSize: Int) {
        self.start = start
        self.pageSize = pageSize
        position = start
    }

    /// What to ask for.
    /// - Parameter rest: How many elements are wanted at most.
    func request(upTo rest: Int) -> Request {
        let wanted = min(pageSize, rest)
        let overlap = mode == .following ? min(read.count, max(1, pageSize / 10), position - start) : 0
        var more = overlap + (wanted < rest ? 1 : 0)
        // Catching up has to be faster than the list grows.
        if fruitlessPages > 0 { more += Self.searchedAtOnce << min(fruitlessPages - 1, 5) }
        return Request(
            offset: position - overlap, limit: wanted > .max - more ? .max : wanted + more, overlap: overlap, wanted: wanted)
    }

    /// - Throws: ``IndivoError`` for a list in which again and again nothing is found of what was read.
    func checkSteadiness(_ call: IndivoCall) throws {
        guard failedSearches > Self.mostFailedSearches else { return }
        throw IndivoError(
            .malformedResponse("each page of the list holds other elements than the one before; it cannot be read"), call: call)
    }

    /// Takes what is new of a page.
    ///
    /// - Returns: Which of its elements are new, and whether the list ends with them.
    mutating func take(
        _ page: [String], total newTotal: Int?, of request: Request
    ) -> (new: Range<Int>, isLast: Bool) {
        let isShort = page.count < request.limit
        let first: Int
        if let found = self.first(in: page, after: request.overlap) {
            first = found
        } else if mode == .restarting || hasShrunk(newTotal, request) {
            first = 0
        } else {
            // An empty list has no more.
            if page.isEmpty, request.offset == start { return (0..<0, true) }
            // What was added between the server's two statements may stand behind the end that the total tells.
            let isBehindEnd = newTotal.map { request.offset + page.count > $0 + Self.slack } ?? false
            search(after: page, of: request, isAtEnd: isShort || isBehindEnd)
            return (0..<0, false)
        }
        let end = min(page.count, first + min(request.wanted, page.count))
        let new = first..<max(first, end)
        position = request.offset + (new.isEmpty ? page.count : new.upperBound)
        mode = .following
        fruitlessPages = new.isEmpty ? fruitlessPages + 1 : 0
        read += page[new]
        total = newTotal
        // A page that is not full is the last, unless the server gives fewer than it is asked for.
        let isCapped = newTotal.map { $0 > request.offset + page.count } == true && !new.isEmpty
        return (new, isShort && new.upperBound == page.count && !isCapped)
    }

    /// Where on a page what was not read begins; `nil` when nothing on it is known.
    private func first(in page: [String], after overlap: Int) -> Int? {
        guard let last = read.last else { return 0 }
        if overlap > 0, page.prefix(overlap).elementsEqual(read.suffix(overlap)) { return overlap }
        // Several rows may be alike: the one counts before which most of the others are the same too.
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

    /// Whether the list's beginning holds nothing that was read because that was taken out of it.
    private func hasShrunk(_ newTotal: Int?, _ request: Request) -> Bool {
        guard let newTotal, let total, request.offset == start else { return false }
        return newTotal < total
    }

    /// Goes on with a search, or begins one.
    private mutating func search(after page: [String], of request: Request, isAtEnd: Bool) {
        fruitlessPages += 1
        switch mode {
        case .following where request.offset > start:
            mode = .steppingBack
            position = max(start, request.offset - min(request.limit, 1000) * 4)
        case .steppingBack where request.offset > start:
            mode = .searching
            position = start
        case .following, .steppingBack, .searching:
            mode = .searching
            position = request.offset + page.count
            if isAtEnd || fruitlessPages > Self.longestSearch {
                failedSearches += 1
                mode = .restarting
                position = start
            }
        case .restarting: break
        }
    }
}
