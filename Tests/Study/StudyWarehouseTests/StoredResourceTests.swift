import Crypto
import Foundation
import IndivoBase
import Testing

@testable import StudyWarehouse

@Suite struct StoredResourceTests {
    private static let response = """
        {"resourceType":"QuestionnaireResponse","questionnaire":"http://example.org/Questionnaire/mood",\
        "status":"completed","authored":"2026-03-01T10:00:00Z","subject":{"reference":"Patient/one"},"item":[\
        {"linkId":"a","answer":[{"valueInteger":4}]},{"linkId":"b","answer":[{"valueString":"é 👍"}]}]}
        """

    @Test(
        "what is packed comes back byte for byte",
        arguments: [
            response, "", "{}", "{\"a\":\"\u{1}\"}",
            "{\"a\":\"" + String(repeating: "long ", count: 100_000) + "\"}",
            "{\"a\":\"" + (0..<500).map { _ in UUID().uuidString }.joined() + "\"}",
        ]
    )
    func whole(json: String) throws {
        #expect(try StoredResource.json(.bytes(StoredResource.packed(json))) == json)
    }

    @Test("a response is packed to less than half of its size")
    func size() {
        #expect(StoredResource.packed(Self.response).count < Self.response.utf8.count / 2)
    }

    @Test("what an earlier version stored is read as it is")
    func earlierVersion() throws {
        #expect(try StoredResource.json(.text(Self.response)) == Self.response)
        #expect(try StoredResource.json(.bytes(Data(Self.response.utf8))) == Self.response)
        #expect(try StoredResource.json(.null) == nil)
    }

    @Test("what is damaged is an error")
    func damaged() {
        let packed = StoredResource.packed(Self.response)
        var long = packed
        long[4] += 1
        var short = packed
        short[4] -= 1
        var huge = packed
        huge[1] = 0xFF
        for data in [packed.prefix(1), packed.prefix(5), packed.dropLast(), packed + [0], long, short, huge] {
            #expect(throws: WarehouseError.self) { try StoredResource.json(.bytes(Data(data))) }
        }
    }

    @Test("the dictionaries that warehouses need for unpacking never change")
    func dictionaries() {
        let digests = [StoredResource.dictionary, StoredBody.dictionary].map {
            Hexadecimal.encode(SHA256.hash(data: $0)).prefix(16)
        }
        #expect(digests == ["3bfa99f420f1e804", "3c9220745e3a0050"])
    }
}
