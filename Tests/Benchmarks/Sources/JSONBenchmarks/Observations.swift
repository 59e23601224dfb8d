import FHIR
import Foundation
import OrderedJSON

/// The same 12 elements of each observation, read from values and from structs.
enum Observations {
    static func read(_ bundle: JSONValue) -> Int {
        var sum = 0
        for entry in bundle.member("entry")?.elements ?? [] {
            guard let resource = entry.member("resource"),
                resource.member("resourceType")?.isString("Observation") == true
            else { continue }
            let coding = resource.member("code")?.member("coding")?[0]
            let quantity = resource.member("valueQuantity")
            sum +=
                length(entry.member("fullUrl")) + length(resource.member("id"))
                + length(resource.member("status"))
            sum += length(coding?.member("system")) + length(coding?.member("code"))
            sum += length(resource.member("code")?.member("text"))
            sum += length(resource.member("subject")?.member("reference"))
            sum += length(resource.member("encounter")?.member("reference"))
            sum += length(resource.member("effectiveDateTime")) + length(resource.member("issued"))
            sum += length(quantity?.member("unit")) + Int(quantity?.member("value")?.double ?? 0)
        }
        return sum
    }

    static func read(_ bundle: FHIRBundle) -> Int {
        var sum = 0
        for entry in bundle.entry {
            guard let observation = entry.resource?.as(Observation.self) else { continue }
            let coding = observation.code?.coding.first
            let quantity = observation.value?.quantity
            sum += length(entry.fullUrl?.rawValue) + length(observation.id) + length(observation.status?.code)
            sum += length(coding?.system?.rawValue) + length(coding?.code) + length(observation.code?.text)
            sum += length(observation.subject?.reference) + length(observation.encounter?.reference)
            sum +=
                length(observation.effective?.dateTime?.description) + length(observation.issued?.description)
            sum += length(quantity?.unit) + Int(quantity?.value?.double ?? 0)
        }
        return sum
    }

    private static func length(_ value: JSONValue?) -> Int { value?.string?.utf8.count ?? 0 }

    static func read(_ bundle: BundleStruct) -> Int {
        var sum = 0
        for entry in bundle.entry ?? [] {
            guard let resource = entry.resource, resource.resourceType == "Observation" else { continue }
            let coding = resource.code?.coding?.first
            sum += length(entry.fullUrl) + length(resource.id) + length(resource.status)
            sum += length(coding?.system) + length(coding?.code) + length(resource.code?.text)
            sum += length(resource.subject?.reference) + length(resource.encounter?.reference)
            sum += length(resource.effectiveDateTime) + length(resource.issued)
            sum += length(resource.valueQuantity?.unit) + Int(resource.valueQuantity?.value ?? 0)
        }
        return sum
    }

    private static func length(_ text: String?) -> Int { text?.utf8.count ?? 0 }
}

extension JSONValue {
    /// Whether Foundation reads the same from the text.
    func isSame(as other: Any) -> Bool {
        if let members {
            guard let other = other as? [String: Any], members.count == other.count else { return false }
            return members.allSatisfy { member in
                other[member.name].map { member.value.isSame(as: $0) } ?? false
            }
        }
        if let elements {
            guard let other = other as? [Any], elements.count == other.count else { return false }
            return zip(elements, other).allSatisfy { $0.isSame(as: $1) }
        }
        if let string { return other as? String == string }
        if let double {
            // JSONSerialization does not always give the nearest Double.
            return (other as? NSNumber).map { abs($0.doubleValue - double) <= abs(double) * 1e-15 } ?? false
        }
        if let boolean { return other as? Bool == boolean }
        return other is NSNull
    }
}
