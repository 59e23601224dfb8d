import FHIR
import FHIRValidation
import GRDB
import OrderedJSON
import Surveys

extension Session {
    // MARK: $validate

    /// Checks a resource without storing it. The OperationOutcome has what is wrong; the status is 200 all
    /// the same.
    func validate(_ type: String?, _ id: String?, _ request: SandboxRequest) throws -> FHIRResponse {
        let resource: JSONValue
        var profiles = request.query.items.filter { $0.name == "profile" }.map(\.value)
        switch request.body {
        case .resource(let body)?:
            if body.member("resourceType")?.isString("Parameters") == true, type != "Parameters" {
                let parameter = body.member("parameter")?.elements?.first {
                    $0.member("name")?.isString("resource") == true
                }
                guard let inner = parameter?.member("resource") else {
                    throw FHIRFailure.invalid("the Parameters have no parameter “resource”")
                }
                resource = inner
                for parameter in body.elements(of: "parameter")
                where parameter.member("name")?.isString("profile") == true {
                    let value = parameter.member("valueUri") ?? parameter.member("valueCanonical")
                    if let url = value?.string { profiles.append(url) }
                }
            } else {
                resource = body
            }
        case nil:
            guard let type, let id else { throw FHIRFailure.invalid("the body is not a resource") }
            resource = try existing(type, id).json()
        case .patch?: throw FHIRFailure(415, "not-supported", "a resource is application/fhir+json")
        }
        var inner = request
        inner.body = .resource(resource)
        do {
            _ = try inner.resource(of: type)
        } catch {
            return FHIRResponse(resource: error.outcome)
        }
        var options = validationOptions
        options.profiles = profiles
        options.checkResponses()
        return FHIRResponse(resource: OperationOutcome(ValidationIssue.all(of: resource, options)).tree)
    }

    /// Limits for validating untrusted resources.
    private var validationOptions: ValidationOptions {
        var options = ValidationOptions()
        options.definitions = server.configuration.definitions
        options.maximumIssues = 1_000
        options.maximumDepth = limits.depth
        options.maximumSteps = 20_000_000
        return options
    }

    /// The resource, if the server takes resources like it.
    func checked(_ resource: JSONValue, _ type: String, isValidated: Bool = true) throws(FHIRFailure)
        -> JSONValue
    {
        if let id = resource.member("id"), id.string.map(LogicalID.isValid) != true {
            throw FHIRFailure(400, "value", "the resource's id is not a valid id of FHIR", at: "\(type).id")
        }
        guard isValidated, server.configuration.refusesInvalid else { return resource }
        var options = validationOptions
        // A server takes what is FHIR; what its profiles say, $validate says.
        options.appliesProfiles = false
        let errors = ValidationIssue.all(of: resource, options).filter(\.isError)
        guard let first = errors.first else { return resource }
        var failure = FHIRFailure(
            422,
            first.code.code,
            first.text,
            at: first.expression.isEmpty ? nil : first.expression
        )
        failure.others = errors.dropFirst().map { issue in
            (
                issue.severity.code, issue.code.code, issue.text,
                issue.expression.isEmpty ? nil : issue.expression
            )
        }
        throw failure
    }

    // MARK: $everything

    /// A patient, what refers to the patient, and what that refers to.
    func everything(_ id: String, _ request: SandboxRequest) throws -> JSONValue {
        let patient = try existing("Patient", id)
        var query = SearchQuery(type: "Patient", count: limits.defaultPage)
        var types: Set<String> = []
        var since: Int64?
        for item in request.query.items where !item.value.isEmpty {
            switch item.name {
            case "_count":
                guard let count = Int(item.value), count > 0 else {
                    throw FHIRFailure.invalid("_count is not a number above 0")
                }
                query.count = min(count, limits.page)
            case "_type": types = Set(item.value.split(separator: ",").map(String.init))
            case "_since":
                guard let range = TimeRange(item.value) else {
                    throw FHIRFailure.invalid("_since is not a time")
                }
                since = range.low
            case "_snapshot": query.page = (item.value, query.page?.offset ?? 0)
            case "_offset":
                guard let offset = Int(item.value), offset >= 0 else {
                    throw FHIRFailure.invalid("_offset is not a number")
                }
                query.page = (query.page?.snapshot ?? "", offset)
            case "_format", "_pretty": break
            default:
                let reason = "$everything takes _count, _type and _since, and another parameter is there"
                guard request.isLenient else { throw FHIRFailure.invalid(reason) }
                query.ignored = [reason]
                continue
            }
            if item.name != "_snapshot", item.name != "_offset" {
                query.used = query.used.adding(item.name, item.value)
            }
        }
        let path = "Patient/\(id)/$everything"
        let page = try page(query, path: path) {
            var conditions: [SQL] = ["NOT resource.isDeleted"]
            if !types.isEmpty {
                conditions.append(
                    "resource.type IN (\(types.sorted().map { "\($0)" as SQL }.joined(separator: ",")))"
                )
            }
            if let since { conditions.append("resource.updatedAt >= \(since)") }
            let sql: SQL = """
                WITH compartment AS (
                    SELECT \(patient.row) AS id
                    UNION
                    SELECT value.resource
                    FROM value
                    JOIN resource AS source ON source.id = value.resource
                    WHERE value.code = \(id)
                        AND value.system = 'Patient'
                        AND NOT source.isDeleted
                        AND value.key IN (\(Self.patientKeys.map { "\($0)" as SQL }.joined(separator: ",")))
                )
                SELECT resource.id
                FROM resource
                WHERE \(conditions.joined(separator: " AND "))
                    AND resource.id IN (
                        SELECT id FROM compartment
                        UNION
                        SELECT target.id
                        FROM compartment
                        JOIN value ON value.resource = compartment.id
                        JOIN resource AS target ON target.type = value.system AND target.name = value.code
                        WHERE target.type <> 'Patient'
                    )
                ORDER BY resource.id <> \(patient.row), resource.type, resource.id
                LIMIT \(limits.matches + 1)
                """
            let rows = try SQLRequest<Int64>(literal: sql).fetchAll(db)
            guard rows.count <= limits.matches else {
                throw FHIRFailure.tooCostly("the patient has more than \(limits.matches) resources")
            }
            return try readable(rows)
        }
        return Self.bundle(try searchset(query, page), of: page, query)
    }

    /// The parameters that make a resource a patient's, by R4's CompartmentDefinition.
    private static let patientKeys: [String] = Compartment.parameters(of: "Patient").sorted {
        $0.key < $1.key
    }
    .flatMap { type, names in names.map { "\(type).\($0)" } }
}
