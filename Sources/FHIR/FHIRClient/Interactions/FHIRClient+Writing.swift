import FHIR
import HTTPTypes
import OrderedJSON

/// What a server is asked to return of what was written.
public enum FHIRReturn: String, Sendable, Hashable {
    /// Nothing but id and version.
    case minimal
    /// The resource as it is stored.
    case representation
    /// What there is to say about it.
    case outcome = "OperationOutcome"
}

extension FHIRClient {
    /// Stores a new resource under an id that the server gives (`create`).
    ///
    /// Without a condition it is sent once: when the response is lost, it is unknown whether it was stored.
    /// With `ifNoneExist` it is retried, and stores nothing when a stored resource matches the condition:
    ///
    /// ```swift
    /// try await client.create(
    ///     observation,
    ///     ifNoneExist: [.parameter("identifier", .token(system: system, id))]
    /// )
    /// ```
    /// - Parameter condition: A condition that no stored resource may match. It should match the resource
    ///   created here, and no other.
    /// - Throws: ``FHIRClientError``; `preconditionFailed` when several resources meet the condition.
    @discardableResult
    public func create<Resource: FHIRResource>(
        _ resource: Resource,
        ifNoneExist condition: FHIRSearch? = nil,
        returning: FHIRReturn = .representation
    ) async throws -> FHIRWritten<Resource> {
        let type = try typeName(of: resource, "create")
        var request = FHIRRequest(
            "create",
            .post,
            [type],
            body: .resource(resource),
            retry: condition == nil ? .never : .freely
        )
        if let condition { request.fields[.ifNoneExist] = try checked(condition, "create").query }
        return try await write(request, returning)
    }

    /// Stores a new version of a resource, or a resource under an id of one's own where the server allows it
    /// (`update`).
    ///
    /// - Parameter version: The version that it was made from; another that is stored meanwhile is not
    ///   overwritten.
    /// - Throws: ``FHIRClientError``; `preconditionFailed` or `conflict` when another version is stored.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resource: Resource,
        ifMatch version: String? = nil,
        returning: FHIRReturn = .representation
    ) async throws -> FHIRWritten<Resource> {
        let path = [try typeName(of: resource, "update"), try FHIRRequest.checked(id: resource.id, "update")]
        var request = FHIRRequest(
            "update",
            .put,
            path,
            body: .resource(resource),
            retry: version == nil ? .freely : .refusedTwice
        )
        if let version { request.fields[.ifMatch] = try tag(version, "update") }
        return try await write(request, returning)
    }

    /// Stores a new version of the one resource that meets a condition, or a new resource where none does
    /// (`update`).
    /// - Throws: ``FHIRClientError``; `preconditionFailed` when several do.
    @discardableResult
    public func update<Resource: FHIRResource>(
        _ resource: Resource,
        where condition: FHIRSearch,
        returning: FHIRReturn = .representation
    ) async throws -> FHIRWritten<Resource> {
        let request = FHIRRequest(
            "update",
            .put,
            [try typeName(of: resource, "update")],
            query: try checked(condition, "update").form,
            body: .resource(resource),
            retry: .never
        )
        return try await write(request, returning)
    }

    /// Changes parts of a resource (`patch`).
    ///
    /// - Parameter version: The version that the patch was made for.
    /// - Throws: ``FHIRClientError``.
    @discardableResult
    public func patch<Resource: FHIRResource>(
        _ type: Resource.Type,
        id: String,
        _ patch: JSONPatch,
        ifMatch version: String? = nil,
        returning: FHIRReturn = .representation
    ) async throws -> FHIRWritten<Resource> {
        var request = FHIRRequest(
            "patch",
            .patch,
            [try name(of: type, "patch"), try FHIRRequest.checked(id: id, "patch")],
            body: FHIRRequest.Body(bytes: patch.json, contentType: "application/json-patch+json"),
            retry: version == nil ? .never : .refusedTwice
        )
        if let version { request.fields[.ifMatch] = try tag(version, "patch") }
        return try await write(request, returning)
    }

    /// Deletes a resource (`delete`). Deleting it again is an error only on servers that report one.
    /// - Returns: What the server says about it, if anything.
    @discardableResult
    public func delete<Resource: FHIRResource>(
        _ type: Resource.Type,
        id: String,
        ifMatch version: String? = nil
    ) async throws -> OperationOutcome? {
        try await delete(name(of: type, "delete"), id: id, ifMatch: version)
    }

    /// Deletes a resource of whatever type (`delete`).
    /// - Returns: What the server says about it, if anything.
    @discardableResult
    public func delete(_ type: String, id: String, ifMatch version: String? = nil) async throws
        -> OperationOutcome?
    {
        var request = FHIRRequest(
            "delete",
            .delete,
            [try FHIRRequest.checked(type: type, "delete"), try FHIRRequest.checked(id: id, "delete")],
            retry: version == nil ? .freely : .refusedTwice
        )
        if let version { request.fields[.ifMatch] = try tag(version, "delete") }
        return try await send(request).resource?.as(OperationOutcome.self)
    }

    /// Deletes what meets a condition: one resource, or several where the server allows it (`delete`).
    /// - Returns: What the server says about it, if anything.
    @discardableResult
    public func delete<Resource: FHIRResource>(
        _ type: Resource.Type,
        where condition: FHIRSearch
    ) async throws -> OperationOutcome? {
        let request = FHIRRequest(
            "delete",
            .delete,
            [try name(of: type, "delete")],
            query: try checked(condition, "delete").form,
            retry: .never
        )
        return try await send(request).resource?.as(OperationOutcome.self)
    }

    private func write<Resource: FHIRResource>(
        _ request: FHIRRequest,
        _ returning: FHIRReturn
    ) async throws -> FHIRWritten<Resource> {
        var request = request
        request.fields[.prefer] = "return=" + returning.rawValue
        return try FHIRWritten(try await send(request))
    }

    /// The type that a resource says it is.
    func typeName(of resource: some FHIRResource, _ interaction: String) throws(FHIRClientError) -> String {
        try FHIRRequest.checked(type: resource.resourceType ?? "", interaction)
    }

    /// The condition, if it has parameters: an empty one would match all resources.
    func checked(_ condition: FHIRSearch, _ interaction: String) throws(FHIRClientError) -> FHIRSearch {
        guard condition.hasCondition else {
            throw FHIRRequest.bad("the condition is empty, and would be met by every resource", interaction)
        }
        return condition
    }
}

extension HTTPField.Name {
    // Both are valid names of fields.
    static let ifNoneExist = HTTPField.Name("If-None-Exist")!
    static let prefer = HTTPField.Name("Prefer")!
}
