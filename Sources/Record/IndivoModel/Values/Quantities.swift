/// An amount and its unit, both as text: `"140"`, `"mg/dL"`. The server takes any value (`"<5"`). SDML type
/// `ValueAndUnit`.
public struct ValueAndUnit: CompoundValue {
    /// The amount as written.
    @Field public var value: String?
    /// The unit, in UCUM where the model says so.
    @Field public var unit: String?

    public init() {}

    /// A value and its unit.
    public init(_ value: String?, _ unit: String?) {
        self.value = value
        self.unit = unit
    }

    /// The amount as a number, where it is one.
    public var number: Double? { value.flatMap { try? Double(lexical: $0) } }

    /// The amount and the unit: `140 mg/dL`.
    public var description: String { [value, unit].compactMap { $0 }.joined(separator: " ") }
}

/// The bounds between which a value lies. SDML type `ValueRange`: `_min` and `_max`.
public struct ValueRange: CompoundValue {
    /// The highest value that is in the range.
    @Field("max") public var maximum: ValueAndUnit?
    /// The lowest value that is in the range.
    @Field("min") public var minimum: ValueAndUnit?

    public init() {}

    /// A range; open where there is no value.
    public init(from minimum: ValueAndUnit?, to maximum: ValueAndUnit?) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The bounds: `70 mg/dL to 110 mg/dL`, `from 70 mg/dL`, `up to 110 mg/dL`.
    public var description: String {
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): "\(minimum) to \(maximum)"
        case (let minimum?, nil): "from \(minimum)"
        case (nil, let maximum?): "up to \(maximum)"
        case (nil, nil): ""
        }
    }
}

/// A measured result with the ranges that help to read it. SDML type `QuantitativeResult`.
public struct QuantitativeResult: CompoundValue {
    /// What was measured.
    @Field public var value: ValueAndUnit?
    /// Where healthy people's values lie.
    @Field("normal_range") public var normalRange: ValueRange?
    /// Outside this range the value calls for action.
    @Field("non_critical_range") public var nonCriticalRange: ValueRange?

    public init() {}

    /// A value, and what it is to be compared with.
    public init(_ value: ValueAndUnit?, normalRange: ValueRange? = nil, nonCriticalRange: ValueRange? = nil) {
        self.value = value
        self.normalRange = normalRange
        self.nonCriticalRange = nonCriticalRange
    }
}

/// One reading of a vital sign. SDML type `VitalSign`: `_unit`, `_value` and `_name`.
public struct VitalSign: CompoundValue {
    /// The unit, in UCUM.
    @Field public var unit: String?
    /// The number, in the unit.
    @Field public var value: Double?
    /// What was read, coded in LOINC.
    @Field public var name: CodedValue?

    public init() {}

    /// A number, its unit and what was measured.
    public init(_ value: Double?, _ unit: String?, name: CodedValue? = nil) {
        self.value = value
        self.unit = unit
        self.name = name
    }
}

/// A blood pressure and how it was taken. SDML type `BloodPressure`.
public struct BloodPressure: CompoundValue {
    /// How the patient sat, stood or lay.
    @Field public var position: CodedValue?
    /// Where on the body it was taken.
    @Field public var site: CodedValue?
    /// By which method.
    @Field public var method: CodedValue?
    /// The lower pressure.
    @Field public var diastolic: VitalSign?
    /// The upper pressure.
    @Field public var systolic: VitalSign?

    public init() {}

    /// The two pressures, without how they were taken.
    public init(systolic: VitalSign?, diastolic: VitalSign?) {
        self.systolic = systolic
        self.diastolic = diastolic
    }
}
