import IndivoModel
import IndivoXML
import Testing

/// Reports list the models of a relation in an order of their own. What a new version holds is not put in
/// that order.
@Suite("The order of related models")
struct ReportOrderTests {
    private func fills(_ dates: [Int], namespace: String? = nil) -> String {
        let fills = dates.map { "<Model name=\"Fill\"><Field name=\"date\">2026-0\($0)-01</Field></Model>" }
            .joined()
        return """
            <Models\(namespace.map { " xmlns=\"\($0)\"" } ?? "")><Model name="Medication">\
            <Field name="drugName_title">Aspirin</Field><Field name="instructions">one</Field>\
            <Field name="fulfillments"><Models>\(fills)</Models></Field></Model></Models>
            """
    }

    private func stored(_ dates: [Int]) throws -> XMLNode {
        try XMLNode(parsing: fills(dates, namespace: "http://indivo.org/vocab/xml/documents#"))
    }

    private func reported(_ dates: [Int]) throws -> Medication {
        try Medication.read(from: XMLNode(parsing: fills(dates)))
    }

    /// The months of the fulfilments in a new version, as they are stored.
    private func order(of medication: Medication, in stored: XMLNode) throws -> [Int] {
        let root = try PreparedDocument(replacing: medication, in: stored).root
        return try Medication.read(from: root).fulfillments.map { $0.date?.month ?? 0 }
    }

    @Test("what did not change stays as it is stored, again and again")
    func unchanged() throws {
        for order in [[3, 2, 1], [2, 3, 1], [1, 2, 3]] {
            var root = try stored([1, 2, 3])
            for instructions in ["two", "three"] {
                let before = try root.xml()
                let medication = try reported(order)
                let old = try #require(Medication.read(from: root).instructions)
                medication.instructions = instructions
                root = try PreparedDocument(replacing: medication, in: root).root
                #expect(try root.xml() == before.replacing(">\(old)<", with: ">\(instructions)<"))
            }
        }
    }

    @Test("new ones go behind those they follow in the list, or before all")
    func new() throws {
        for (place, expected) in [(0, [7, 1, 2, 3]), (1, [1, 2, 3, 7]), (3, [1, 2, 3, 7])] {
            let medication = try reported([3, 2, 1])
            let fill = Fill()
            fill.date = "2026-07-01T00:00:00Z"
            medication.fulfillments.insert(fill, at: place)
            #expect(try order(of: medication, in: stored([1, 2, 3])) == expected)
        }
    }

    @Test("one that is taken away leaves the others where they are")
    func removed() throws {
        for (place, expected) in [(0, [1, 2]), (1, [1, 3]), (2, [2, 3])] {
            let medication = try reported([3, 2, 1])
            medication.fulfillments.remove(at: place)
            #expect(try order(of: medication, in: stored([1, 2, 3])) == expected)
        }
    }

    @Test("an order that the app makes is the order that is stored")
    func reordered() throws {
        let medication = try reported([3, 2, 1])
        medication.fulfillments.reverse()
        #expect(try order(of: medication, in: stored([1, 2, 3])) == [1, 2, 3])
        let moved = try reported([1, 2, 3])
        moved.fulfillments.swapAt(0, 2)
        #expect(try order(of: moved, in: stored([1, 2, 3])) == [3, 2, 1])
    }
}
