import FHIR
import FHIRTerminology
import Foundation
import GRDB
import OrderedJSON
import WebServing

extension Session {
    /// Performs an operation of a terminology service with R4's own code systems and value sets, and with
    /// those that are stored.
    func terminology(
        _ operation: TerminologyOperation,
        _ id: String?,
        _ request: SandboxRequest
    ) throws -> FHIRResponse {
        var parameters = OperationParameters(
            query: request.query.items.map { (name: $0.name, value: $0.value) }
        )
        if case .resource(let body)? = request.body {
            guard body.member("resourceType")?.isString("Parameters") == true else {
                throw FHIRFailure.invalid("the body of an operation is a Parameters resource")
            }
            parameters = OperationParameters(body)
        }
        let type = operation.rawValue.split(separator: "/").first.map(String.init) ?? ""
        let instance = try id.map { try existing(type, $0).json() }
        do throws(TerminologyOperationError) {
            let result = try operation.result(
                parameters,
                on: instance.flatMap(AnyResource.init(tree:)),
                with: server.terminology(db),
                identifier: "urn:uuid:\(LogicalID.make())",
                now: FHIRDateTime(stringLiteral: ResourceVersion.instant(now))
            )
            return FHIRResponse(resource: result)
        } catch {
            throw FHIRFailure(error.status, error.issueCode, error.description)
        }
    }
}

extension ServerState {
    /// R4's code systems and value sets with those that are stored; one that cannot be read is left out.
    func terminology(_ db: Database) -> Terminology {
        let state = try? Row.fetchOne(
            db,
            sql: """
                SELECT count(*), total(version), max(updatedAt), total(isDeleted)
                FROM resource
                WHERE type IN ('CodeSystem', 'ValueSet')
                """
        )
        let key = state?.databaseValues.map(\.description).joined(separator: " ") ?? ""
        if let known = terminologies.withLock({ $0 }), known.key == key { return known.terminology }
        let terminology = Self.terminology(of: (try? storedTerminology(db)) ?? [])
        terminologies.withLock { $0 = (key, terminology) }
        return terminology
    }

    private func storedTerminology(_ db: Database) throws -> [AnyResource] {
        let contents = try Data.fetchAll(
            db,
            sql: """
                SELECT version.content
                FROM resource
                JOIN version ON version.resource = resource.id AND version.number = resource.version
                WHERE resource.type IN ('CodeSystem', 'ValueSet') AND NOT resource.isDeleted
                ORDER BY resource.id
                LIMIT 5000
                """
        )
        return contents.compactMap { try? AnyResource(parsing: $0) }
    }

    private static func terminology(of resources: [AnyResource]) -> Terminology {
        if resources.isEmpty { return .r4 }
        if let all = try? Terminology(adding: resources) { return all }
        let readable = resources.filter { (try? Terminology(adding: [$0])) != nil }
        return (try? Terminology(adding: readable)) ?? .r4
    }
}
