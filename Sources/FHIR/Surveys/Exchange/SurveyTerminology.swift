import FHIR
import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import Synchronization

/// The terminology servers of surveys: what value sets are listed by and searched at, with what they said.
///
/// ```swift
/// let terminology = SurveyTerminology(client, cache: folder, allowed: [try FHIRClient(base: tx)])
/// let (survey, missing) = try await client.survey(questionnaire, asking: terminology)
/// let model = SurveyModel(survey, search: terminology.search)
/// ```
/// A questionnaire may prefer servers (`preferredTerminologyServer`), and only those are asked that the app
/// gives a client of: a questionnaire makes no app contact an address of its choice. A preferred server that
/// the app does not give, or that fails, is replaced by the next, and at last by the app's own. Only the
/// names of value sets and what is typed into a search are sent, and nothing of whom it is about.
///
/// An expansion is kept in memory, and in a folder if there is one; what was searched for, in memory alone
/// and for some minutes.
public final class SurveyTerminology: Sendable {
    package let server: FHIRClient
    private let preferred: @Sendable (URL) -> FHIRClient?
    private let now: @Sendable () -> Date
    private let files: ExpansionFiles?
    private let maximumAge: Double
    private let memory = Mutex(Memory())

    private struct Memory {
        var expansions = BoundedCache<ValueSet>(values: 500, bytes: 32 << 20)
        var searches = BoundedCache<FoundOptions>(values: 500, bytes: 8 << 20)
        /// Preferred servers that could not be reached, with what was said.
        var silent = BoundedCache<String>(values: 100, bytes: 1 << 20)
    }

    /// How long a preferred server that could not be reached is not asked again, in seconds: each attempt
    /// may take as long as a client tries.
    private static let silence = 60.0
    /// How long what was searched for is kept, in seconds.
    private static let searchAge = 600.0

    /// - Parameters:
    ///   - server: The server that is asked where the questionnaire prefers none that may be asked.
    ///   - cache: A folder for expansions; nil for only in memory. It is bounded: the oldest go.
    ///   - maximumAge: After how many seconds an expansion is asked for again.
    ///   - preferred: The client of a server that the questionnaire prefers, without credentials that belong
    ///     to others; nil where it may not be asked. It is called with each address that a questionnaire
    ///     names.
    ///   - now: The clock.
    public init(
        _ server: FHIRClient,
        cache: URL? = nil,
        maximumAge: Double = 7 * 86_400,
        preferred: @escaping @Sendable (URL) -> FHIRClient? = { _ in nil },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.server = server
        self.preferred = preferred
        self.now = now
        self.maximumAge = maximumAge
        files = cache.map { ExpansionFiles(folder: $0, maximumAge: maximumAge) }
    }

    /// The same with servers that may be asked, by their base URLs.
    public convenience init(_ server: FHIRClient, cache: URL? = nil, allowed: [FHIRClient]) {
        self.init(server, cache: cache) { url in
            allowed.first { Self.address($0.base) == Self.address(url) }
        }
    }

    /// An address without what makes no difference.
    private static func address(_ url: URL) -> String {
        let path = url.path().split(separator: "/").joined(separator: "/")
        let port = url.port.map { ":\($0)" } ?? ""
        return "\(url.scheme?.lowercased() ?? "")://\(url.host()?.lowercased() ?? "")\(port)/\(path)"
    }

    // MARK: Listing

    /// What became of a value set.
    struct Listing {
        /// Its expansion, or one that says that it is too large; nil where no server has it.
        var valueSet: ValueSet?
        var isTooLarge = false
        /// What the last server said that has none.
        var reason: String?
        /// The preferred servers that did not give it, with the reasons.
        var refusals: [(server: String, reason: String)] = []
    }

    /// The expansion of a value set with at most `count` codes.
    ///
    /// - Throws: `FHIRClientError` where the app's own server cannot be asked.
    func listing(
        of valueSet: String,
        contained: ValueSet?,
        servers: [String],
        count: Int
    ) async throws -> Listing {
        var listing = Listing()
        var failure: FHIRClientError?
        let count = max(0, min(count, Int(Int32.max) - 1))
        for candidate in candidates(servers) {
            let client: FHIRClient
            switch candidate {
            case .refused(let server, let reason):
                listing.refusals.append((server, reason))
                continue
            case .asked(let asked): client = asked
            }
            do {
                // One more than is taken shows that there are more.
                let found = try await expansion(of: valueSet, contained, count: count + 1, by: client)
                listing.isTooLarge = found.isTooCostly
                listing.valueSet = found
                return listing
            } catch let error as FHIRClientError where error.reason == .cancelled {
                throw error
            } catch let error where client !== server {
                listing.refusals.append((client.base.absoluteString, "\(error)"))
                note(error, of: client)
            } catch let error as FHIRClientError where error.isWithoutServer {
                failure = error
            } catch {
                listing.reason = "\(error)"
            }
        }
        if let failure { throw failure }
        return listing
    }

    private static let notAllowed = "the app does not let this terminology server be asked"

    private enum Candidate {
        case asked(FHIRClient)
        case refused(String, reason: String)
    }

    /// The preferred servers in their order, and the app's own.
    private func candidates(_ servers: [String]) -> [Candidate] {
        let oldest = now().timeIntervalSince1970 - Self.silence
        var known: Set<String> = []
        var isServerPreferred = false
        let preferred = servers.prefix(Self.maximumServers).compactMap { address -> Candidate? in
            guard let client = URL(string: address).flatMap({ self.preferred($0) }) else {
                return .refused(address, reason: Self.notAllowed)
            }
            guard known.insert(Self.address(client.base)).inserted else { return nil }
            if client === server { isServerPreferred = true }
            let base = client.base.absoluteString
            guard let reason = memory.withLock({ $0.silent.value(base, since: oldest) }) else {
                return .asked(client)
            }
            return .refused(base, reason: reason)
        }
        return isServerPreferred ? preferred : preferred + [.asked(server)]
    }

    /// Notes that a preferred server could not be reached.
    private func note(_ error: any Error, of client: FHIRClient) {
        // A value set that is too large for a response says nothing of others.
        guard client !== server, let error = error as? FHIRClientError, error.isWithoutServer else { return }
        let base = client.base.absoluteString
        let reason = "\(error)"
        memory.withLock {
            $0.silent.keep(reason, base, bytes: reason.utf8.count, at: now().timeIntervalSince1970)
        }
    }

    /// The most preferred servers that are asked for one value set.
    private static let maximumServers = 5

    /// The expansion that a server gives, or has given; of a value set with `count` codes or more one that
    /// says that it is too large.
    private func expansion(of valueSet: String, _ contained: ValueSet?, count: Int, by client: FHIRClient)
        async throws -> ValueSet
    {
        let key = "\(client.base.absoluteString)\n\(valueSet)\n\(count)\n\(contained?.tree.text() ?? "")"
        let time = now().timeIntervalSince1970
        if let known = memory.withLock({ $0.expansions.value(key, since: time - maximumAge) }) {
            return known
        }
        if let kept = files?.expansion(key, now: time) {
            remember(kept.valueSet, key, at: kept.at)
            return kept.valueSet
        }
        let found: ValueSet
        do {
            found = try await expand(valueSet, contained, [("count", count)], by: client)
        } catch let error as FHIRClientError where error.isTooCostly {
            found = .tooCostly(valueSet)
        }
        let kept = found.codes(upTo: count) >= count ? ValueSet.tooCostly(valueSet) : found
        remember(kept, key, at: time)
        files?.keep(kept, key, now: time)
        return kept
    }

    private func remember(_ valueSet: ValueSet, _ key: String, at time: Double) {
        let bytes = valueSet.tree.utf8().count
        memory.withLock { $0.expansions.keep(valueSet, key, bytes: bytes, at: time) }
    }

    // MARK: Searching

    /// Finds codes of a value set by a text (`ValueSet/$expand` with `filter`).
    ///
    /// - Throws: `FHIRClientError` where no server answers that may be asked.
    public func search(_ search: OptionSearch) async throws -> FoundOptions {
        var failure: (any Error)?
        for case .asked(let client) in candidates(search.servers) {
            let parts: JSONValue = [
                JSONValue(client.base.absoluteString), JSONValue(search.valueSet), JSONValue(search.text),
                JSONValue(search.language ?? ""), search.contained?.tree ?? "",
            ]
            let key = parts.text()
            let time = now().timeIntervalSince1970
            let oldest = time - Self.searchAge
            if let known = memory.withLock({ $0.searches.value(key, since: oldest) }) { return known }
            do {
                let expansion = try await expand(
                    search.valueSet,
                    search.contained,
                    [("count", OptionSearch.maximumOptions + 1)],
                    filter: search.text,
                    language: search.language,
                    by: client
                )
                let found = FoundOptions(expansion)
                let bytes = found.options.reduce(key.utf8.count) { $0 + $1.value.content.tree.utf8().count }
                memory.withLock { $0.searches.keep(found, key, bytes: bytes, at: time) }
                return found
            } catch is CancellationError {
                throw CancellationError()
            } catch let error as FHIRClientError where error.reason == .cancelled {
                throw error
            } catch {
                note(error, of: client)
                failure = error
            }
        }
        throw failure ?? CancellationError()
    }

    // MARK: Asking

    private func expand(
        _ valueSet: String,
        _ contained: ValueSet?,
        _ numbers: [(String, Int)],
        filter: String? = nil,
        language: String? = nil,
        by client: FHIRClient
    ) async throws -> ValueSet {
        let result: AnyResource?
        if let contained {
            var parameters = Parameters()
            func add(_ name: String, _ body: (inout Parameters.Parameter) -> Void) {
                var parameter = Parameters.Parameter(name: name)
                body(&parameter)
                parameters.parameter.append(parameter)
            }
            add("valueSet") { $0.resource = AnyResource(contained) }
            for (name, number) in numbers { add(name) { $0.value = .integer(number) } }
            if let filter { add("filter") { $0.value = .string(filter) } }
            if let language { add("displayLanguage") { $0.value = .code(language) } }
            result = try await client.operation(
                "expand",
                on: .type("ValueSet"),
                parameters,
                changesState: false
            )
        } else {
            var query: FHIRSearch = [.raw("url", valueSet)]
            query.parameters += numbers.map { .raw($0.0, String($0.1)) }
            if let filter { query.parameters.append(.raw("filter", filter)) }
            if let language { query.parameters.append(.raw("displayLanguage", language)) }
            result = try await client.operation("expand", on: .type("ValueSet"), query: query)
        }
        guard let expansion = result?.as(ValueSet.self), expansion.expansion != nil else {
            throw UnexpectedExpansion()
        }
        return expansion
    }
}

/// A server said that it has expanded a value set, and gave none.
struct UnexpectedExpansion: Error, CustomStringConvertible {
    var description: String { "the server gave no expansion" }
}

extension FHIRClientError {
    /// Whether there was no server that could be asked, for this or anything else.
    fileprivate var isWithoutServer: Bool {
        switch reason {
        case .notReachable, .timedOut, .responseLost, .authorization: true
        default: false
        }
    }

    /// Whether a server will not list a value set because it is too large.
    fileprivate var isTooCostly: Bool {
        outcome?.issue.contains { $0.code == .tooCostly } ?? false
    }
}

extension ValueSet {
    /// How many codes it has: those listed, also under others, or the total where that is more; at most
    /// `limit`.
    fileprivate func codes(upTo limit: Int) -> Int {
        let expansion = tree.member("expansion")
        var count = 0
        var stack = expansion.map { [$0] } ?? []
        while let concept = stack.popLast(), count < limit {
            let contained = concept.elements(of: "contains")
            count += contained.count
            stack += contained
        }
        // A server may give less than is asked for.
        return min(limit, max(count, expansion?.member("total")?.integer ?? 0))
    }
}
