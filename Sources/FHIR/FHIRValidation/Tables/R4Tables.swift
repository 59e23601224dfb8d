import FHIRTables

/// The tables that are compiled in; the texts are generated from `schemas/fhir`.
enum Table {}

extension RuleTable {
    /// The rules (invariants) of R4.
    public static let r4 = RuleTable(Table.rules)
}

extension ValueSetTable {
    /// The value sets that a binding of R4 requires and that can be listed.
    public static let r4 = ValueSetTable([Table.codes, Table.otherCodes])

    /// Those whose codes are an enumeration of the module FHIR.
    package static let enumerated = ValueSetTable([Table.codes])
}

extension SearchParameter {
    /// Those of R4, by resource and name.
    public static let r4: [SearchParameter] = {
        do throws(TableError) {
            return try read(Table.searchParameters)
        } catch {
            // The table is checked when it is compiled in; a test reads it.
            preconditionFailure("the search parameters of FHIR R4 that are compiled in: \(error)")
        }
    }()
}

/// Which resources belong to a patient, an encounter, a device… (FHIR R4, “Compartments”).
public enum Compartment {
    /// The search parameters by which a resource of each type is in a compartment: of `Patient` for
    /// `Observation` they are `subject` and `performer`.
    public static func parameters(of compartment: String) -> [String: [String]] {
        guard let block = index[compartment] else { return [:] }
        var parameters: [String: [String]] = [:]
        for line in block.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            if words.count == 2 {
                parameters[String(words[0])] = words[1].split(separator: ",").map(String.init)
            }
        }
        return parameters
    }

    private static let index = TableIndex(Table.compartments)
}
