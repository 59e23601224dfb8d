import FHIR
import Synchronization

/// The devices that a converter has made: a million samples have a handful of them.
final class DeviceCache: Sendable {
    struct Key: Hashable {
        var device: SampleDevice?
        var source: SampleSource?
        var subject: String?
    }

    private let devices = Mutex<[Key: Device]>([:])
    private static let limit = 100

    func device(of key: Key, make: () -> Device) -> Device {
        if let known = devices.withLock({ $0[key] }) { return known }
        let device = make()
        devices.withLock { devices in
            if devices.count >= Self.limit { devices = [:] }
            devices[key] = device
        }
        return device
    }
}

extension SampleConverter {
    /// The Device that measured a sample, with the app that stored it; nil where neither is known.
    ///
    /// Its id is made from the subject and all properties of the device, so that two patients with equal
    /// watches have two Devices.
    public func device(of sample: Sample) -> Device? {
        guard sample.device != nil || sample.source != nil else { return nil }
        let key = DeviceCache.Key(device: sample.device, source: sample.source, subject: subject)
        return devices.device(of: key) { device(sample.device, sample.source) }
    }

    private func device(_ given: SampleDevice?, _ givenSource: SampleSource?) -> Device {
        var device = given
        var source = givenSource
        // FHIR has no empty texts, and none with control characters.
        for (_, path) in SampleDevice.members {
            device?[keyPath: path] = given?[keyPath: path].flatMap(SampleText.plain)
        }
        for (_, path) in SampleSource.members {
            source?[keyPath: path] = givenSource?[keyPath: path].flatMap(SampleText.plain)
        }
        let known =
            SampleDevice.members.map { device?[keyPath: $0.path] }
            + SampleSource.members.map { source?[keyPath: $0.path] }
        let identity = SampleIdentity.uuid(
            of: (["device", subject] + known).map { $0 ?? "" }.joined(separator: "\u{1F}")
        )
        var result = Device()
        result.id = identity
        result.identifier = [Identifier(system: Self.identifierSystem, value: "urn:uuid:\(identity)")]
        if let udi = device?.udi {
            var carrier = Device.UdiCarrier()
            carrier.deviceIdentifier = udi
            carrier.entryType = .selfReported
            result.udiCarrier = [carrier]
        }
        result.manufacturer = device?.manufacturer
        result.modelNumber = device?.model
        if let name = source?.name {
            result.deviceName.append(Device.DeviceName(name: name, type: .userFriendlyName))
        }
        if let name = device?.name {
            result.deviceName.append(Device.DeviceName(name: name, type: .modelName))
        }
        let versions = [
            ("sourceRevision.operatingSystemVersion", source?.systemVersion),
            ("sourceRevision.version", source?.version),
            ("sourceRevision.productType", source?.productType),
            ("device.hardwareVersion", device?.hardwareVersion),
            ("device.firmwareVersion", device?.firmwareVersion),
            ("device.softwareVersion", device?.softwareVersion),
        ]
        for (code, value) in versions {
            guard let value else { continue }
            var version = Device.Version(value: value)
            version.type = CodeableConcept(Coding(system: Self.healthKit, code: code))
            result.version.append(version)
        }
        if let bundle = source?.bundleIdentifier {
            result.identifier.append(typed("sourceRevision.source.bundleIdentifier", bundle))
        }
        if let local = device?.localIdentifier {
            result.identifier.append(typed("device.localIdentifier", local))
        }
        if let subject, subject.hasPrefix("Patient/") { result.patient = Reference(subject) }
        return result
    }

    private func typed(_ code: String, _ value: String) -> Identifier {
        var identifier = Identifier(system: nil, value: value)
        identifier.type = CodeableConcept(Coding(system: Self.healthKit, code: code))
        return identifier
    }
}
