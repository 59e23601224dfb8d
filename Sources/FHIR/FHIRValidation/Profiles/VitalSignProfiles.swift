import FHIR
import OrderedJSON

/// The profiles of vital signs (FHIR R4, “Observation Vital Signs Profiles”).
enum VitalSignProfiles {
    private static let profiles: [String: String] = [
        "85353-1": "vitalspanel", "9279-1": "resprate", "8867-4": "heartrate", "2708-6": "oxygensat",
        "8310-5": "bodytemp", "8302-2": "bodyheight", "9843-4": "headcircum", "29463-7": "bodyweight",
        "39156-5": "bmi", "85354-9": "bp",
    ]

    private static let urls = profiles.mapValues { "http://hl7.org/fhir/StructureDefinition/\($0)" }

    /// What R4 asks of an Observation by its codes of LOINC.
    static func profiles(of observation: ParsedNode) -> [String] {
        let codings = observation.member("code")?.member("coding")?.list ?? []
        return codings.compactMap { coding in
            guard coding.member("system")?.isString("http://loinc.org") == true else { return nil }
            return coding.member("code")?.string.flatMap { urls[$0] }
        }
    }
}
