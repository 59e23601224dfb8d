import FHIR
import HealthSamples
import OrderedJSON

/// What measurements are called, by the codes of their concepts.
enum MeasurementNames {
    static func name(of code: String) -> String? { names[code] }

    private static let names: [String: String] = {
        guard let table = try? JSONValue(parsing: HealthTables.mapping) else { return [:] }
        var names: [String: String] = [:]
        for kind in table.members ?? [] {
            for type in kind.value.members ?? [] {
                for coding in type.value["codes"]?.elements ?? [] {
                    guard let system = coding["system"]?.string, let code = coding["code"]?.string,
                        let concept = ConceptNames.code(Coding(system: FHIRURI(system), code: code))
                    else { continue }
                    names[concept] = names[concept] ?? coding["display"]?.string
                }
            }
        }
        return names
    }()
}
