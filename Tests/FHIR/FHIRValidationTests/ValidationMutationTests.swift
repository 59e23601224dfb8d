import FHIR
import FHIRTables
import FHIRValidation
import Foundation
import OrderedJSON
import TestSupport
import Testing

/// Valid resources are made wrong at one place, and validation must find it there.
@Suite("Validation of resources that are made wrong")
struct ValidationMutationTests {
    /// Resources with most kinds of types in them.
    private static let resources = [
        """
        {"resourceType":"Patient","id":"p","active":true,"name":[{"use":"official","family":"Doe","given":["Ada"],
        "period":{"start":"2001-02-03"}}],"gender":"female","birthDate":"1980-02-03","multipleBirthInteger":2,
        "identifier":[{"system":"https://example.org/mrn","value":"1"}],
        "telecom":[{"system":"phone","value":"1","rank":1}],"photo":[{"contentType":"image/png","data":"aGFs"}],
        "communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47","code":"de"}]},"preferred":true}],
        "link":[{"other":{"reference":"Patient/2"},"type":"seealso"}],
        "extension":[{"url":"https://example.org/x","valueDecimal":1.50}]}
        """,
        """
        {"resourceType":"Observation","id":"o","status":"final","code":{"coding":[{"system":"http://loinc.org",
        "code":"15074-8"}],"text":"Glucose"},"subject":{"reference":"Patient/p"},
        "effectivePeriod":{"start":"2026-01-02T03:04:05Z"},"issued":"2026-01-02T03:04:05.678Z",
        "valueQuantity":{"value":6.3,"comparator":"<","unit":"mmol/l","system":"http://unitsofmeasure.org",
        "code":"mmol/L"},"note":[{"text":"fasting","time":"2026-01-02"}],
        "referenceRange":[{"low":{"value":3.1},"high":{"value":6.2},"text":"usual"}],
        "component":[{"code":{"text":"part"},"valueSampledData":{"origin":{"value":0},"period":10,
        "dimensions":1,"data":"1 2 3"}}]}
        """,
        """
        {"resourceType":"Bundle","id":"b","type":"collection","timestamp":"2026-01-02T03:04:05Z","entry":[
        {"fullUrl":"urn:uuid:0c3a3a5e-4b0b-4a53-8f43-0d1e6d0b1c01","resource":{"resourceType":"Questionnaire",
        "status":"draft","item":[{"linkId":"1","type":"group","item":[{"linkId":"1.1","type":"choice",
        "text":"Which?","answerOption":[{"valueString":"a"},{"valueInteger":2}],"enableBehavior":"all",
        "enableWhen":[{"question":"2","operator":"exists","answerBoolean":true}]}]},
        {"linkId":"2","type":"boolean","maxLength":3}]}},
        {"fullUrl":"urn:uuid:0c3a3a5e-4b0b-4a53-8f43-0d1e6d0b1c02","resource":{"resourceType":"CareTeam",
        "status":"active","participant":[{"member":{"reference":"Practitioner/1"},
        "period":{"end":"2026-02"}}]}},
        {"fullUrl":"urn:uuid:0c3a3a5e-4b0b-4a53-8f43-0d1e6d0b1c03","resource":{"resourceType":"MedicationRequest",
        "status":"active","intent":"order","medicationCodeableConcept":{"text":"Aspirin"},
        "subject":{"reference":"Patient/p"},"dosageInstruction":[{"timing":{"repeat":{"frequency":1,"period":1,
        "periodUnit":"d","timeOfDay":["08:00:00"]}},"doseAndRate":[{"doseQuantity":{"value":1}}]}]}}]}
        """,
    ]

    @Test("our own resources are valid, and 95 % of mutations are found where they are")
    func ownResources() throws {
        var counts = Counts()
        for resource in Self.resources {
            let tree = try JSONValue(parsing: resource)
            #expect(ValidationIssue.all(of: tree).filter(\.isError) == [])
            for mutation in Mutation.all(of: tree) { counts.add(try mutation.isFound(in: tree), mutation) }
        }
        #expect(counts.total > 300)
        #expect(counts.share >= 0.95, "\(counts.missed)")
    }

    @Test(
        "95 % of mutations of published examples are found where they are",
        .enabled(if: SharedFHIR.exists("examples"), "../shared/fhir is not there")
    )
    func examples() throws {
        var generator = SeededGenerator(seed: 33)
        var counts = Counts()
        for file in SharedFHIR.files("examples") {
            let data = try Data(contentsOf: file)
            guard data.count < 30_000 else { continue }
            let tree = try JSONValue(parsing: data)
            guard !ValidationIssue.all(of: tree).contains(where: \.isError) else { continue }
            for mutation in Mutation.all(of: tree).shuffled(using: &generator).prefix(6) {
                counts.add(try mutation.isFound(in: tree), mutation, file.lastPathComponent)
            }
        }
        print("mutations: \(counts.found) of \(counts.total) found where they are")
        #expect(counts.total > 1_000)
        #expect(counts.share >= 0.95, "\(counts.missed.prefix(40))")
    }

    @Test("a wrong resource among its like in a Bundle has the same issues as alone")
    func repeated() throws {
        var options = ValidationOptions()
        options.includesBestPractice = false
        for resource in Self.resources.dropLast() {
            let sound = try JSONValue(parsing: resource)
            for mutation in Mutation.all(of: sound) {
                let wrong = try JSONValue(parsing: mutation.applied(to: sound).text())
                let type = wrong["resourceType"]?.string ?? ""
                let alone = ValidationIssue.all(of: wrong, options).map(Self.content)
                let entries = [sound, wrong, sound, wrong].map { ["resource": $0] as JSONValue }
                let bundle: JSONValue = [
                    "resourceType": "Bundle", "type": "collection", "entry": JSONValue(entries),
                ]
                let issues = ValidationIssue.all(of: try JSONValue(parsing: bundle.text()), options)
                for index in [1, 3] {
                    let start = "Bundle.entry[\(index)].resource"
                    let found = issues.filter { $0.expression.hasPrefix(start) }.map(Self.content).map {
                        $0.replacing(start, with: type)
                    }
                    #expect(found == alone, "\(mutation.kind) \(mutation.path)")
                }
            }
        }
    }

    private static func content(_ issue: ValidationIssue) -> String {
        "\(issue.expression) \(issue.severity.code) \(issue.code.code) \(issue.rule ?? "") \(issue.text)"
    }

    private struct Counts {
        var found = 0
        var missed: [String] = []
        var total: Int { found + missed.count }
        var share: Double { Double(found) / Double(max(total, 1)) }

        mutating func add(_ isFound: Bool, _ mutation: Mutation, _ file: String = "") {
            if isFound {
                found += 1
            } else {
                missed.append("\(file) \(mutation.kind) \(mutation.path.map { "\($0)" })")
            }
        }
    }
}

/// A place in a resource, and what becomes of it.
private struct Mutation {
    enum Step: CustomStringConvertible {
        case member(String)
        case index(Int)

        var description: String {
            switch self {
            case .member(let name): name
            case .index(let index): "\(index)"
            }
        }
    }

    let kind: String
    /// Of what is removed, or added, the member.
    let path: [Step]
    /// Nil removes it.
    let value: JSONValue?

    /// Every mutation of a resource.
    static func all(of resource: JSONValue) -> [Mutation] {
        guard let type = resource["resourceType"]?.string.flatMap(Definitions.r4.type(named:)) else {
            return []
        }
        var mutations: [Mutation] = []
        walk(resource, type, [], &mutations)
        return mutations
    }

    private static func walk(
        _ object: JSONValue,
        _ type: DefinedType,
        _ path: [Step],
        _ mutations: inout [Mutation]
    ) {
        mutations.append(Mutation(kind: "unknown", path: path + [.member("zzz")], value: 1))
        for member in object.members ?? [] {
            guard let known = type.member(named: member.name) else { continue }
            let element = type.elements[known.element]
            let elementType = element.types[known.type]
            let place = path + [.member(member.name)]
            if element.minimum > 0 {
                mutations.append(Mutation(kind: "removed", path: place, value: nil))
            }
            if element.isList, let first = member.value.elements?.first {
                mutations.append(Mutation(kind: "not an array", path: place, value: first))
            } else {
                mutations.append(Mutation(kind: "array", path: place, value: [member.value]))
            }
            for (index, value) in (member.value.elements.map(Array.init) ?? [member.value]).enumerated() {
                let place = element.isList ? place + [.index(index)] : place
                let defined = Definitions.r4.types[elementType.id]
                if defined.kind == .primitive {
                    primitive(value, element, elementType.code, place, &mutations)
                } else {
                    mutations.append(Mutation(kind: "text", path: place, value: "zzz"))
                    mutations.append(Mutation(kind: "empty", path: place, value: [:]))
                    let own = value["resourceType"]?.string.flatMap(Definitions.r4.type(named:))
                    walk(value, own ?? defined, place, &mutations)
                }
            }
        }
    }

    /// Texts that are no values of a type.
    private static let malformed: [String: JSONValue] = [
        "date": "2026-13-01", "dateTime": "2026-02-30", "instant": "2026-01-02", "time": "25:00:00",
        "id": "a b",
        "uri": "a b", "url": "a b", "canonical": "a b", "oid": "1.2", "uuid": "7", "positiveInt": 0,
        "unsignedInt": -1, "integer": 1.5, "base64Binary": "@@@", "code": "a  b", "string": "",
        "markdown": "",
    ]

    private static func primitive(
        _ value: JSONValue,
        _ element: DefinedElement,
        _ type: String,
        _ path: [Step],
        _ mutations: inout [Mutation]
    ) {
        let other: JSONValue = value.kind == .string ? 12_345 : "zzz"
        mutations.append(Mutation(kind: "other type", path: path, value: other))
        if let text = malformed[type] {
            mutations.append(Mutation(kind: "malformed", path: path, value: text))
        }
        if let binding = element.binding, binding.strength == .required,
            ValueSetTable.r4[binding.valueSet] != nil
        {
            mutations.append(Mutation(kind: "code", path: path, value: "zzz"))
        }
    }

    // MARK: Trying it

    func applied(to resource: JSONValue) -> JSONValue { Self.replacing(path[...], in: resource, by: value) }

    /// Whether validation has an error where the mutation is: in what it put there, or at the object that it
    /// is in.
    func isFound(in resource: JSONValue) throws -> Bool {
        let tree = try JSONValue(parsing: applied(to: resource).text())
        let parent = Self.follow(path.dropLast(), from: tree)?.sourceRange?.lowerBound
        var range = value == nil ? nil : Self.follow(path[...], from: tree)?.sourceRange
        if case .member(let name)? = path.last, let value = range {
            // A member begins with its name.
            range = value.lowerBound - name.utf8.count - 3..<value.upperBound
        }
        return ValidationIssue.all(of: tree).contains { issue in
            guard issue.isError, let offset = issue.location?.offset else { return false }
            return offset == parent || range?.contains(offset) == true
        }
    }

    private static func follow(_ path: ArraySlice<Step>, from value: JSONValue) -> JSONValue? {
        path.reduce(Optional(value)) { value, step in
            switch step {
            case .member(let name): value?[name]
            case .index(let index): value?[index]
            }
        }
    }

    private static func replacing(
        _ path: ArraySlice<Step>,
        in value: JSONValue,
        by new: JSONValue?
    ) -> JSONValue {
        guard let step = path.first else { return new ?? .null }
        switch step {
        case .member(let name):
            var object = value
            object[name] =
                path.count == 1 ? new : replacing(path.dropFirst(), in: value[name] ?? [:], by: new)
            return object
        case .index(let index):
            var elements = value.elements.map(Array.init) ?? []
            elements[index] = replacing(path.dropFirst(), in: elements[index], by: new)
            return JSONValue(elements)
        }
    }
}

/// The same numbers in each run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
