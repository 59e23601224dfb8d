import FHIR

/// The device that measured a sample.
public struct SampleDevice: Sendable, Hashable {
    private struct Properties: Sendable, Hashable {
        var name: String?
        var manufacturer: String?
        var model: String?
        var hardwareVersion: String?
        var firmwareVersion: String?
        var softwareVersion: String?
        var localIdentifier: String?
        var udi: String?
    }

    private var shared = Shared(Properties())

    /// The name, such as `Apple Watch`.
    public var name: String? {
        get { shared.value.name }
        set { shared.value.name = newValue }
    }
    /// Who made it.
    public var manufacturer: String? {
        get { shared.value.manufacturer }
        set { shared.value.manufacturer = newValue }
    }
    public var model: String? {
        get { shared.value.model }
        set { shared.value.model = newValue }
    }
    /// The version of the hardware, such as `Watch6,1`.
    public var hardwareVersion: String? {
        get { shared.value.hardwareVersion }
        set { shared.value.hardwareVersion = newValue }
    }
    public var firmwareVersion: String? {
        get { shared.value.firmwareVersion }
        set { shared.value.firmwareVersion = newValue }
    }
    public var softwareVersion: String? {
        get { shared.value.softwareVersion }
        set { shared.value.softwareVersion = newValue }
    }
    /// What the phone calls it.
    public var localIdentifier: String? {
        get { shared.value.localIdentifier }
        set { shared.value.localIdentifier = newValue }
    }
    /// The device identifier of its UDI.
    public var udi: String? {
        get { shared.value.udi }
        set { shared.value.udi = newValue }
    }

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
    private struct Properties: Sendable, Hashable {
        var name: String?
        var bundleIdentifier: String?
        var version: String?
        var productType: String?
        var systemVersion: String?
    }

    private var shared = Shared(Properties())

    /// The name, such as `Anna's Apple Watch`.
    public var name: String? {
        get { shared.value.name }
        set { shared.value.name = newValue }
    }
    public var bundleIdentifier: String? {
        get { shared.value.bundleIdentifier }
        set { shared.value.bundleIdentifier = newValue }
    }
    /// The app's version.
    public var version: String? {
        get { shared.value.version }
        set { shared.value.version = newValue }
    }
    /// The hardware that it ran on, such as `Watch6,1`.
    public var productType: String? {
        get { shared.value.productType }
        set { shared.value.productType = newValue }
    }
    /// The version of the operating system.
    public var systemVersion: String? {
        get { shared.value.systemVersion }
        set { shared.value.systemVersion = newValue }
    }

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
