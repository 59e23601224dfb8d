import FHIR
import FHIRClient

/// An identifier of a patient, as `system|value` or a value alone.
public struct PatientIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The system; nil for a value of any system.
    public let system: FHIRURI?
    public let value: String

    /// - Parameter text: `system|value`, split at the first bar: systems have none, values may. Nil without a
    ///   value.
    public init?(_ text: String) {
        if let bar = text.firstIndex(of: "|") {
            system = bar == text.startIndex ? nil : FHIRURI(String(text[..<bar]))
            value = String(text[text.index(after: bar)...])
        } else {
            system = nil
            value = text
        }
        if value.isEmpty { return nil }
    }

    public var description: String { (system.map { "\($0)|" } ?? "") + value }

    func matches(_ identifier: Identifier) -> Bool {
        identifier.value.map { $0.utf8.elementsEqual(value.utf8) } == true
            && (system == nil || identifier.system == system)
    }
}

/// Why no patient was found.
public enum PatientLookupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No patient of the server has the identifier.
    case notFound(PatientIdentifier)
    /// Several patients have it.
    case ambiguous(PatientIdentifier, count: Int)
    /// The server gives patients that do not have it: it does not know the search parameter.
    case ignored(PatientIdentifier)

    public var description: String {
        switch self {
        case .notFound(let identifier): "the server has no patient with the identifier \(identifier)"
        case .ambiguous(let identifier, let count):
            "\(count) patients have the identifier \(identifier); give it with its system, as system|value"
        case .ignored(let identifier):
            "the server gives patients without the identifier \(identifier); it cannot search by identifier"
        }
    }
}

extension FHIRClient {
    /// The one patient with an identifier. What the server finds is compared with it, as servers ignore
    /// parameters that they do not know; nothing is guessed by names.
    /// - Throws: ``PatientLookupError``, `FHIRClientError`.
    public func patient(identifiedBy identifier: PatientIdentifier) async throws -> Patient {
        let token: FHIRSearchValue =
            identifier.system.map { .token(system: $0, identifier.value) } ?? .token(identifier.value)
        var found: [String: Patient] = [:]
        var others = 0
        for try await patient in search(Patient.self, [.parameter("identifier", token)]) {
            if let id = patient.id, patient.identifier.contains(where: identifier.matches) {
                found[id] = patient
            } else {
                others += 1
            }
            // A server that ignores the parameter may have a million patients: one that was found may not be
            // the only one.
            if others >= 1000 { throw PatientLookupError.ignored(identifier) }
            if found.count > 100 { break }
        }
        guard let patient = found.values.first else {
            throw others > 0 ? PatientLookupError.ignored(identifier) : .notFound(identifier)
        }
        guard found.count == 1 else { throw PatientLookupError.ambiguous(identifier, count: found.count) }
        return patient
    }
}
