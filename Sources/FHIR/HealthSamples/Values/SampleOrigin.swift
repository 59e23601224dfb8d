import FHIR

/// The device that measured a sample.
public struct SampleDevice: Sendable, Hashable {
    /// The name, such as `Apple Watch`.
    public var name: String?
    /// Who made it.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// The version of the hardware, such as `Watch6,1`.
    public var hardwareVersion: String?
    /// The version of the firmware.
    public var firmwareVersion: String?
    /// The version of the software.
    public var softwareVersion: String?
    /// What the phone calls it.
    public var localIdentifier: String?
    /// The device identifier of its UDI.
    public var udi: String?

    /// A device without any properties.
    public init() {}

    /// A member of the JSON and its property.
    static var members: [(name: String, path: WritableKeyPath<SampleDevice, String?> & Sendable)] {
        [
            ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model),
            ("hardwareVersion", \.hardwareVersion),
            ("firmwareVersion", \.firmwareVersion), ("softwareVersion", \.softwareVersion),
            ("localIdentifier", \.localIdentifier), ("udi", \.udi),
        ]
    }
}

/// The app that stored a sample.
public struct SampleSource: Sendable, Hashable {
    /// The name, such as `Anna's Apple Watch`.
    public var name: String?
    /// The bundle identifier.
    public var bundleIdentifier: String?
    /// The app's version.
    public var version: String?
    /// The hardware that it ran on, such as `Watch6,1`.
    public var productType: String?
    /// The version of the operating system.
    public var systemVersion: String?

    /// A source without any properties.
    public init() {}

    /// A source with a name.
    public init(name: String) { self.name = name }

    /// A member of the JSON and its property.
    static var members: [(name: String, path: WritableKeyPath<SampleSource, String?> & Sendable)] {
        [
            ("name", \.name), ("bundleIdentifier", \.bundleIdentifier), ("version", \.version),
            ("productType", \.productType), ("systemVersion", \.systemVersion),
        ]
    }
}

/// A further fact about a sample.
public enum MetadataValue: Sendable, Hashable {
    /// Text.
    case text(String)
    /// A number without a unit.
    case number(FHIRDecimal)
    /// Yes or no.
    case boolean(Bool)
    /// A point in time.
    case date(FHIRDateTime)
    /// A number with a unit.
    case quantity(SampleQuantity)
}
