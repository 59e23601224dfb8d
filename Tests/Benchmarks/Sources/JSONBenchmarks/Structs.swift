/// What an app that wants 12 elements of each observation writes for `JSONDecoder`; everything else is
/// dropped.
struct BundleStruct: Decodable {
    struct Entry: Decodable {
        let fullUrl: String?
        let resource: Resource?
    }

    struct Resource: Decodable {
        let resourceType: String
        let id: String?
        let status: String?
        let code: Concept?
        let subject: Reference?
        let encounter: Reference?
        let effectiveDateTime: String?
        let issued: String?
        let valueQuantity: Quantity?
    }

    struct Concept: Decodable {
        let coding: [Coding]?
        let text: String?
    }

    struct Coding: Decodable {
        let system: String?
        let code: String?
    }

    struct Reference: Decodable {
        let reference: String?
    }

    struct Quantity: Decodable {
        let value: Double?
        let unit: String?
    }

    let entry: [Entry]?
}
