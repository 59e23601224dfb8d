import FHIR

extension SampleConverter {
    /// The Device that measured a sample, with the app that stored it; nil where neither is known.
    ///
    /// Its id is made from the subject and all properties of the device, so that two patients with equal watches have two
    /// Devices.
    public func device(of sample: Sample) -> Device? {
        var (device, source) = (sample.device, sample.source)
        guard device != nil || source != nil else { return nil }
        // FHIR has no empty texts, and none with control characters.
        for (_, path) in SampleDevice.members { device?[keyPath: path] = sample.device?[keyPath: path].flatMap(SampleText.plain) }
        for (_, path) in SampleSource.members { source?[keyPath: path] = sample.source?[keyPath: path].flatMap(SampleText.plain) }
        let known = SampleDevice.members.map { device?[keyPath: $0.path] } + SampleSource.members.map { source?[keyPath: $0.path] }
        let identity = SampleIdentity.uuid(of: (["device", subject] + known).map { $0 ?? "" }.joined(separator: "\u{1F}"))
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
        if let name = source?.name { result.deviceName.append(Device.DeviceName(name: name, type: .userFriendlyName)) }
        if let name = device?.name { result.deviceName.append(Device.DeviceName(name: name, type: .modelName)) }
        let versions = [
            ("sourceRevision.operatingSystemVersion", source?.systemVersion), ("sourceRevision.version", source?.version),
            ("sourceRevision.productType", source?.productType), ("device.hardwareVersion", device?.hardwareVersion),
            ("device.firmwareVersion", device?.firmwareVersion), ("device.softwareVersion", device?.softwareVersion),
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
        if let local = device?.localIdentifier { result.identifier.append(typed("device.localIdentifier", local)) }
        if let subject, subject.hasPrefix("Patient/") { result.patient = Reference(subject) }
        return result
    }

    private func typed(_ code: String, _ value: String) -> Identifier {
        var identifier = Identifier(system: nil, value: value)
        identifier.type = CodeableConcept(Coding(system: Self.healthKit, code: code))
        return identifier
    }
}
