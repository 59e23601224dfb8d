import Foundation
import Indivo

/// What XMLCoder decodes of a report, made into values of the types that a medication has.
struct CodedMedication {
    struct Model: Decodable {
        var name: String
        var documentId: String
        var Field: [CodedField]
    }

    struct CodedField: Decodable {
        struct List: Decodable {
            var Model: [Model]
        }

        var name: String
        var text: String?
        var Models: List?

        enum CodingKeys: String, CodingKey {
            case name
            case text = ""
            case Models
        }
    }

    struct Report: Decodable {
        var Model: [Model]
    }

    struct Fill {
        var date: XMLDateTime?
        var dispenseDaysSupply: Double?
        var quantity: (value: Double?, unit: String?)
        var pbm: String?

        init(_ model: Model) throws {
            for field in model.Field {
                let text = field.text ?? ""
                switch field.name {
                case "date": date = try XMLDateTime.fromField(text)
                case "dispenseDaysSupply": dispenseDaysSupply = try Double(lexical: text)
                case "quantityDispensed_value": quantity.value = try Double(lexical: text)
                case "quantityDispensed_unit": quantity.unit = text
                case "pbm": pbm = text
                default: break
                }
            }
        }
    }

    var id: String
    var texts: [String: String] = [:]
    var startDate: XMLDate?
    var endDate: XMLDate?
    var frequency: Double?
    var quantity: Double?
    var fills: [Fill] = []

    init(_ model: Model) throws {
        id = model.documentId
        for field in model.Field {
            let text = field.text ?? ""
            switch field.name {
            case "startDate": startDate = try XMLDate.fromField(text)
            case "endDate": endDate = try XMLDate.fromField(text)
            case "frequency_value": frequency = try Double(lexical: text)
            case "quantity_value": quantity = try Double(lexical: text)
            case "fulfillments": fills = try (field.Models?.Model ?? []).map { try Fill($0) }
            default: texts[field.name] = text
            }
        }
    }
}
