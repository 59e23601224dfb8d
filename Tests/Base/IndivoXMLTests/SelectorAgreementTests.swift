import Foundation
import IndivoXML
import Testing

/// Compares what selectors find with what soupsieve, an independent implementation, found: on the pairs in
/// `Fixtures`, and on those in the file that the variable `INDIVO_SELECTOR_CASES` names (`scripts/interop
/// selectors` makes one).
@Suite("Agreement of selectors with soupsieve")
struct SelectorAgreementTests {
    struct Document: Decodable {
        var xml: String
        var namespaces: [String: String]
        var cases: [Case]
    }

    struct Case: Decodable {
        var selector: String
        var places: [Int]?

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            selector = try container.decode(String.self)
            places = try container.decodeIfPresent([Int].self)
        }
    }

    @Test("both find the same elements")
    func agreement() throws {
        let named = ProcessInfo.processInfo.environment["INDIVO_SELECTOR_CASES"]
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/selector-cases.jsonl"
        )
        let file = named.map { URL(filePath: $0) } ?? fixture
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var pairs = 0
        var disagreements: [String] = []
        for line in lines {
            let document = try JSONDecoder().decode(Document.self, from: Data(line.utf8))
            let root = try XMLNode(parsing: document.xml).document
            let everything = root.find("*|*")
            var places: [XMLNode: Int] = [:]
            for (place, node) in everything.enumerated() { places[node] = place }
            for item in document.cases {
                pairs += 1
                let found = try? root.find(XMLSelector(item.selector, namespaces: document.namespaces))
                let foundPlaces = found.map { $0.compactMap { places[$0] } }
                if foundPlaces != item.places {
                    disagreements.append(
                        "\(item.selector) on \(document.xml.prefix(300)) with \(document.namespaces): "
                            + """
                            \(foundPlaces.map { "\($0)" } ?? "error"), soupsieve \
                            \(item.places.map { "\($0)" } ?? "error")
                            """
                    )
                }
            }
        }
        #expect(pairs >= 1_000)
        #expect(
            disagreements.isEmpty,
            "\(disagreements.count) of \(pairs): \(disagreements.prefix(10).joined(separator: "\n"))"
        )
    }
}
