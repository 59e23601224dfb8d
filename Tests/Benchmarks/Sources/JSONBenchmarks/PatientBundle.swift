import Foundation

/// A bundle of a patient's resources as Synthea writes them: generated, the same every time, indented or not.
enum PatientBundle {
    /// - Parameters:
    ///   - size: About how many bytes, without white space.
    static func make(size: Int) -> [String: Any] {
        var random = Generator(state: 7)
        var entries: [[String: Any]] = []
        var length = 0
        while length < size {
            let resource = observation(entries.count, &random)
            length += 950
            entries.append([
                "fullUrl": "urn:uuid:\(uuid(&random))", "resource": resource,
                "request": ["method": "POST", "url": "Observation"],
            ])
        }
        return ["resourceType": "Bundle", "type": "transaction", "entry": entries]
    }

    private struct Generator {
        var state: UInt64
        mutating func next(below limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
    }

    private static func uuid(_ random: inout Generator) -> String {
        let lengths = [8, 4, 4, 4, 12]
        return lengths.map { length in
            (0..<length).map { _ in String(random.next(below: 16), radix: 16) }.joined()
        }.joined(separator: "-")
    }

    private static func observation(_ number: Int, _ random: inout Generator) -> [String: Any] {
        let kinds = [
            ("8302-2", "Body Height", "cm"), ("29463-7", "Body Weight", "kg"),
            ("39156-5", "Body Mass Index", "kg/m2"),
            ("2339-0", "Glucose [Mass/volume] in Blood", "mg/dL"), ("2093-3", "Cholesterol, total", "mg/dL"),
        ]
        let kind = kinds[number % kinds.count]
        let day = String(
            format: "20%02d-%02d-%02dT08:15:42-04:00",
            random.next(below: 24),
            1 + number % 12,
            1 + number % 28
        )
        return [
            "resourceType": "Observation", "id": uuid(&random), "status": "final",
            "meta": ["profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-observation-lab"]],
            "category": [
                [
                    "coding": [
                        [
                            "system": "http://terminology.hl7.org/CodeSystem/observation-category",
                            "code": "vital-signs",
                            "display": "vital-signs",
                        ]
                    ]
                ]
            ],
            "code": [
                "coding": [["system": "http://loinc.org", "code": kind.0, "display": kind.1]], "text": kind.1,
            ],
            "subject": ["reference": "urn:uuid:\(uuid(&random))"],
            "encounter": ["reference": "urn:uuid:\(uuid(&random))"],
            "effectiveDateTime": day, "issued": day.replacingOccurrences(of: "42-", with: "42.123-"),
            "valueQuantity": [
                "value": Double(random.next(below: 100_000)) / 1000, "unit": kind.2,
                "system": "http://unitsofmeasure.org", "code": kind.2,
            ],
        ]
    }
}
