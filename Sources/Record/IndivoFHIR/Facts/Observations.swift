import FHIR

extension Observation {
    /// An observation of a patient.
    /// - Parameter category: `vital-signs` or `laboratory`; `nil` for neither.
    init(of context: FactContext, _ category: String?, _ title: String = "") {
        self.init(status: .final, code: .unknown)
        subject = context.patient()
        if let category {
            self.category = [
                .code(category, system: "http://terminology.hl7.org/CodeSystem/observation-category", title)
            ]
        }
    }

    /// Takes what was measured as the value: a number, or words.
    mutating func set(_ measured: FactFields.Measured?) {
        switch measured {
        case .quantity(let quantity): value = .quantity(quantity)
        case .words(let words): value = .string(words)
        case nil: break
        }
    }
}
