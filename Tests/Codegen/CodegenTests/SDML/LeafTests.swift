import SDML
import Testing

@Suite("Flattened fields")
struct LeafTests {
    static let counts: [(SDMLType, Int)] = [
        (.string, 1), (.number, 1), (.date, 1), (.codedValue, 3), (.valueAndUnit, 2), (.valueRange, 4),
        (.quantitativeResult, 10), (.address, 5), (.organization, 6), (.pharmacy, 7), (.name, 5),
        (.telephone, 3),
        (.provider, 24), (.vitalSign, 5), (.bloodPressure, 19),
    ]

    @Test("a compound stands for as many fields as the server makes of it", arguments: counts)
    func count(type: SDMLType, count: Int) {
        let leaves = type.leaves(named: "f")
        #expect(leaves.count == count)
        #expect(Set(leaves.map(\.name)).count == count)
    }

    @Test("parts are joined to the field's name with an underscore, level by level")
    func names() {
        let leaves = SDMLType.bloodPressure.leaves(named: "bp").map(\.name)
        #expect(leaves.contains("bp_systolic_name_identifier"))
        #expect(leaves.first == "bp_position_identifier")
        let provider = SDMLType.provider.leaves(named: "provider")
        #expect(provider.contains(SDMLLeaf(name: "provider_tel_1_preferred_p", kind: .boolean)))
        #expect(provider.contains(SDMLLeaf(name: "provider_bday", kind: .day)))
    }

    @Test("a date that the notes call a day is one")
    func day() throws {
        let result = parse(
            """
            { "__modelname__": "M", "a": "Date", "b": "Date", "c": { "__modelname__": "N", "x": "String" } }
            """,
            notes: #"{ "M": { "fields": { "a": { "type": "day" } } } }"#
        )
        let model = try #require(result.schema.model(named: "M"))
        #expect(
            model.fields.flatMap(\.leaves) == [
                SDMLLeaf(name: "a", kind: .day), SDMLLeaf(name: "b", kind: .dateTime),
            ]
        )
    }
}
