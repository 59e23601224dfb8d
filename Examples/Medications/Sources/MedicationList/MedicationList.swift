import Indivo

/// The model behind a list of medications. Documents live on the main actor here, without ceremony: the
/// library's calls run on the caller's actor and leave it only to wait and to parse.
@MainActor
public final class MedicationList {
    public private(set) var medications: [Medication] = []
    public private(set) var problem: String?
    private let record: IndivoRecord

    public init(record: IndivoRecord) { self.record = record }

    public func refresh() async {
        do {
            medications = try await record.reports(of: Medication.self).all()
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }

    public func add(_ title: String, from day: XMLDate) async throws {
        let medication = Medication()
        medication.drugName = CodedValue(title: title, system: .rxNorm)
        medication.startDate = day
        try await record.add(medication)
        medications.insert(medication, at: 0)
    }

    public func changeInstructions(of medication: Medication, to text: String) async throws {
        medication.instructions = text
        try await medication.replace()
    }

    public func archive(_ medication: Medication, reason: String) async throws {
        try await medication.setStatus(.archived, reason: reason)
        medications.removeAll { $0 === medication }
    }
}
