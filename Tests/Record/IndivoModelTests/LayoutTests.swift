import IndivoModel
import IndivoXML
import Synchronization
import Testing

@Suite("The shape of a class")
struct LayoutTests {
    /// Counts how often an object of it is made.
    private final class Counted: IndivoDocument {
        static let made = Mutex(0)

        @Field var text: String?
        @Field var parts: [Counted]

        required init() {
            super.init()
            Self.made.withLock { $0 += 1 }
        }
    }

    @Test("a layout is found once, by one object, and reading makes only what it reads")
    func once() throws {
        let source = try XMLNode(
            parsing: """
                <Model name="Counted"><Field name="text">a</Field><Field name="parts"><Models>
                <Model name="Counted"><Field name="text">b</Field></Model></Models></Field></Model>
                """
        )
        _ = try Counted.read(from: source)
        let before = Counted.made.withLock { $0 }
        for _ in 0..<5 {
            let document = try Counted.read(from: source)
            #expect(document.parts.map(\.text) == ["b"])
            _ = try document.xml()
            _ = document.$text.path
        }
        #expect(Counted.made.withLock { $0 } == before + 10)
    }
}
