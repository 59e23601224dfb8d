import Foundation
import IndivoModel
import IndivoXML
import Testing

private class Family: IndivoDocument {
    @Field(formerly: "oldkids") var kids: [Kid]
    @Field var eldest: Kid?
}

private class Kid: IndivoDocument {
    @Field var name: String?
}

private struct Tree: CompoundValue {
    @Field var name: String?
    @Field var children: [Tree]
}

private class Forest: IndivoDocument {
    override class var format: Format { .nested(root: "Forest", namespace: nil) }

    @Field var root: Tree?
}

private class Letter: IndivoDocument {
    override class var format: Format { .nested(root: "Letter", namespace: "urn:letters") }

    @Field(in: .text) var body: String?
    @Field(formerly: "heading") var title: String?
    @Field var page: Int?
}

/// Documents that no well-behaved program writes, and that lose nothing all the same.
@Suite("Unusual documents")
struct UnusualDocumentTests {
    private func canonical(_ node: XMLNode) throws -> String {
        String(decoding: try node.canonical(), as: UTF8.self)
    }

    private func models(_ content: String) throws -> XMLNode {
        try XMLNode(parsing: "<Models xmlns=\"http://indivo.org/vocab/xml/documents#\">\(content)</Models>")
    }

    private func kid(_ name: String) -> String {
        "<Model name=\"Kid\"><Field name=\"name\">\(name)</Field></Model>"
    }

    private func family(_ fields: String) throws -> XMLNode {
        try models("<Model name=\"Family\">\(fields)</Model>")
    }

    private func names(_ kids: [Kid]) -> [String?] { kids.map(\.name) }

    // MARK: Relations

    @Test("a list without its element is read; a file keeps it so, and a server gets a list")
    func listWithoutList() throws {
        Family.register()
        let source = try family("<Field name=\"kids\">\(kid("Ada"))</Field>")
        let file = try SDMXDocument(source)
        #expect(try canonical(file.xml()) == canonical(source))
        #expect(try String(decoding: file.json(), as: UTF8.self).contains(#""name": "Ada""#))
        let family = try Family.read(from: source)
        family.kids.append(Kid { $0.name = "Ben" })
        let sent = try family.xml()
        #expect(try names(Family.read(from: sent).kids) == ["Ada", "Ben"])
        #expect(sent.find("Field > Models > Model").count == 2 && sent.find("Field > Model").isEmpty)
    }

    @Test("the first of several models for one is read, and the others are noted and stay")
    func severalForOne() throws {
        let source = try family("<Field name=\"eldest\"><Models>\(kid("Ada"))\(kid("Ben"))</Models></Field>")
        var problems: [DocumentError] = []
        let family = try Family.read(from: source, problems: &problems)
        #expect(family.eldest?.name == "Ada" && problems.map(\.property) == ["eldest"])
        #expect(try canonical(family.xml(naming: .asRead)) == canonical(source))
        #expect(try Family.read(from: source).eldest?.name == "Ada")
        family.eldest?.name = "Ada L."
        let changed = try canonical(family.xml())
        #expect(changed.contains("Ada L.") && changed.contains("Ben"))
        family.eldest = nil
        let cleared = try canonical(family.xml())
        #expect(!cleared.contains("Ada") && !cleared.contains("Ben"))
    }

    @Test(
        "of a relation under two names the one with models counts, and neither is dropped",
        arguments: [
            ("kids=Ada oldkids=", ["Ada"], 1), ("oldkids= kids=Ada", ["Ada"], 1),
            ("kids= oldkids=Ada", ["Ada"], 1),
            ("oldkids=Ada kids=", ["Ada"], 1), ("kids=Ada oldkids=Ben", ["Ada"], 2),
            ("oldkids=Ben kids=Ada", ["Ada"], 2), ("oldkids=Ada", ["Ada"], 1),
        ]
    )
    func twoNames(fields: String, expected: [String], count: Int) throws {
        let source = try family(
            fields.split(separator: " ").map { field in
                let parts = field.split(separator: "=", omittingEmptySubsequences: false)
                return
                    """
                    <Field \
                    name=\"\(parts[0])\"><Models>\(parts[1].isEmpty ? "" : kid(String(parts[1])))</Models>\
                    </Field>
                    """
            }.joined()
        )
        let family = try Family.read(from: source)
        #expect(names(family.kids) == expected)
        #expect(try canonical(family.xml(naming: .asRead)) == canonical(source))
        let sent = try family.xml()
        #expect(try names(Family.read(from: sent).kids) == expected)
        #expect(sent.find("Field Model[name=Kid]").count == count)
        #expect(sent.find("Field[name=kids]").count == 1)
    }

    @Test("a model without a name is one of no class, wherever it stands")
    func nameless() throws {
        Family.register()
        let nameless = "<Model><Field name=\"a\">1</Field></Model>"
        for content in [nameless + "<Model name=\"Family\"/>", "<Model name=\"Family\"/>" + nameless] {
            let file = try SDMXDocument(models(content))
            #expect(file.models.count { $0 is GenericDocument } == 1)
            #expect(try canonical(file.xml()) == canonical(models(content)))
        }
    }

    // MARK: SDMJ

    @Test("a field that is given twice is there twice in SDMJ and behind it")
    func twice() throws {
        let source = try models(
            """
            <Model name="Strange"><Field name="a">1</Field><Field name="a">2</Field>\
            <Field name="b"><Models>\(kid("Ada"))</Models></Field><Field \
            name="b"><Models>\(kid("Ben"))</Models></Field></Model>
            """
        )
        let back = try SDMXDocument(json: SDMXDocument(source).json())
        #expect(try canonical(back.xml()) == canonical(source))
    }

    @Test(
        "what SDMJ cannot say is refused with its place",
        arguments: [
            ("<Model name=\"A\"><Field name=\"__modelname__\">B</Field></Model>", "[0].__modelname__"),
            (
                """
                <Model name=\"A\"><Field name=\"b\"><Model name=\"C\"><Field \
                name=\"__documentid__\"/></Model></Field></Model>
                """,
                "[0].b.__documentid__"
            ),
            ("<Model name=\"A\"/><Model name=\"\"/>", "[1]"), ("<Model/>", "[0]"),
        ]
    )
    func unspeakable(content: String, place: String) throws {
        let file = try SDMXDocument(models(content))
        let error = #expect(throws: SDMJError.self) { try file.json() }
        #expect(error?.path == place)
    }

    // MARK: Nested XML

    @Test("a compound value may hold a list of its own kind")
    func tree() throws {
        let text = """
            <Forest><root><name>a</name><children><name>b</name><children><name>c</name></children>\
            </children>\
            <children><name>d</name></children></root></Forest>
            """
        let forest = try Forest.read(from: XMLNode(parsing: text))
        #expect(forest.root?.children.map(\.name) == ["b", "d"])
        #expect(forest.root?.children.first?.children.first?.name == "c")
        let new = Forest { $0.root = forest.root }
        #expect(try new.xml().xml() == text)
    }

    @Test("elements of another vocabulary are not taken for a document's own, and stay")
    func foreign() throws {
        let letter = """
            <Letter xmlns="urn:letters" xmlns:x="urn:x"><x:title>not \
            ours</x:title><title>ours</title><x:page>x</x:page></Letter>
            """
        let document = try Letter.read(from: XMLNode(parsing: letter))
        #expect(document.title == "ours" && document.page == nil)
        document.title = "new"
        #expect(try document.xml().xml() == letter.replacing(">ours<", with: ">new<"))
        document.title = nil
        #expect(try document.xml().xml() == letter.replacing("<title>ours</title>", with: ""))

        Kid.register()
        let source = try XMLNode(
            parsing: """
                <Models xmlns="http://indivo.org/vocab/xml/documents#" xmlns:x="urn:x"><Model name="Kid">\
                <x:Field name="name">not ours</x:Field><Field name="name">Ada</Field><x:Field \
                name="name">nor this</x:Field>\
                </Model><x:Model name="Kid"/></Models>
                """
        )
        let file = try SDMXDocument(source)
        let kid = try #require(file.models.first as? Kid)
        #expect(file.models.count == 1 && kid.name == "Ada")
        kid.name = "Ben"
        #expect(
            try canonical(file.xml()) == canonical(source.root ?? source).replacing(">Ada<", with: ">Ben<")
        )
    }

    @Test("a field that is cleared is gone under all its names")
    func clearing() throws {
        let letter = try Letter.read(
            from: XMLNode(
                parsing:
                    """
                    <Letter \
                    xmlns=\"urn:letters\"><heading>old</heading><title>new</title><page>1</page></Letter>
                    """
            )
        )
        letter.title = nil
        #expect(try letter.xml().xml() == "<Letter xmlns=\"urn:letters\"><page>1</page></Letter>")
    }

    @Test("an element's own text is read and written without that of the elements in it")
    func ownText() throws {
        let text = "<Letter xmlns=\"urn:letters\">Dear <page>4</page><unknown>sir</unknown></Letter>"
        let letter = try Letter.read(from: XMLNode(parsing: text))
        #expect(letter.body == "Dear " && letter.page == 4)
        #expect(try letter.xml().xml() == text)
        letter.body = "T"
        #expect(try letter.xml().xml() == text.replacing("Dear ", with: "T"))
        #expect(try Letter.read(from: letter.xml()) == letter)
        letter.body = nil
        #expect(try letter.xml().xml() == text.replacing("Dear ", with: ""))
    }

    // MARK: Values

    @Test(
        "a field has the same value, or none, whether it is read from bytes or a string",
        arguments: [
            "2012-05-04", "  2012-05-04\n", "\n      2012-05-04\n    ", "123456789-05-04+14:00",
            "2012-05-04T10:00:00Z",
            " 2012-05-04T10:00:00Z ", "2012-05-04T10:00", "2012-05-04Z", "T", "", "true", " 1 ", "-0.50",
            "1e3", "x",
        ]
    )
    func bytesAndStrings(text: String) {
        func check<Value: LexicalValue>(_ type: Value.Type) {
            let string = try? Value.fromField(text)
            let bytes = Array(text.utf8).withUnsafeBufferPointer { try? Value._read(utf8: $0, isField: true) }
            #expect(string == bytes, "\(type)")
            #expect(string?.lexical == bytes?.lexical, "\(type)")
        }
        check(XMLDate.self)
        check(XMLDateTime.self)
        check(XMLTime.self)
        check(XMLPartialDate.self)
        check(XMLDuration.self)
        check(Bool.self)
        check(Int.self)
        check(Double.self)
        check(Decimal.self)
        check(String.self)
    }

    @Test("a copy of a document with an unreadable value has that value's text")
    func copyOfUnreadable() throws {
        var problems: [DocumentError] = []
        let letter = try Letter.read(
            from: XMLNode(
                parsing: "<Letter xmlns=\"urn:letters\"><title>a</title><page>four</page></Letter>"
            ),
            problems: &problems
        )
        let night = try SleepNight.read(
            from: models("<Model name=\"SleepNight\"><Field name=\"score\">high</Field></Model>"),
            problems: &problems
        )
        #expect(problems.count == 2)
        #expect(try letter.copy().xml().xml().contains("<page>four</page>"))
        #expect(try night.copy().xml().xml().contains(">high<"))
    }
}
