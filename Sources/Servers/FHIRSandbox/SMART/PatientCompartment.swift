/// Which resources are about a patient (FHIR R4, CompartmentDefinition/patient).
///
/// A Group is left out, though it has patients as members: it tells of others, too. So is another Patient
/// that links to this one.
enum PatientCompartment {
    /// The index keys of the parameters that refer to the patient, by type.
    static let keys = indexKeys(parameters)

    /// The index keys of the parameters by which a resource is about the patient, by type.
    static let subjectKeys = indexKeys(subjects)

    private static func indexKeys(_ names: [String: [String]]) -> [String: [String]] {
        let catalog = SearchCatalog.r4
        var keys: [String: [String]] = [:]
        for (type, names) in names {
            keys[type] = names.compactMap { catalog.parameters(of: type)[$0]?.key }
        }
        return keys
    }

    /// Types of which nothing is about a patient: definitions, and who and what care needs. Everybody who
    /// reads a patient's resources may read them.
    static let shared: Set<String> = [
        "ActivityDefinition", "CodeSystem", "ConceptMap", "Endpoint", "HealthcareService", "Library",
        "Location", "Measure", "Medication", "MedicationKnowledge", "NamingSystem", "ObservationDefinition",
        "Organization", "OrganizationAffiliation", "PlanDefinition", "Practitioner", "PractitionerRole",
        "Questionnaire", "SearchParameter", "StructureDefinition", "StructureMap", "Substance", "ValueSet",
    ]

    /// The parameters that refer to the patient, by type, as the specification lists them.
    static let parameters = names.mapValues { $0.subject + $0.others }

    /// Those of them by which a resource is about the patient. Whoever only performed, wrote, paid for or got
    /// something may see the resource, and not write it.
    static let subjects = names.mapValues(\.subject)

    private static let names: [String: (subject: [String], others: [String])] = {
        var names: [String: (subject: [String], others: [String])] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let subject = words.dropFirst().prefix { $0 != "|" }
            let others = words.dropFirst(2 + subject.count)
            for type in words[0].split(separator: ",") {
                names[String(type)] = (Array(subject), Array(others))
            }
        }
        return names
    }()

    /// Types, the parameters by which they are about the patient, and after a bar the others.
    private static let table = """
        Account,AdverseEvent,ChargeItem,ClinicalImpression,DeviceUseStatement,DiagnosticReport subject
        EnrollmentRequest,MedicationRequest,MedicationStatement,Media,RiskAssessment,Specimen subject
        SupplyRequest subject
        AuditEvent,BodyStructure,ClaimResponse,Consent,CoverageEligibilityRequest patient
        CoverageEligibilityResponse,DetectedIssue,Encounter,EpisodeOfCare,FamilyMemberHistory,Flag patient
        Goal,ImagingStudy,Immunization,ImmunizationEvaluation,ImmunizationRecommendation,MeasureReport patient
        MolecularSequence,NutritionOrder,Person,Provenance,RelatedPerson,SupplyDelivery patient
        VisionPrescription patient
        AllergyIntolerance patient | recorder asserter
        Appointment,AppointmentResponse,Schedule actor
        Basic patient | author
        CarePlan,MedicationAdministration patient | performer
        CareTeam patient | participant
        Claim,ExplanationOfBenefit patient | payee
        Communication subject | sender recipient
        CommunicationRequest subject | sender recipient requester
        Composition subject | author attester
        Condition patient | asserter
        Coverage beneficiary | policy-holder subscriber payor
        DeviceRequest,ServiceRequest,Observation subject | performer
        DocumentManifest subject | author recipient
        DocumentReference,QuestionnaireResponse subject | author
        Invoice subject patient | recipient
        List subject | source
        MedicationDispense subject patient | receiver
        Procedure patient | performer
        RequestGroup subject | participant
        ResearchSubject individual
        """
}
