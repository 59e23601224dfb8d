import FHIR
import OrderedJSON

import enum IndivoModel.DocumentStatus

/// What a document's status makes of the status of its resources.
enum StatusTable {
    /// The element that says that a resource was made in error, and its value.
    static let void: [(type: String, element: String)] = [
        ("AllergyIntolerance", "verificationStatus"), ("Condition", "verificationStatus"),
        ("Device", "status"),
        ("DeviceUseStatement", "status"), ("DocumentReference", "status"), ("Encounter", "status"),
        ("Immunization", "status"), ("MedicationDispense", "status"), ("MedicationStatement", "status"),
        ("Observation", "status"), ("Procedure", "status"),
    ]

    /// The FHIR status for a status when the document is no longer current.
    static let archived: [(type: String, element: String, from: String, to: String)] = [
        ("AllergyIntolerance", "clinicalStatus", "active", "inactive"),
        ("Condition", "clinicalStatus", "active", "inactive"),
        ("DocumentReference", "status", "current", "superseded"),
        ("MedicationStatement", "status", "active", "unknown"),
    ]

    /// The code systems of verification statuses.
    static let verification = [
        "AllergyIntolerance": "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification",
        "Condition": "http://terminology.hl7.org/CodeSystem/condition-ver-status",
    ]
}

extension AnyResource {
    /// Changes the resource's status as its document's demands.
    mutating func apply(_ status: DocumentStatus) {
        let type = resourceType
        switch status {
        case .active: break
        case .void:
            guard let row = StatusTable.void.first(where: { $0.type == type }) else { return }
            if let system = StatusTable.verification[row.type] {
                // What was made in error has no clinical status.
                tree["clinicalStatus"] = nil
                let coding = Coding(system: FHIRURI(system), code: "entered-in-error")
                tree[row.element] = CodeableConcept(coding).tree
            } else {
                tree[row.element] = "entered-in-error"
            }
        case .archived:
            guard let row = StatusTable.archived.first(where: { $0.type == type }),
                let old = tree[row.element]
            else { return }
            if old.isString(equalTo: row.from) {
                tree[row.element] = JSONValue(row.to)
            } else if var concept = CodeableConcept(tree: old), concept.firstCode == row.from {
                concept.coding[0].code = row.to
                tree[row.element] = concept.tree
            }
        }
    }
}
