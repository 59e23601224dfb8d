import OAuth1

/// A list on the server: the call that gives it, what is asked for, and how its pages are read.
struct ListSource<Element>: Sendable {
    let scope: any CallScope
    let call: IndivoCall
    var path: [String: String] = [:]
    let paging: Paging
    /// Whether pages report how many elements there are in all.
    var tellsTotal = true
    /// Whether the server gives the list whole, and takes no limit.
    var isWhole = false
    /// What is asked for, without the part of the list.
    let parameters: @Sendable () throws -> FormParameters
    let read: @Sendable (Answer) async throws -> FetchedPage<Element>

    /// How many elements to ask for at once.
    var pageSize: Int { isWhole ? .max : paging.pageSize }

    func page(offset: Int, limit: Int) async throws -> FetchedPage<Element> {
        try paging.check(call)
        var parameters = try parameters()
        if isWhole {
            let page = try await read(await scope.send(call, path: path, query: parameters))
            return FetchedPage(
                elements: Array(page.elements.dropFirst(offset).prefix(limit)),
                keys: Array(page.keys.dropFirst(offset).prefix(limit)), total: page.total)
        }
        parameters.append(name: "limit", value: String(limit))
        parameters.append(name: "offset", value: String(offset))
        return try await read(await scope.send(call, path: path, query: parameters))
    }
}

/// A page as a server gave it.
struct FetchedPage<Element> {
    let elements: [Element]
    /// By what each is known again; not unique where one document has several facts.
    let keys: [String]
    let total: Int?
}

extension Answer {
    /// The total that the response reports, if there is one.
    /// - Throws: ``IndivoError`` for a number that no list can have, since it is used in arithmetic.
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

extension ReportQuery {
    var paging: Paging { Paging(limit: limit, offset: offset, pageSize: pageSize) }
}
