import FHIR
import HTTPTypes
import IndivoBase

/// How a search is sent.
public enum FHIRSearchMethod: Sendable, Hashable {
    /// By GET; by POST where the parameters are longer than ``FHIRClient/Options/maximumQueryBytes``.
    case automatic
    /// By GET, with the parameters in the URL, where servers and proxies log them.
    case get
    /// By POST to `_search`, with the parameters in the body.
    case post
}

extension FHIRClient {
    /// The resources of a type that match all conditions. Each page is requested when the iteration reaches
    /// it (`search-type`).
    ///
    /// ```swift
    /// for try await patient in client.search(Patient.self, [.parameter("family", .string("Miller"))]) { … }
    /// ```
    /// The server is asked to refuse parameters that it does not know (`Prefer: handling=strict`) instead of
    /// ignoring a condition.
    public func search<Resource: FHIRResource>(
        _ type: Resource.Type,
        _ search: FHIRSearch = [],
        by method: FHIRSearchMethod = .automatic
    ) -> FHIRMatches<Resource> {
        FHIRMatches(
            pages: pages { () throws(FHIRClientError) in
                self.request("search-type", [try self.name(of: type, "search-type")], search, method)
            }
        )
    }

    /// The pages of a search for a type by name (`search-type`).
    public func search(_ type: String, _ search: FHIRSearch = [], by method: FHIRSearchMethod = .automatic)
        -> FHIRPages
    {
        pages { () throws(FHIRClientError) in
            self.request("search-type", [try FHIRRequest.checked(type: type, "search-type")], search, method)
        }
    }

    /// The pages of a search among all types (`search-system`).
    public func search(_ search: FHIRSearch, by method: FHIRSearchMethod = .automatic) -> FHIRPages {
        pages { self.request("search-system", [], search, method) }
    }

    /// How many resources of a type match all conditions, without reading them.
    public func count<Resource: FHIRResource>(
        _ type: Resource.Type,
        _ search: FHIRSearch = []
    ) async throws -> Int {
        var search = search
        search.parameters.append(.summary(.count))
        let request = request("search-type", [try name(of: type, "search-type")], search, .automatic)
        let reply = try await send(request)
        guard let total = try reply.the(FHIRBundle.self).total else {
            throw reply.malformed("it has no total")
        }
        return total
    }

    /// The versions of a resource, the newest first (`history-instance`).
    /// - Parameters:
    ///   - count: How many a page has at most.
    ///   - since: Only what was stored since.
    public func history<Resource: FHIRResource>(
        _ type: Resource.Type,
        id: String,
        count: Int? = nil,
        since: FHIRInstant? = nil
    ) -> FHIRPages {
        history(Resource.typeName, id: id, count: count, since: since)
    }

    /// The versions of a resource, of all of a type, or of all, the newest first (`history-instance`,
    /// `history-type`, `history-system`).
    public func history(
        _ type: String? = nil,
        id: String? = nil,
        count: Int? = nil,
        since: FHIRInstant? = nil
    ) -> FHIRPages {
        pages(of: .history) { () throws(FHIRClientError) in
            var path: [String] = []
            let interaction = id != nil ? "history-instance" : type != nil ? "history-type" : "history-system"
            if let type { path.append(try FHIRRequest.checked(type: type, interaction)) }
            if let id {
                guard type != nil else { throw FHIRRequest.bad("an id needs its type", interaction) }
                path.append(try FHIRRequest.checked(id: id, interaction))
            }
            var query = FormParameters()
            if let count { query.append(name: "_count", value: String(count)) }
            if let since { query.append(name: "_since", value: since.description) }
            return FHIRRequest(interaction, .get, path + ["_history"], query: query, retry: .freely)
        }
    }

    private func request(
        _ interaction: String,
        _ path: [String],
        _ search: FHIRSearch,
        _ method: FHIRSearchMethod
    ) -> FHIRRequest {
        let form = search.form
        var request: FHIRRequest
        if method == .post || (method == .automatic && search.query.utf8.count > options.maximumQueryBytes) {
            request = FHIRRequest(interaction, .post, path + ["_search"], body: .form(form), retry: .freely)
        } else {
            request = FHIRRequest(interaction, .get, path, query: form, retry: .freely)
        }
        request.fields[.prefer] = "handling=strict"
        return request
    }

    private func pages(
        of type: BundleType = .searchset,
        _ first: () throws(FHIRClientError) -> FHIRRequest
    ) -> FHIRPages {
        FHIRPages(client: self, first: Result(catching: first), type: type)
    }
}
