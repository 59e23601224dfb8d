import FHIR
import IndivoBase
import OrderedJSON

extension Sample {
    /// A sample of its JSON.
    /// - Throws: ``SampleError``, which names the member.
    public init(json: JSONValue) throws(SampleError) { try self.init(json: json, depth: 0) }

    private static let valueMembers = [
        "value", "category", "correlation", "workout", "electrocardiogram", "stateOfMind", "clinicalRecord",
        "activitySummary", "audiogram", "workoutRoute",
    ]
    private static let allMembers =
        ["type", "uuid", "start", "end", "unit", "ucum", "metadata", "device", "source"] + valueMembers

    private init(json: JSONValue, depth: Int) throws(SampleError) {
        let object = try SampleObject(json, "sample", members: Self.allMembers)
        let type = try object.text("type")
        let start = try object.date("start")
        let end = try object.optionalText("end") == nil ? start : object.date("end")
        let given = Self.valueMembers.filter { object[$0] != nil }
        guard given.count == 1, let kind = given.first else {
            throw given.isEmpty
                ? .missing("value")
                : .malformed(name: given[1], expected: "left out, as '\(given[0])' is there")
        }
        guard kind == "value" || (object["unit"] == nil && object["ucum"] == nil) else {
            throw .malformed(name: "unit", expected: "left out without 'value'")
        }
        let value = try Self.value(kind, of: object, depth: depth)
        self.init(type: type, uuid: try object.optionalText("uuid"), start: start, end: end, value: value)
        if let members = object["metadata"] {
            guard let members = members.members else {
                throw .malformed(name: "metadata", expected: "an object")
            }
            guard members.count <= 1000 else { throw .tooLarge("a sample has more than 1,000 metadata") }
            for member in members { metadata[member.name] = try Self.metadata(member.name, member.value) }
        }
        if let json = object["device"] {
            let part = try SampleObject(json, "device", members: SampleDevice.members.map(\.name))
            var device = SampleDevice()
            for (name, path) in SampleDevice.members { device[keyPath: path] = try part.optionalText(name) }
            self.device = device
        }
        if let json = object["source"] {
            let part = try SampleObject(json, "source", members: SampleSource.members.map(\.name))
            var source = SampleSource()
            for (name, path) in SampleSource.members { source[keyPath: path] = try part.optionalText(name) }
            self.source = source
        }
        try check()
    }

    private static func value(_ kind: String, of object: SampleObject, depth: Int) throws(SampleError)
        -> SampleValue
    {
        let json = object[kind] ?? .null
        switch kind {
        case "value": return .quantity(try object.quantity())
        case "category":
            if json.isNull { return .category(nil) }
            guard let raw = json.integer else { throw .malformed(name: kind, expected: "an integer or null") }
            return .category(raw)
        case "correlation":
            guard depth == 0 else {
                throw .malformed(name: kind, expected: "left out: correlations have no correlations")
            }
            guard let elements = json.elements else {
                throw .malformed(name: kind, expected: "an array of samples")
            }
            guard elements.count <= Sample.memberLimit else {
                throw .tooLarge("a correlation has more than \(Sample.memberLimit) members")
            }
            var members: [Sample] = []
            for (index, element) in elements.enumerated() {
                do throws(SampleError) { members.append(try Sample(json: element, depth: 1)) } catch {
                    throw .member(index, error)
                }
            }
            return .correlation(members)
        case "workout":
            let part = try SampleObject(json, kind, members: ["activity", "duration", "energy", "distance"])
            return .workout(
                Workout(
                    activity: try part.text("activity"),
                    duration: try part.optionalQuantity("duration"),
                    energy: try part.optionalQuantity("energy"),
                    distance: try part.optionalQuantity("distance")
                )
            )
        case "electrocardiogram":
            let part = try SampleObject(
                json,
                kind,
                members: [
                    "classification", "symptoms", "averageHeartRate", "samplingFrequency", "microvolts",
                ]
            )
            guard let frequency = try part.optionalQuantity("samplingFrequency") else {
                throw .missing("samplingFrequency")
            }
            guard let elements = part["microvolts"]?.elements else {
                throw .malformed(name: "microvolts", expected: "an array of numbers")
            }
            var voltages: [FHIRDecimal] = []
            for element in elements {
                voltages.append(try SampleNumber.read(element.number ?? element.text(), "microvolts"))
            }
            return .electrocardiogram(
                Electrocardiogram(
                    classification: try part.optionalText("classification"),
                    symptoms: try part.optionalText("symptoms"),
                    averageHeartRate: try part.optionalQuantity("averageHeartRate"),
                    samplingFrequency: frequency,
                    voltages: voltages
                )
            )
        case "stateOfMind":
            let part = try SampleObject(
                json,
                kind,
                members: ["kind", "valence", "classification", "labels", "associations"]
            )
            return .stateOfMind(
                StateOfMind(
                    kind: try part.text("kind"),
                    valence: try part.number("valence"),
                    classification: try part.optionalText("classification"),
                    labels: try part.texts("labels"),
                    associations: try part.texts("associations")
                )
            )
        case "activitySummary": return .activitySummary(try ActivitySummary(json: json, kind))
        case "audiogram": return .audiogram(try Audiogram(json: json, kind))
        case "workoutRoute": return .workoutRoute(try WorkoutRoute(json: json, kind))
        default:
            guard let resource = AnyResource(tree: json) else {
                throw .malformed(name: kind, expected: "a resource of FHIR")
            }
            return .clinicalRecord(resource)
        }
    }

    private static func metadata(_ name: String, _ json: JSONValue) throws(SampleError) -> MetadataValue {
        if let text = json.string {
            try SampleText.check(text, name)
            return .text(text)
        }
        if let number = json.number { return .number(try SampleNumber.read(number, name)) }
        if let boolean = json.boolean { return .boolean(boolean) }
        let part = try SampleObject(json, name, members: ["date", "value", "unit", "ucum"])
        return part["date"] == nil ? .quantity(try part.quantity()) : .date(try part.date("date"))
    }

    /// How many members a correlation may have.
    static let memberLimit = 10_000

    /// The sample as JSON.
    public var json: JSONValue {
        var members: [JSONMember] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(name: name, value: value)) }
        }
        add("type", JSONValue(type))
        add("uuid", uuid.map { JSONValue($0) })
        add("start", start.tree)
        add("end", end == start ? nil : end.tree)
        switch value {
        case .quantity(let quantity): members += quantity.jsonMembers
        case .category(let raw): add("category", JSONValue(raw))
        case .correlation(let samples): add("correlation", JSONValue(samples.map(\.json)))
        case .workout(let workout): add("workout", workout.json)
        case .electrocardiogram(let heart): add("electrocardiogram", heart.json)
        case .stateOfMind(let state): add("stateOfMind", state.json)
        case .clinicalRecord(let resource): add("clinicalRecord", resource.tree)
        case .activitySummary(let summary): add("activitySummary", summary.json)
        case .audiogram(let audiogram): add("audiogram", audiogram.json)
        case .workoutRoute(let route): add("workoutRoute", route.json)
        }
        if let source {
            add("source", .texts(SampleSource.members.map { ($0.name, source[keyPath: $0.path]) }))
        }
        if let device {
            add("device", .texts(SampleDevice.members.map { ($0.name, device[keyPath: $0.path]) }))
        }
        if !metadata.isEmpty {
            let sorted = metadata.sorted { $0.key < $1.key }
            add("metadata", JSONValue(members: sorted.map { JSONMember(name: $0.key, value: $0.value.json) }))
        }
        return JSONValue(members: members)
    }
}

extension SampleUnit {
    /// The unit as it is written, in either language.
    public var text: String {
        switch self {
        case .healthKit(let text), .ucum(let text): text
        }
    }
}

extension SampleQuantity {
    fileprivate var jsonMembers: [JSONMember] {
        let name = if case .healthKit = unit { "unit" } else { "ucum" }
        return [
            JSONMember(name: "value", value: value.tree), JSONMember(name: name, value: JSONValue(unit.text)),
        ]
    }

    var json: JSONValue { JSONValue(members: jsonMembers) }
}

extension JSONValue {
    /// An object of the texts that are there.
    fileprivate static func texts(_ members: [(String, String?)]) -> JSONValue {
        .present(members.map { ($0, $1.map { JSONValue($0) }) })
    }

    static func present(_ members: [(String, JSONValue?)]) -> JSONValue {
        JSONValue(
            members: members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } }
        )
    }
}

extension Workout {
    fileprivate var json: JSONValue {
        .present([
            ("activity", JSONValue(activity)), ("duration", duration?.json), ("energy", energy?.json),
            ("distance", distance?.json),
        ])
    }
}

extension Electrocardiogram {
    fileprivate var json: JSONValue {
        .present([
            ("classification", classification.map { JSONValue($0) }),
            ("symptoms", symptoms.map { JSONValue($0) }),
            ("averageHeartRate", averageHeartRate?.json), ("samplingFrequency", samplingFrequency.json),
            ("microvolts", JSONValue(voltages.map(\.tree))),
        ])
    }
}

extension StateOfMind {
    fileprivate var json: JSONValue {
        .present([
            ("kind", JSONValue(kind)), ("valence", valence.tree),
            ("classification", classification.map { JSONValue($0) }),
            ("labels", labels.isEmpty ? nil : JSONValue(labels.map { JSONValue($0) })),
            ("associations", associations.isEmpty ? nil : JSONValue(associations.map { JSONValue($0) })),
        ])
    }
}

extension MetadataValue {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): JSONValue(text)
        case .number(let number): number.tree
        case .boolean(let value): JSONValue(value)
        case .date(let date): ["date": date.tree]
        case .quantity(let quantity): quantity.json
        }
    }
}
