import OrderedJSON
import StudyWarehouse
import Testing

@Suite struct ParticipantIDTests {
    private static let text = "5c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c30"

    @Test(
        "an id is found in each of its spellings, and replaced alone",
        arguments: [
            text, text.uppercased(), "5c7b0f5e5d0b4e9c8a112f6b1d9e4c30",
            "5c7b0f5e%2D5d0b%2d4e9c%252D8a11-2f6b1d9e4c30",
            "%35c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c30", "5c7b0f5e_5d0b_4e9c_8a11_2f6b1d9e4c30",
            "5c7b 0f5e 5d0b 4e9c 8a11 2f6b 1d9e 4c30",
        ]
    )
    func spelling(spelled: String) throws {
        let id = try #require(ParticipantID(Self.text))
        #expect(id.replacing(in: "<\(spelled)> and <\(spelled)", with: "X") == "<X> and <X")
        #expect(id.isIn(spelled))
    }

    @Test(
        "what only looks like the id stays as it is",
        arguments: [
            "", "5c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c3", "5c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c31",
            "5c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c3%",
            "5c7b0f5ex5d0b-4e9c-8a11-2f6b1d9e4c30", "%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
            "grüße, 5c7b0f5e … und 5d0b",
        ]
    )
    func otherText(text: String) throws {
        let id = try #require(ParticipantID(Self.text))
        #expect(id.replacing(in: text, with: "X") == text)
        #expect(!id.isIn(text))
    }

    @Test("names and values of a tree are compared after their escapes are read")
    func tree() throws {
        let id = try #require(ParticipantID(Self.text))
        let json = try JSONValue(
            parsing:
                #"""
                {"\u0035c7b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c30":[{"a":\#
                "Patient\/5\u00637b0f5e-5d0b-4e9c-8a11-2f6b1d9e4c30"},1.50]}
                """#
        )
        #expect(id.replacing(in: json, with: "X").text() == #"{"X":[{"a":"Patient/X"},1.50]}"#)
        let other = try JSONValue(parsing: #"{"a":["\u0063",1.50]}"#)
        #expect(id.replacing(in: other, with: "X").sourceRange != nil)
    }
}
