import FHIR
import Foundation

/// Several interactions in one request, as a transaction (all or nothing) or as a batch (each for itself).
///
/// A resource that the transaction creates is referred to by the reference that ``create(_:ifNoneExist:)``
/// gives: a `urn:uuid`, which the server replaces by the address it stores it under.
///
/// ```swift
/// var transaction = FHIRTransaction()
/// let patient = transaction.create(
///     newPatient,
///     ifNoneExist: [.parameter("identifier", .token(system: system, "12"))]
/// )
/// weight.subject = patient.to(AnyResource.self)
/// transaction.create(
///     weight,
///     ifNoneExist: [.parameter("identifier", .token(system: samples, sampleID))]
/// )
/// let results = try await client.transaction(transaction)
/// ```
public struct FHIRTransaction: Sendable {
    /// What is asked, in order.
    public private(set) var entries: [FHIRBundle.Entry] = []

    /// A transaction or batch without entries.
    public init() {}

    /// With the entries of a bundle of type `transaction` or `batch`.
    /// - Throws: ``FHIRClientError`` for an entry without a request.
    public init(_ bundle: FHIRBundle) throws(FHIRClientError) {
        entries = bundle.entry
        guard let index = entries.firstIndex(where: { $0.request?.method == nil || $0.request?.url == nil })
        else { return }
        throw FHIRRequest.bad("entry \(index) has no request with method and url", "transaction")
    }

    /// Stores a new resource.
    ///
    /// - Parameter condition: A condition that no stored resource may meet; a transaction can be retried when
    ///   all its creates have one.
    /// - Returns: A reference to it, for other resources of the transaction.
    @discardableResult
    public mutating func create<Resource: FHIRResource>(
        _ resource: Resource,
        ifNoneExist condition: FHIRSearch? = nil
    ) -> Reference<Resource> {
        let address = "urn:uuid:" + UUID().uuidString.lowercased()
        append(.post, resource.resourceType ?? "", resource, fullUrl: address) {
            $0.ifNoneExist = condition?.query
        }
        return Reference(address)
    }

    /// Stores a new version of a resource, or a resource under an id of one's own.
    /// - Parameter version: The version that it was made from.
    public mutating func update(_ resource: some FHIRResource, ifMatch version: String? = nil) {
        append(.put, "\(resource.resourceType ?? "")/\(resource.id ?? "")", resource) {
            $0.ifMatch = version.map { "W/\"\($0)\"" }
        }
    }

    /// Stores a new version of the one resource that meets a condition, or a new one.
    /// - Returns: A reference to it, for other resources of the transaction.
    @discardableResult
    public mutating func update<Resource: FHIRResource>(
        _ resource: Resource,
        where condition: FHIRSearch
    ) -> Reference<Resource> {
        let address = "urn:uuid:" + UUID().uuidString.lowercased()
        append(.put, "\(resource.resourceType ?? "")?\(condition.query)", resource, fullUrl: address) { _ in }
        return Reference(address)
    }

    /// Deletes a resource.
    public mutating func delete<Resource: FHIRResource>(_ type: Resource.Type, id: String) {
        append(.delete, "\(Resource.typeName)/\(id)", nil as Resource?) { _ in }
    }

    /// Reads a resource.
    public mutating func read<Resource: FHIRResource>(_ type: Resource.Type, id: String) {
        append(.get, "\(Resource.typeName)/\(id)", nil as Resource?) { _ in }
    }

    /// Searches; the result is a bundle.
    public mutating func search<Resource: FHIRResource>(_ type: Resource.Type, _ search: FHIRSearch) {
        append(.get, "\(Resource.typeName)?\(search.query)", nil as Resource?) { _ in }
    }

    private mutating func append(
        _ method: HTTPVerb,
        _ url: String,
        _ resource: (some FHIRResource)?,
        fullUrl: String? = nil,
        _ change: (inout FHIRBundle.Entry.Request) -> Void
    ) {
        var request = FHIRBundle.Entry.Request(method: method, url: FHIRURI(url))
        change(&request)
        var entry = FHIRBundle.Entry()
        entry.fullUrl = fullUrl.map { FHIRURI($0) }
        entry.resource = resource.map { AnyResource($0) }
        entry.request = request
        entries.append(entry)
    }

    /// The bundle as it is sent.
    public func bundle(_ type: BundleType) -> FHIRBundle {
        var bundle = FHIRBundle(type: type)
        bundle.entry = entries
        return bundle
    }

    /// Whether all of it may be sent again when its outcome is unknown.
    var retry: RetryRule { .all(entries.lazy.map { Self.retry($0.request) }) }

    private static func retry(_ request: FHIRBundle.Entry.Request?) -> RetryRule {
        guard let request else { return .never }
        switch request.method {
        case .get?, .head?: return .freely
        case .post?:
            return request.ifNoneExist.map { FHIRSearch(query: $0).hasCondition } == true ? .freely : .never
        case .put?, .delete?:
            if request.url?.rawValue.contains("?") ?? true { return .never }
            return request.ifMatch == nil ? .freely : .refusedTwice
        default: return .never
        }
    }
}
