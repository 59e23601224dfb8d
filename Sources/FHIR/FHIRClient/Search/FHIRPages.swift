import FHIR
import HTTPTypes

/// The pages of a search or a history, one request a page, from the first on.
///
/// A page's link `next` is followed on the base's own origin only, as often as
/// ``FHIRClient/Options/maximumPages`` allows, and never twice to the same page. Each iteration requests the
/// pages again.
public struct FHIRPages: AsyncSequence, Sendable {
    public typealias Element = FHIRBundle

    let client: FHIRClient
    /// The first request, nil where there are no pages, or why it cannot be made.
    let first: Result<FHIRRequest?, FHIRClientError>
    let type: BundleType

    /// Goes from page to page.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case next(FHIRRequest)
            case failed(FHIRClientError)
            case finished
        }

        private let client: FHIRClient
        private let type: BundleType
        private var state: State
        private var pages = 0
        /// The links that were followed; a page that links to one of them would begin again.
        private var seen: Set<String> = []

        fileprivate init(_ pages: FHIRPages) {
            client = pages.client
            type = pages.type
            switch pages.first {
            case .success(let request?): state = .next(request)
            case .success(nil): state = .finished
            case .failure(let error): state = .failed(error)
            }
        }

        /// The next page.
        /// - Throws: ``FHIRClientError``.
        public mutating func next() async throws -> FHIRBundle? {
            let request: FHIRRequest
            switch state {
            case .finished: return nil
            case .failed(let error):
                state = .finished
                throw error
            case .next(let next): request = next
            }
            state = .finished
            let reply = try await client.send(request)
            let page = try reply.the(FHIRBundle.self)
            guard page.type == type else {
                throw reply.malformed("it should be a bundle of type \(type.code)")
            }
            pages += 1
            if let request = try following(page, request) { state = .next(request) }
            return page
        }

        /// The request for the page behind one.
        private mutating func following(_ page: FHIRBundle, _ request: FHIRRequest) throws(FHIRClientError)
            -> FHIRRequest?
        {
            guard let next = try client.request(behind: page, request), let target = next.link else {
                return nil
            }
            guard seen.insert(target).inserted, pages < client.options.maximumPages else {
                throw FHIRClientError(.endlessPages, request)
            }
            return next
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The entries of all pages: matches, what was included, and what the server says about the search.
    public var entries: FHIREntries { FHIREntries(pages: self) }
}

extension FHIRClient {
    /// The pages behind one that is there already, such as the result of a search in a batch; none where it
    /// is the last.
    public func pages(after page: FHIRBundle) -> FHIRPages {
        let request = FHIRRequest("search-type", .get, [], retry: .freely)
        let first = Result { () throws(FHIRClientError) in try self.request(behind: page, request) }
        return FHIRPages(client: self, first: first, type: .searchset)
    }

    /// The request for the page behind one; nil for the last.
    fileprivate func request(behind page: FHIRBundle, _ request: FHIRRequest) throws(FHIRClientError)
        -> FHIRRequest?
    {
        guard let link = page.link.first(where: { $0.relation == "next" })?.url?.rawValue else { return nil }
        guard let target = address.target(ofLink: link) else { throw FHIRClientError(.foreignLink, request) }
        var next = request
        next.method = .get
        next.body = nil
        next.link = target
        return next
    }
}

/// The entries of all pages of a search or a history.
public struct FHIREntries: AsyncSequence, Sendable {
    public typealias Element = FHIRBundle.Entry

    let pages: FHIRPages

    /// Goes from entry to entry.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: FHIRPages.Iterator
        private var entries: ArraySlice<FHIRBundle.Entry> = []

        fileprivate init(_ pages: FHIRPages) { self.pages = pages.makeAsyncIterator() }

        /// The next entry.
        /// - Throws: ``FHIRClientError``.
        public mutating func next() async throws -> FHIRBundle.Entry? {
            while entries.isEmpty {
                guard let page = try await pages.next() else { return nil }
                entries = page.entry[...]
            }
            return entries.popFirst()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages) }
}

/// The resources that a search finds, page after page, without what was included.
public struct FHIRMatches<Resource: FHIRResource>: AsyncSequence, Sendable {
    public typealias Element = Resource

    /// The pages, with what was included and what the server says about the search.
    public let pages: FHIRPages

    /// Goes from resource to resource.
    public struct Iterator: AsyncIteratorProtocol {
        private var entries: FHIREntries.Iterator
        private let pages: FHIRPages

        fileprivate init(_ pages: FHIRPages) {
            self.pages = pages
            entries = pages.entries.makeAsyncIterator()
        }

        /// The next resource.
        /// - Throws: ``FHIRClientError``, also for a match that is a resource of another type.
        public mutating func next() async throws -> Resource? {
            while let entry = try await entries.next() {
                switch entry.search?.mode {
                case .match?, nil:
                    if let resource = entry.resource?.as(Resource.self) { return resource }
                    // A server that does not say why an entry is there may have included it.
                    guard entry.search?.mode != nil, case .success(let request?) = pages.first else {
                        continue
                    }
                    throw FHIRClientError(
                        .malformedResponse("a match should be a resource of type \(Resource.typeName)"),
                        request
                    )
                default: continue
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages) }
}
