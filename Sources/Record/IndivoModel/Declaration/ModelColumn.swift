/// A property of a model, or a part of one, by which a report is filtered, ordered and grouped.
///
/// The generator makes them for each class of documents:
///
/// ```swift
/// LabResult.Columns.testName.identifier       // ModelColumn<String>
/// LabResult.Columns.collectedAt               // ModelColumn<XMLDateTime>
/// ```
/// A class that is written by hand can have columns too:
///
/// ```swift
/// extension SleepNight {
///     public enum Columns { public static let score = ModelColumn<Double>("score") }
/// }
/// ```
public struct ModelColumn<Value: Sendable>: Sendable, Hashable {
    /// The property's path in Swift, such as `testName.identifier`.
    public let path: String

    /// A column of this path.
    public init(_ path: String) { self.path = path }

    private func part<Part>(_ name: String) -> ModelColumn<Part> { ModelColumn<Part>("\(path).\(name)") }
}

extension ModelColumn<XMLDateTime> {
    /// When the document was stored, which every report knows.
    public static var createdAt: ModelColumn<XMLDateTime> { ModelColumn("createdAt") }
}

// The parts of compound values. A code system, a gender and the kind of a telephone are texts on the server.

extension ModelColumn<CodedValue> {
    /// The code's text.
    public var title: ModelColumn<String> { part("title") }
    /// The code system's URI.
    public var system: ModelColumn<String> { part("system") }
    /// The code.
    public var identifier: ModelColumn<String> { part("identifier") }
}

extension ModelColumn<ValueAndUnit> {
    /// The value, which a server compares as text.
    public var value: ModelColumn<String> { part("value") }
    public var unit: ModelColumn<String> { part("unit") }
}

extension ModelColumn<ValueRange> {
    /// The upper end.
    public var maximum: ModelColumn<ValueAndUnit> { part("maximum") }
    /// The lower end.
    public var minimum: ModelColumn<ValueAndUnit> { part("minimum") }
}

extension ModelColumn<QuantitativeResult> {
    /// What was measured.
    public var value: ModelColumn<ValueAndUnit> { part("value") }
    public var normalRange: ModelColumn<ValueRange> { part("normalRange") }
    /// The range that is not critical.
    public var nonCriticalRange: ModelColumn<ValueRange> { part("nonCriticalRange") }
}

extension ModelColumn<VitalSign> {
    public var unit: ModelColumn<String> { part("unit") }
    /// The number.
    public var value: ModelColumn<Double> { part("value") }
    /// What was measured.
    public var name: ModelColumn<CodedValue> { part("name") }
}

extension ModelColumn<BloodPressure> {
    /// The patient's position.
    public var position: ModelColumn<CodedValue> { part("position") }
    /// Where it was measured.
    public var site: ModelColumn<CodedValue> { part("site") }
    /// How it was measured.
    public var method: ModelColumn<CodedValue> { part("method") }
    /// The diastolic pressure.
    public var diastolic: ModelColumn<VitalSign> { part("diastolic") }
    /// The systolic pressure.
    public var systolic: ModelColumn<VitalSign> { part("systolic") }
}

extension ModelColumn<PersonName> {
    /// The family name.
    public var family: ModelColumn<String> { part("family") }
    /// The given name.
    public var given: ModelColumn<String> { part("given") }
    /// The middle name.
    public var middle: ModelColumn<String> { part("middle") }
    /// What stands before the name.
    public var prefix: ModelColumn<String> { part("prefix") }
    /// What stands after the name.
    public var suffix: ModelColumn<String> { part("suffix") }
}

extension ModelColumn<Telephone> {
    /// What kind of telephone it is.
    public var kind: ModelColumn<String> { part("kind") }
    public var number: ModelColumn<String> { part("number") }
    /// Whether it is the preferred one.
    public var isPreferred: ModelColumn<Bool> { part("isPreferred") }
}

extension ModelColumn<Address> {
    public var country: ModelColumn<String> { part("country") }
    public var city: ModelColumn<String> { part("city") }
    public var postalCode: ModelColumn<String> { part("postalCode") }
    public var region: ModelColumn<String> { part("region") }
    public var street: ModelColumn<String> { part("street") }
}

extension ModelColumn<Organization> {
    public var name: ModelColumn<String> { part("name") }
    public var address: ModelColumn<Address> { part("address") }
}

extension ModelColumn<Pharmacy> {
    /// The NCPDP's number of the pharmacy.
    public var ncpdpID: ModelColumn<String> { part("ncpdpID") }
    /// The organization's name.
    public var organization: ModelColumn<String> { part("organization") }
    public var address: ModelColumn<Address> { part("address") }
}

extension ModelColumn<Provider> {
    /// The DEA's number of the provider.
    public var deaNumber: ModelColumn<String> { part("deaNumber") }
    public var ethnicity: ModelColumn<String> { part("ethnicity") }
    /// The national provider identifier.
    public var npiNumber: ModelColumn<String> { part("npiNumber") }
    /// The language that the provider prefers.
    public var preferredLanguage: ModelColumn<String> { part("preferredLanguage") }
    public var race: ModelColumn<String> { part("race") }
    public var gender: ModelColumn<String> { part("gender") }
    /// The e-mail address.
    public var email: ModelColumn<String> { part("email") }
    /// The day of birth.
    public var birthday: ModelColumn<XMLDate> { part("birthday") }
    public var address: ModelColumn<Address> { part("address") }
    public var name: ModelColumn<PersonName> { part("name") }
    /// The first telephone.
    public var telephone1: ModelColumn<Telephone> { part("telephone1") }
    /// The second telephone.
    public var telephone2: ModelColumn<Telephone> { part("telephone2") }
}
