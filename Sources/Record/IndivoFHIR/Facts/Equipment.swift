import FHIR

/// A device, and that the patient uses it.
private struct EquipmentDraft {
    var device: Device
    var use: DeviceUseStatement
}

extension FactMapping {
    static let equipment = FactMapping(
        "Equipment",
        to: "Device and DeviceUseStatement",
        start: { context in
            var device = Device()
            device.patient = context.patient()
            let reference: Reference<Device> = context.address("Device").reference()
            return EquipmentDraft(
                device: device,
                use: DeviceUseStatement(status: .active, subject: context.patient(), device: reference)
            )
        },
        rows: [
            MappingRow("name", "Device.deviceName") { draft, fields, _ in
                draft.device.deviceName =
                    fields.text("name").map {
                        [Device.DeviceName(name: $0, type: .userFriendlyName)]
                    } ?? []
            },
            MappingRow("type", "Device.type.text (typed documents only)") { draft, fields, _ in
                draft.device.type = fields.text("type").map { CodeableConcept(text: $0) }
            },
            MappingRow("vendor", "Device.manufacturer") { draft, fields, _ in
                draft.device.manufacturer = fields.text("vendor")
            },
            MappingRow("id", "Device.serialNumber (typed documents only)") { draft, fields, _ in
                draft.device.serialNumber = fields.text("id")
            },
            MappingRow("specification", "Device.specialization.systemType.text (typed documents only)") {
                draft,
                fields,
                _ in
                draft.device.specialization =
                    fields.text("specification").map {
                        [Device.Specialization(systemType: CodeableConcept(text: $0))]
                    } ?? []
            },
            MappingRow("certification", "Device.safety.text (typed documents only)") { draft, fields, _ in
                draft.device.safety = fields.text("certification").map { [CodeableConcept(text: $0)] } ?? []
            },
            MappingRow("description", "Device.note") { draft, fields, _ in
                draft.device.note = fields.notes("description")
            },
            MappingRow(
                "date_started, date_stopped",
                "DeviceUseStatement.timingPeriod, .status (completed with an end, else active)"
            ) { draft, fields, _ in
                let start = fields.dateTime("date_started")
                let end = fields.dateTime("date_stopped")
                if start != nil || end != nil { draft.use.timing = .period(Period(start: start, end: end)) }
                if end != nil { draft.use.status = .completed }
            },
        ],
        finish: { draft, context in
            [
                FactResource(draft.device, context.address("Device")),
                FactResource(draft.use, context.address("DeviceUseStatement")),
            ]
        }
    )
}
