/// A row of i2b2's patient data object (PDO 1.1).
public enum PatientDataRow: Sendable, Hashable {
    /// A visit.
    case event(Event)
    /// A concept: path, code, name.
    case concept(Dimension)
    /// A modifier: path, code, name.
    case modifier(Dimension)
    /// Who observes: path, code, name.
    case observer(Dimension)
    case patientID(Identifier)
    /// An id of a visit.
    case eventID(Identifier)
    case patient(Patient)
    /// A fact, of a patient in a visit.
    case observation(Observation)

    /// An id, and whose ids it is one of.
    public struct Identifier: Sendable, Hashable {
        public var id: String
        /// The source of ids.
        public var source: String
    }

    /// A visit.
    public struct Event: Sendable, Hashable {
        /// The visit's id.
        public var id: Identifier
        /// The patient's id.
        public var patient: Identifier
        /// When it began.
        public var start: WarehouseTime?
        /// When it ended.
        public var end: WarehouseTime?
    }

    /// A row of a dimension.
    public struct Dimension: Sendable, Hashable {
        /// The path, with a backslash before and behind each name.
        public var path: String
        /// The code that facts have.
        public var code: String
        /// What people read.
        public var name: String
    }

    /// A patient.
    public struct Patient: Sendable, Hashable {
        /// The patient's id.
        public var id: Identifier
        /// The columns of `patient_dimension` by their names (`param`), such as `sex_cd`.
        public var columns: [String: String]
        /// The consent in JSON, in objects that this package writes.
        public var blob: String?
    }

    /// A fact.
    public struct Observation: Sendable, Hashable {
        /// The visit's id.
        public var event: Identifier
        /// The patient's id.
        public var patient: Identifier
        /// The fact. Its end is nil where that is its start, which the object says of facts without one.
        public var fact: Fact
    }
}
