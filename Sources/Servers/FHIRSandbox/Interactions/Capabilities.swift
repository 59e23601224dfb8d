import FHIR
import FHIRTables
import FHIRTerminology
import FHIRValidation
import OrderedJSON
import WebServing

/// The CapabilityStatement: what the server does, from the tables that it does it with.
enum Capabilities {
    static func statement(base: String, server: ServerState) -> JSONValue {
        let catalog = SearchCatalog.r4
        var rest: JSONValue = [
            "mode": "server",
            "documentation": "A server for development and tests.",
        ]
        if !server.configuration.tokens.isEmpty {
            rest["security"] = ["description": "A bearer token is needed for everything but this statement."]
        }
        if server.smart != nil { rest["security"] = SMARTEndpoints.security(base: base) }
        let profiles = Dictionary(grouping: server.configuration.definitions.profiles, by: \.type)
        rest["resource"] = JSONValue(
            catalog.typeNames.map { resource($0, catalog, profiles[$0, default: []].map(\.url)) }
        )
        rest["interaction"] = [["code": "transaction"], ["code": "batch"], ["code": "history-system"]]
        rest["operation"] = [operation("validate")]
        return [
            "resourceType": "CapabilityStatement", "status": "active",
            "date": JSONValue(ResourceVersion.instant(server.startedAt)), "kind": "instance",
            "software": ["name": "FHIRSandbox"],
            "implementation": ["description": "FHIR R4 sandbox", "url": JSONValue(base)],
            "fhirVersion": "4.0.1",
            "format": ["json", "application/fhir+json", "xml", "application/fhir+xml"],
            "patchFormat": ["application/json-patch+json"], "rest": [rest],
        ]
    }

    private static func resource(_ type: String, _ catalog: SearchCatalog, _ profiles: [String]) -> JSONValue
    {
        let interactions = [
            "read", "vread", "update", "patch", "delete", "history-instance", "history-type", "create",
            "search-type",
        ]
        let parameters = catalog.parameters(of: type)
        let names = parameters.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let own: [(String, SearchParameter.Kind)] = [("_id", .token), ("_lastUpdated", .date)]
        let all = own + names.compactMap { name in parameters[name].map { (name, $0.kind) } }
        let references = names.filter { parameters[$0]?.kind == .reference }
        var resource: JSONValue = [
            "type": JSONValue(type),
            "interaction": JSONValue(interactions.map { ["code": JSONValue($0)] as JSONValue }),
            "versioning": "versioned", "readHistory": true, "updateCreate": true, "conditionalCreate": true,
            "conditionalRead": "full-support", "conditionalUpdate": true, "conditionalDelete": "single",
            "referencePolicy": ["literal", "logical", "local"],
        ]
        if !references.isEmpty {
            resource["searchInclude"] = JSONValue(references.map { JSONValue("\(type):\($0)") })
        }
        resource["searchParam"] = JSONValue(
            all.map { ["name": JSONValue($0.0), "type": JSONValue($0.1.rawValue)] as JSONValue }
        )
        if !profiles.isEmpty { resource["supportedProfile"] = JSONValue(profiles.map { JSONValue($0) }) }
        var operations = type == "Patient" ? [operation("everything", "Patient-everything")] : []
        for terminology in TerminologyOperation.allCases where terminology.rawValue.hasPrefix("\(type)/$") {
            let name = String(terminology.rawValue.dropFirst(type.count + 2))
            operations.append(operation(name, "\(type)-\(name)"))
        }
        if !operations.isEmpty { resource["operation"] = JSONValue(operations) }
        return resource
    }

    private static func operation(_ name: String, _ definition: String = "Resource-validate") -> JSONValue {
        [
            "name": JSONValue(name),
            "definition": JSONValue("http://hl7.org/fhir/OperationDefinition/\(definition)"),
        ]
    }
}
