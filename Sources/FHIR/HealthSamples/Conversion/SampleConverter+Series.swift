import FHIR
import Foundation
import UCUM

// What an export has beside its records, in FHIR.

extension SampleConverter {
    func components(of summary: ActivitySummary) throws(SampleError) -> [Observation.Component] {
        var components: [Observation.Component] = []
        for (name, path) in ActivitySummary.members {
            guard let value = summary[keyPath: path] else { continue }
            let part = Self.summaryParts[name] ?? (name, name, nil)
            let target = name.hasPrefix("active") ? Self.kilocalorie : Self.minute
            let quantity =
                if let text = part.count {
                    Quantity(value: try value.value(in: .one, type: name), unit: text, code: "{\(text)}")
                } else {
                    Quantity(
                        value: try value.value(in: target, type: name),
                        unit: target.code,
                        code: target.code
                    )
                }
            components.append(component(own("HKActivitySummary", part.code, part.text), .quantity(quantity)))
        }
        return components
    }

    /// HealthKit's names of the parts, the names for people, and what is counted where there is no unit.
    private static let summaryParts: [String: (code: String, text: String, count: String?)] = [
        "activeEnergy": ("activeEnergyBurned", "Active energy", nil),
        "activeEnergyGoal": ("activeEnergyBurnedGoal", "Goal for active energy", nil),
        "moveTime": ("appleMoveTime", "Time in motion", nil),
        "moveTimeGoal": ("appleMoveTimeGoal", "Goal for time in motion", nil),
        "exerciseTime": ("appleExerciseTime", "Time of exercise", nil),
        "exerciseTimeGoal": ("appleExerciseTimeGoal", "Goal for time of exercise", nil),
        "standHours": ("appleStandHours", "Hours of standing", "hours"),
        "standHoursGoal": ("appleStandHoursGoal", "Goal for hours of standing", "hours"),
    ]

    /// A component for each tone and ear. R4's components have no place for the tone, so that it is in the
    /// text and in an extension, with what else is known of the test.
    func components(of audiogram: Audiogram) throws(SampleError) -> [Observation.Component] {
        guard !audiogram.points.isEmpty else { throw .missing("audiogram") }
        var components: [Observation.Component] = []
        for point in audiogram.points {
            let hertz = try point.frequency.value(in: Self.hertz, type: "frequency")
            for (name, path) in Audiogram.Point.ears {
                guard let ear = point[keyPath: path] else { continue }
                let side = name == "leftEar" ? "Left ear" : "Right ear"
                let code = CodeableConcept(
                    Coding(
                        system: Self.healthKit,
                        code: "HKAudiogramSensitivityPoint.\(name)Sensitivity",
                        display: "\(side) sensitivity"
                    ),
                    text: "\(side), \(hertz) Hz"
                )
                var part = component(code, .quantity(try hearingLevel(ear.sensitivity)))
                var facts: [(name: String, value: AnyValue?)] = [
                    ("frequency", .quantity(Quantity(value: hertz, unit: "Hz", code: "Hz"))),
                    ("masked", ear.isMasked.map { .boolean($0) }),
                ]
                for (name, bound) in [("lowerBound", ear.lowerBound), ("upperBound", ear.upperBound)] {
                    guard let bound else { continue }
                    let level = SampleQuantity(value: bound, unit: ear.sensitivity.unit)
                    facts.append((name, .quantity(try hearingLevel(level))))
                }
                part.extension = facts.compactMap { name, value in
                    value.map { Extension(url: FHIRURI("\(Self.audiogramURL)/\(name)"), value: $0) }
                }
                components.append(part)
            }
        }
        return components
    }

    /// UCUM has decibels, and none of hearing levels: that they are such is in the unit for people.
    private func hearingLevel(_ level: SampleQuantity) throws(SampleError) -> Quantity {
        if level.unit == .healthKit("dBHL") {
            return Quantity(value: level.value, unit: "dB HL", code: Self.decibel.code)
        }
        return Quantity(
            value: try level.value(in: Self.decibel, type: "sensitivity"),
            unit: Self.decibel.code,
            code: Self.decibel.code
        )
    }

    private static let audiogramURL = "\(metadataURL)/HKAudiogramSensitivityPoint"
    private static let decibel = unit("dB")

    /// The document of a route: R4's Observations have no place for a file.
    func document(of route: WorkoutRoute, _ sample: Sample, device: Reference<AnyResource>?)
        throws(SampleError) -> DocumentReference
    {
        let entry = try mapping.entryOrIdentifier(of: sample.type)
        try check(sample, entry)
        let gpx = try RouteText.gpx(of: route)
        var attachment = Attachment()
        attachment.contentType = "application/gpx+xml"
        attachment.data = Data(gpx).base64EncodedString()
        attachment.size = gpx.count
        attachment.title = entry.display
        var result = DocumentReference(status: .current, content: [.init(attachment: attachment)])
        let identity = sample.identity
        result.id = identity
        result.identifier = [Identifier(system: Self.identifierSystem, value: "urn:uuid:\(identity)")]
        result.type = concept(sample.type, entry)
        if let category = entry.category {
            result.category = [CodeableConcept(Coding(system: Self.categorySystem, code: category))]
        }
        if let subject { result.subject = Reference(subject) }
        let (start, end) = zoned(sample)
        result.date = FHIRInstant(text: end.description)
        if let device { result.author = [device] }
        var context = DocumentReference.Context()
        context.period = Period(start: start, end: end)
        if let workout = route.workout {
            let identifier = Identifier(system: Self.identifierSystem, value: "urn:uuid:\(workout)")
            context.related = [Reference(identifier: identifier, display: "Workout")]
        }
        result.context = context
        if let facts = metadata(of: sample, without: []) { result.extension = [facts] }
        return result
    }
}

/// A route as GPX 1.1, in the form of Apple's export.
enum RouteText {
    static func gpx(of route: WorkoutRoute) throws(SampleError) -> [UInt8] {
        guard !route.locations.isEmpty else { throw .missing("locations") }
        guard route.locations.count <= WorkoutRoute.locationLimit else {
            throw .tooLarge("a route has more than \(WorkoutRoute.locationLimit) places")
        }
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="swift-indivo" xmlns="http://www.topografix.com/GPX/1/1">
            <trk><trkseg>

            """
        // Numbers and dates have nothing in them that XML would escape.
        for place in route.locations {
            text += "<trkpt lat=\"\(place.latitude)\" lon=\"\(place.longitude)\">"
            if let altitude = place.altitude { text += "<ele>\(altitude)</ele>" }
            text += "<time>\(place.time)</time>"
            let extensions = [
                ("speed", place.speed), ("course", place.course), ("hAcc", place.horizontalAccuracy),
                ("vAcc", place.verticalAccuracy),
            ].map { name, value in value.map { "<\(name)>\($0)</\(name)>" } ?? "" }.joined()
            if !extensions.isEmpty { text += "<extensions>\(extensions)</extensions>" }
            text += "</trkpt>\n"
        }
        return Array((text + "</trkseg></trk>\n</gpx>\n").utf8)
    }
}
