import FHIR

/// Expressions of R4's rules that do not say what the rules mean, and what they should be.
///
/// Most were corrected in later releases, and HL7's own validator replaces them in the same way.
enum RuleErrata {
    static let expressions: [String: String] = [
        // “…If there are more than one enableWhen”: the published expression begins at three.
        "que-12": "enableWhen.count() > 1 implies enableBehavior.exists()",
        // An element of the type boolean is no System.Boolean.
        "que-7": "operator = 'exists' implies (answer is boolean)",
        // A date has no order with a day in it: what is not known to be wrong is right.
        "per-1": "start.hasValue().not() or end.hasValue().not() or (start <= end) or (start <= end).empty()",
        "mdd-1":
            "whenHandedOver.empty() or whenPrepared.empty() or (whenHandedOver >= whenPrepared)"
            + " or (whenHandedOver >= whenPrepared).empty()",
        "inv-1@Task":
            "lastModified.exists().not() or authoredOn.exists().not() or (lastModified >= authoredOn)"
            + " or (lastModified >= authoredOn).empty()",
        // Quantities without a value have no order, nor have those in units of another kind.
        "rng-2": "low.value.empty() or high.value.empty() or (low <= high) or (low <= high).empty()",
        // Without a probability nothing is of a type, and nothing follows from that.
        "ras-2": "probability.ofType(decimal).all($this <= 100)",
        // `when` may have several codes, and `in` takes one.
        "tim-9":
            "offset.empty() or (when.exists() and when.where($this in ('C' | 'CM' | 'CD' | 'CV')).empty())",
        // A category is a concept and never equal to a string.
        "con-3":
            "clinicalStatus.exists() or verificationStatus.coding.where("
                + """
                system='http://terminology.hl7.org/CodeSystem/condition-ver-status' and code = \
                'entered-in-error').exists()
                """
            + " or category.coding.where(code = 'problem-list-item').empty()",
        // Most entries need no full URL.
        "bdl-8": "fullUrl.exists() implies fullUrl.contains('/_history/').not()",
        // The name is optional, and all of it must match.
        "cpb-0": name, "csd-0": name, "que-0": name, "vsd-0": name,
    ]

    /// Value sets whose required bindings are warnings, as HL7's own validator has them: US Core's pulse
    /// oximetry fixes a unit that R4's vital signs do not have.
    static let extendedValueSets: Set<String> = ["http://hl7.org/fhir/ValueSet/ucum-vitals-common"]

    /// Those of R4's profiles.
    static let profileExpressions: [String: String] = [
        // “If effective[x] is dateTime…”: of a Period the published expression is empty, and so not true.
        "vs-1": "($this is dateTime).not() or ($this as dateTime).toString().length() >= 8"
    ]

    private static let name = "name.exists() implies name.matchesFull('[A-Z]([A-Za-z0-9_]){0,254}')"
}
