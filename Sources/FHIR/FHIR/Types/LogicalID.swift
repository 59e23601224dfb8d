/// The ids of resources (FHIR R4, “Resource.id”): `[A-Za-z0-9\-\.]{1,64}`.
package enum LogicalID {
    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(TextScan.isIDCharacter)
    }
}
