import FHIR
import HTTPTypes
import IndivoBase

/// What an operation works on.
public enum FHIROperationTarget: Sendable, Hashable {
    /// The server.
    case system
    /// A type of resources.
    case type(String)
    /// A resource.
    case instance(String, id: String)
}

extension FHIRClient {
    /// Invokes an operation with parameters in the body (`operation`).
    ///
    /// - Parameters:
    ///   - name: Its name, with or without `$`.
    ///   - target: What it works on.
    ///   - parameters: Its parameters.
    ///   - changesState: Whether it changes something on the server; then it is sent once and never retried.
    /// - Returns: What it gives; `nil` when it gives nothing.
    public func operation(
        _ name: String,
        on target: FHIROperationTarget = .system,
        _ parameters: Parameters = Parameters(),
        changesState: Bool = true
    ) async throws -> AnyResource? {
        let path = try path(of: name, on: target)
        let request = FHIRRequest(
            path.operation,
            .post,
            path.segments,
            body: .resource(parameters),
            retry: changesState ? .never : .freely
        )
        return try await send(request).resource
    }

    /// Invokes an operation that only computes, by GET with simple parameters (`operation`).
    public func operation(
        _ name: String,
        on target: FHIROperationTarget = .system,
        query: FHIRSearch
    ) async throws -> AnyResource? {
        let path = try path(of: name, on: target)
        return try await send(
            FHIRRequest(path.operation, .get, path.segments, query: query.form, retry: .freely)
        ).resource
    }

    /// Checks a resource without storing it (`$validate`).
    ///
    /// - Parameter profile: A profile to check against, instead of those in its `meta`.
    /// - Returns: What is wrong with it, if anything: a server may say so with a status that is a success or
    ///   not.
    public func validate(_ resource: some FHIRResource, profile: FHIRURI? = nil) async throws
        -> OperationOutcome
    {
        let type = try typeName(of: resource, "$validate")
        var parameter = Parameters.Parameter(name: "resource")
        parameter.resource = AnyResource(resource)
        var parameters = Parameters()
        parameters.parameter = [parameter]
        if let profile {
            var parameter = Parameters.Parameter(name: "profile")
            parameter.value = .uri(profile)
            parameters.parameter.append(parameter)
        }
        let path = try path(of: "validate", on: .type(type))
        let request = FHIRRequest(
            path.operation,
            .post,
            path.segments,
            body: .resource(parameters),
            retry: .freely
        )
        do {
            return try await send(request).the(OperationOutcome.self)
        } catch {
            if error.reason == .invalid, let outcome = error.outcome { return outcome }
            throw error
        }
    }

    /// A patient and all that is stored about it, page after page (`$everything`).
    public func everything(aboutPatient id: String, count: Int? = nil) -> FHIRPages {
        FHIRPages(
            client: self,
            first: Result { () throws(FHIRClientError) in
                let path = try path(of: "everything", on: .instance("Patient", id: id))
                var query = FormParameters()
                if let count { query.append(name: "_count", value: String(count)) }
                return FHIRRequest(path.operation, .get, path.segments, query: query, retry: .freely)
            },
            type: .searchset
        )
    }

    private func path(
        of name: String,
        on target: FHIROperationTarget
    ) throws(FHIRClientError) -> (operation: String, segments: [String]) {
        let name = name.hasPrefix("$") ? String(name.dropFirst()) : name
        guard (try? FHIRRequest.checked(id: name, "operation")) != nil else {
            throw FHIRRequest.bad("the name of an operation has letters, digits and “-”", "operation")
        }
        let operation = "$" + name
        switch target {
        case .system: return (operation, [operation])
        case .type(let type): return (operation, [try FHIRRequest.checked(type: type, operation), operation])
        case .instance(let type, let id):
            return (
                operation,
                [
                    try FHIRRequest.checked(type: type, operation),
                    try FHIRRequest.checked(id: id, operation), operation,
                ]
            )
        }
    }
}
