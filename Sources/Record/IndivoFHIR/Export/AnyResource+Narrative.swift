import FHIR
import Foundation
import OrderedJSON

extension AnyResource {
    /// The resource with a generated narrative, which FHIR recommends (`dom-6`): a line of what it is, its
    /// title, value, date and status. It says nothing that the elements do not.
    func narrated() -> AnyResource {
        var members = tree.members.map(Array.init) ?? []
        guard let type = resourceType, !members.contains(where: { $0.isNamed("text") }) else { return self }
        let facts = [tree.narratedTitle, tree.narratedValue, tree.narratedDate].compactMap { $0 }
        let status = tree.member("status")?.string.map { " (\($0))" } ?? ""
        let details = facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
        let components = narratedComponents.map { "<li>\($0.escapedForXHTML)</li>" }
        let list = components.isEmpty ? "" : "<ul>\(components.joined())</ul>"
        let div =
            "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p><b>\(Self.words(type))</b>"
            + "\((details + status).escapedForXHTML)</p>\(list)</div>"
        let text = JSONMember(name: "text", value: ["status": "generated", "div": JSONValue(div)])
        // FHIR's order: id and meta come before it.
        let position = members.lastIndex {
            $0.isNamed("resourceType") || $0.isNamed("id") || $0.isNamed("meta")
        }
        members.insert(text, at: position.map { $0 + 1 } ?? 0)
        return AnyResource(view: JSONValue(members: members))
    }

    /// What the resource says, in a line of XHTML.
    var narrativeLine: String? {
        let facts = [tree.narratedTitle, tree.narratedValue, tree.narratedDate].compactMap { $0 }
        return facts.isEmpty ? nil : (facts + narratedComponents).joined(separator: ", ").escapedForXHTML
    }

    private var narratedComponents: [String] {
        tree.elements(of: "component").compactMap { component in
            guard let title = component.narratedTitle, let value = component.narratedValue else { return nil }
            return "\(title): \(value)"
        }
    }

    /// `MedicationStatement` as `Medication statement`.
    private static func words(_ type: String) -> String {
        type.enumerated().reduce(into: "") { words, next in
            if next.offset > 0, next.element.isUppercase {
                words += " " + next.element.lowercased()
            } else {
                words.append(next.element)
            }
        }
    }
}

extension JSONValue {
    /// What the resource or component is about.
    fileprivate var narratedTitle: String? {
        for name in [
            "code", "medicationCodeableConcept", "vaccineCode", "type", "name", "deviceName", "activity",
        ] {
            guard let value = self[name], let text = (value.elements?.first ?? value).narratedName else {
                continue
            }
            return text
        }
        return member("description")?.string
    }

    /// A CodeableConcept, Coding or HumanName in words.
    private var narratedName: String? {
        if let text = member("text")?.string { return text }
        if let coding = member("coding")?.elements?.first {
            return coding.member("display")?.string ?? coding.member("code")?.string
        }
        let given = (member("given")?.elements ?? []).compactMap(\.string)
        let parts = given + [member("family")?.string].compactMap { $0 }
        return parts.isEmpty ? member("name")?.string : parts.joined(separator: " ")
    }

    fileprivate var narratedValue: String? {
        if let quantity = member("valueQuantity"), let value = quantity.member("value")?.number {
            let unit = quantity.member("unit")?.string ?? quantity.member("code")?.string
            return [quantity.member("comparator")?.string, value, unit].compactMap { $0 }.joined(
                separator: " "
            )
        }
        return member("valueString")?.string ?? member("valueCodeableConcept")?.narratedName
    }

    fileprivate var narratedDate: String? {
        for name in [
            "effectiveDateTime", "onsetDateTime", "performedDateTime", "occurrenceDateTime", "whenHandedOver",
            "recordedDate",
            "recorded", "birthDate", "date",
        ] {
            if let date = self[name]?.string { return date }
        }
        for name in ["effectivePeriod", "performedPeriod", "period"] {
            if let date = self[name]?.member("start")?.string { return date }
        }
        return nil
    }
}

extension String {
    /// The text between tags; what XML cannot carry becomes a replacement character.
    fileprivate var escapedForXHTML: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\t", "\n", "\r": text += " "
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
