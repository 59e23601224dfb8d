import FHIR
import OrderedJSON

// The values that an export has beside its records, as JSON.

extension ActivitySummary {
    init(json: JSONValue, _ name: String) throws(SampleError) {
        let part = try SampleObject(json, name, members: ["day"] + Self.members.map(\.name))
        self.init(day: try Self.day(part.text("day"), "day"))
        for (name, path) in Self.members { self[keyPath: path] = try part.optionalQuantity(name) }
    }

    /// - Throws: ``SampleError`` for a text that is not a day, such as a month.
    static func day(_ text: String, _ name: String) throws(SampleError) -> FHIRDate {
        guard let day = FHIRDate(text: text), day.day != nil else {
            throw .malformed(name: name, expected: "a day such as 2026-03-01")
        }
        return day
    }

    var json: JSONValue {
        .present([("day", day.tree)] + Self.members.map { ($0.name, self[keyPath: $0.path]?.json) })
    }
}

extension Audiogram {
    init(json: JSONValue, _ name: String) throws(SampleError) {
        guard let elements = json.elements else {
            throw .malformed(name: name, expected: "an array of points")
        }
        guard elements.count <= Self.pointLimit else {
            throw .tooLarge("an audiogram has more than \(Self.pointLimit) points")
        }
        var points: [Point] = []
        for element in elements {
            let part = try SampleObject(element, name, members: ["frequency"] + Point.ears.map(\.name))
            guard let frequency = try part.optionalQuantity("frequency") else { throw .missing("frequency") }
            var point = Point(frequency: frequency)
            for (name, path) in Point.ears {
                point[keyPath: path] = try part[name].map { json throws(SampleError) in
                    try Ear(json: json, name)
                }
            }
            points.append(point)
        }
        self.init(points: points)
    }

    var json: JSONValue {
        JSONValue(
            points.map { point in
                .present(
                    [("frequency", point.frequency.json)]
                        + Point.ears.map { ($0.name, point[keyPath: $0.path]?.json) }
                )
            }
        )
    }
}

extension Audiogram.Ear {
    fileprivate init(json: JSONValue, _ name: String) throws(SampleError) {
        let part = try SampleObject(
            json,
            name,
            members: ["sensitivity", "masked", "lowerBound", "upperBound"]
        )
        guard let sensitivity = try part.optionalQuantity("sensitivity") else {
            throw .missing("sensitivity")
        }
        self.init(sensitivity: sensitivity)
        if let masked = part["masked"] {
            guard let value = masked.boolean else { throw .malformed(name: "masked", expected: "a boolean") }
            isMasked = value
        }
        lowerBound = try part.optionalNumber("lowerBound")
        upperBound = try part.optionalNumber("upperBound")
    }

    fileprivate var json: JSONValue {
        .present([
            ("sensitivity", sensitivity.json), ("masked", isMasked.map { JSONValue($0) }),
            ("lowerBound", lowerBound?.tree), ("upperBound", upperBound?.tree),
        ])
    }
}

extension WorkoutRoute {
    init(json: JSONValue, _ name: String) throws(SampleError) {
        let part = try SampleObject(json, name, members: ["workout", "locations"])
        guard let elements = part["locations"]?.elements else {
            throw .malformed(name: "locations", expected: "an array of places")
        }
        guard elements.count <= Self.locationLimit else {
            throw .tooLarge("a route has more than \(Self.locationLimit) places")
        }
        var locations: [Location] = []
        for element in elements { locations.append(try Location(json: element)) }
        self.init(workout: try part.optionalText("workout"), locations: locations)
        if let workout, !SampleIdentity.isUUID(workout) { throw .uuid(workout) }
    }

    var json: JSONValue {
        .present([
            ("workout", workout.map { JSONValue($0) }), ("locations", JSONValue(locations.map(\.json))),
        ])
    }
}

extension WorkoutRoute.Location {
    fileprivate init(json: JSONValue) throws(SampleError) {
        let names = ["time", "latitude", "longitude"] + Self.members.map(\.name)
        let part = try SampleObject(json, "locations", members: names)
        self.init(
            time: try part.date("time"),
            latitude: try part.number("latitude"),
            longitude: try part.number("longitude")
        )
        for (name, path) in Self.members { self[keyPath: path] = try part.optionalNumber(name) }
        try check()
    }

    fileprivate var json: JSONValue {
        .present(
            [("time", time.tree), ("latitude", latitude.tree), ("longitude", longitude.tree)]
                + Self.members.map { ($0.name, self[keyPath: $0.path]?.tree) }
        )
    }
}
