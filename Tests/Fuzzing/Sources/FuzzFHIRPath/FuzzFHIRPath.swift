import FHIR
import FHIRPathEngine
import OrderedJSON

/// Whatever the expression: it is refused with a position inside it, or evaluated within its limits, twice to
/// the same result.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let path: FHIRPath
    do {
        path = try FHIRPath(text)
    } catch {
        check(error, text)
        if error.kind == .execution { fatalError("nothing was evaluated yet") }
        return 0
    }
    for (json, type) in subjects {
        guard let first = evaluate(path, json, type, text) else { continue }
        guard let second = evaluate(path, json, type, text), first == second else {
            fatalError("another result")
        }
    }
    return 0
}

private let subjects: [(JSONValue, String?)] = [
    (
        [
            "resourceType": "Patient", "id": "p", "active": true, "birthDate": "1980-02-03",
            "_birthDate": ["id": "b"],
            "name": [
                ["family": "Möss", "given": ["Ann", .null], "_given": [.null, ["id": "g"]]], ["text": "A"],
            ],
            "multipleBirthInteger": 2, "managingOrganization": ["reference": "#o"],
            "contained": [["resourceType": "Organization", "id": "o", "name": "O"]],
        ], nil
    ),
    (
        [
            "resourceType": "Observation", "status": "final", "issued": "2026-01-02T03:04:05.678+01:00",
            "valueQuantity": [
                "value": 74.80, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg",
            ],
            "component": [["valueTime": "10:00:00"], ["valueQuantity": ["value": 1, "unit": "a"]]],
        ], nil
    ),
    (["value": 1e2, "code": "mm[Hg]", "system": "http://unitsofmeasure.org"], "Quantity"),
    ("2026", "date"),
    ([1, "a", [:]], nil),
]

private func evaluate(_ path: FHIRPath, _ json: JSONValue, _ type: String?, _ text: String) -> [String]? {
    var context = FHIRPathContext(now: "2026-11-22T09:30:00+01:00")
    context.limits.steps = 20_000
    context.limits.items = 5_000
    context.limits.stringLength = 20_000
    do {
        return try path.evaluate(on: json, type: type, in: context).map {
            "\($0.typeName) \($0.text) \($0.json.text())"
        }
    } catch {
        check(error, text)
        return nil
    }
}

private func check(_ error: FHIRPathError, _ text: String) {
    guard (0...text.utf8.count).contains(error.offset) else { fatalError("an error outside the expression") }
    if error.reason.isEmpty { fatalError("an error without a reason") }
}
