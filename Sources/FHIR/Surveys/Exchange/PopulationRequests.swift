import FHIR
import FHIRClient
import OrderedJSON

/// Asks a server for the results of searches, in batches.
struct PopulationRequests {
    /// How many searches go into one batch; servers limit it.
    private static let queriesOfBatch = 100

    private let client: FHIRClient
    private let limits: PopulationLimits
    /// Whether the server takes no batch, so that each search is a request of its own.
    private var asksOneByOne = false
    private var left: Int
    private(set) var count = 0
    private(set) var problems: [PopulationProblem] = []

    init(client: FHIRClient, limits: PopulationLimits) {
        self.client = client
        self.limits = limits
        left = limits.queries
    }

    /// The result of each search by its URL: a Bundle or the resource; `null` where there is none.
    mutating func results(of urls: [String]) async throws -> [(url: String, result: JSONValue)] {
        let possible = urls.prefix(max(0, left))
        left -= possible.count
        report(Array(urls.dropFirst(possible.count)), .tooMany)
        var results: [(String, JSONValue)] = []
        var rest = possible
        while !rest.isEmpty {
            try Task.checkCancellation()
            let batch = Array(rest.prefix(Self.queriesOfBatch))
            rest = rest.dropFirst(batch.count)
            results += try await responses(to: batch)
        }
        return results
    }

    mutating func report(_ urls: [String], _ reason: PopulationProblem.Reason) {
        for type in Set(urls.map(Self.type)).sorted() {
            problems.append(PopulationProblem(type: type, reason: reason))
        }
    }

    private static func type(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "/" }) }

    private mutating func responses(to urls: [String]) async throws -> [(String, JSONValue)] {
        if !asksOneByOne {
            var bundle = FHIRBundle(type: .batch)
            bundle.entry = urls.map { url in
                var entry = FHIRBundle.Entry()
                entry.request = FHIRBundle.Entry.Request(method: .get, url: FHIRURI(url))
                return entry
            }
            do {
                let entries = try await client.batch(FHIRTransaction(bundle))
                count += 1
                var results: [(String, JSONValue)] = []
                for (url, entry) in zip(urls, entries) {
                    results.append((url, try await result(of: url, entry)))
                }
                return results
            } catch let error as FHIRClientError where error.reason == .notSupported {
                asksOneByOne = true
            }
        }
        var results: [(String, JSONValue)] = []
        for url in urls { results.append((url, try await result(of: url))) }
        return results
    }

    private mutating func result(of url: String, _ entry: FHIREntryResult) async throws -> JSONValue {
        guard entry.isSuccess else {
            report([url], .status(entry.status))
            return .null
        }
        guard let resource = entry.resource else {
            report([url], .unexpectedContent)
            return .null
        }
        return try await whole(resource.tree, url)
    }

    /// The result of one search or read as a request of its own.
    private mutating func result(of url: String) async throws -> JSONValue {
        count += 1
        do {
            return try await whole(client.get(url).tree, url)
        } catch let error as FHIRClientError where error.status != nil {
            report([url], .status(error.status ?? 0))
            return .null
        }
    }

    /// A searchset with the entries of all its pages; another resource as it is.
    private mutating func whole(_ tree: JSONValue, _ url: String) async throws -> JSONValue {
        guard tree["resourceType"]?.string == "Bundle", let page = FHIRBundle(tree: tree) else {
            guard Self.type(url) == tree["resourceType"]?.string || url.contains("$") else {
                report([url], .unexpectedContent)
                return .null
            }
            return tree
        }
        // Who asks for so many takes one page. It is all that is wanted where it is the newest so many, as in
        // `_sort=-date&_count=10`, or one.
        let query = url.split { $0 == "?" || $0 == "&" }
        let pageSize = query.first { $0.hasPrefix("_count=") }
        let isWhole = pageSize != nil
        let isEnough = pageSize == "_count=1" || query.contains { $0.hasPrefix("_sort=-") }
        let limit = max(0, limits.resourcesOfQuery)
        var bundle = page
        var isTruncated = isWhole && !isEnough && page.link.contains { $0.relation == "next" }
        do {
            for try await next in client.pages(after: isWhole ? FHIRBundle(type: .searchset) : page) {
                count += 1
                bundle.entry += next.entry
                if bundle.entry.count > limit { break }
            }
        } catch let error as FHIRClientError
            where error.status != nil || [.foreignLink, .endlessPages].contains(error.reason)
        {
            isTruncated = true
        }
        if bundle.entry.count > limit {
            bundle.entry.removeLast(bundle.entry.count - limit)
            isTruncated = true
        }
        if isTruncated { report([url], .truncated(bundle.entry.count)) }
        return bundle.tree
    }
}
