import IndivoModel
import IndivoXML
import Testing

@Suite("Nested XML")
struct NestedXMLTests {
    static let metadata = """
        <Document id="d-2" type="" size="216" digest="3f75" \
        record_id="r-1"><createdAt>2012-05-04T15:34:23.502840Z</createdAt>\
        <creator id="ana@example.org" type="Account"><fullname>Ana Lopez</fullname></creator><replaces \
        id="d-1"/>\
        <original id="d-1"/><latest id="d-2" createdAt="2012-05-04T15:34:23.502840Z" \
        createdBy="ana@example.org"/>\
        <label>Pacemaker</label><status>active</status><nevershare>false</nevershare><isRelatedFrom>\
        <relation type="http://indivo.org/vocab/documentrels#annotation" \
        count="1"/></isRelatedFrom></Document>
        """

    @Test("metadata: attributes, elements, compounds, lists; an empty attribute is none")
    func metadata() throws {
        let metadata = try DocumentMetadata.read(from: XMLNode(parsing: Self.metadata), root: "Document")
        #expect(metadata.id == "d-2")
        #expect(metadata.type == nil)
        #expect(metadata.size == 216)
        #expect(metadata.createdAt?.nanosecond == 502_840_000)
        #expect(metadata.creator?.fullName == "Ana Lopez")
        #expect(metadata.replaces?.id == "d-1")
        #expect(metadata.latest?.createdBy == "ana@example.org")
        #expect(metadata.status == .active)
        #expect(metadata.neverShare == false)
        #expect(metadata.isRelatedFrom?.all.first?.count == 1)
        #expect(metadata.relatesTo == nil)
    }

    @Test("a required value that is missing is named with its line; an empty one is present")
    func required() throws {
        let error = try #require(throws: DocumentError.self) {
            try RecordInformation.read(from: XMLNode(parsing: "<Record label=\"Ana\"/>"))
        }
        #expect(error.property == "id")
        #expect(error.reason == .missingValue)
        #expect(
            try RecordInformation.read(from: XMLNode(parsing: "<Record id=\"r\" label=\"\"/>")).label == ""
        )
    }

    @Test("another root is refused")
    func otherRoot() {
        #expect(throws: DocumentError.self) {
            try DocumentList.read(from: XMLNode(parsing: "<html/>"), root: "Documents")
        }
    }

    static let demographics = """
        <Demographics xmlns="http://indivo.org/vocab/xml/documents#"><!-- as sent -->
        <dateOfBirth><![CDATA[1979-04-02]]></dateOfBirth><gender>female</gender><shoeSize>38</shoeSize>
        <Name><familyName>Lopez</familyName><givenName>Ana</givenName></Name>
        <Telephone><type>h</type><number>555-0101</number></Telephone><Address><city>Boston</city></Address>
        </Demographics>
        """

    @Test("a document that is not changed is written as it was")
    func unchanged() throws {
        let ana = try Demographics.read(from: XMLNode(parsing: Self.demographics))
        #expect(ana.name?.givenName == "Ana")
        #expect(
            try ana.xml().canonical(withComments: true)
                == XMLNode(parsing: Self.demographics).canonical(withComments: true)
        )
    }

    @Test("new elements go where the order of the fields puts them; the unknown stays")
    func order() throws {
        let ana = try Demographics.read(from: XMLNode(parsing: Self.demographics))
        ana.email = "ana@example.org"
        ana.name?.middleName = "Maria"
        ana.telephones[0].isPreferred = true
        var mobile = Demographics.Phone()
        mobile.number = "555-0102"
        ana.telephones.append(mobile)
        ana.address = nil
        let root = try ana.xml()
        #expect(
            root.children().map(\.name)
                == ["dateOfBirth", "gender", "email", "shoeSize", "Name", "Telephone", "Telephone"]
        )
        #expect(
            root.child(named: "Name")?.children().map(\.name) == ["familyName", "givenName", "middleName"]
        )
        #expect(try Demographics.read(from: root).hasSameContent(as: ana))
    }

    @Test("a document made in code has its namespace and the schema's order")
    func fresh() throws {
        let tom = Demographics()
        tom.gender = .male
        tom.dateOfBirth = "2001-02-03"
        #expect(
            try tom.xml().xml() == """
                <Demographics \
                xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>2001-02-03</dateOfBirth>\
                <gender>male</gender></Demographics>
                """
        )
    }

    private final class Shelf: IndivoDocument {
        override class var format: Format { .nested(root: "shelf", namespace: nil) }
        @Field("book") var books: [Book]
        @Field("box") var boxes: [Box]
        @Field("tag") var tags: [String]
    }

    private final class Book: IndivoDocument {
        @Field var title: String?
    }

    private struct Box: CompoundValue {
        @Field(in: .attribute) var size: Int?
        init() {}
    }

    private static let shelf = """
        <shelf><book x="1"><title>A</title></book><book x="2"><title>B</title></book><book \
        x="3"><title>C</title></book>\
        <box size="1" y="a"/><box size="2" y="b"/><box size="3" y="c"/><tag z="a">p</tag><tag \
        z="b">q</tag></shelf>
        """

    @Test("unknown content stays with its value when a list's values move, change or go")
    func lists() throws {
        func written(_ change: (Shelf) throws -> Void) throws -> String {
            let shelf = try Shelf.read(from: XMLNode(parsing: Self.shelf))
            try change(shelf)
            return try shelf.xml().xml()
        }
        func expected(_ pairs: (String, String)...) -> String {
            pairs.reduce(Self.shelf) { $0.replacing($1.0, with: $1.1) }
        }
        let a = "<book x=\"1\"><title>A</title></book>"
        let c = "<book x=\"3\"><title>C</title></book>"
        #expect(try written { _ in } == Self.shelf)
        #expect(try written { $0.books.removeFirst() } == expected((a, "")))
        #expect(
            try written {
                $0.books.removeFirst()
                $0.books[0].title = "b"
            } == expected((a, ""), (">B<", ">b<"))
        )
        #expect(try written { $0.books.swapAt(0, 2) } == expected((a, "#"), (c, a), ("#", c)))
        #expect(
            try written { $0.books.insert(Book { $0.title = "0" }, at: 0) }
                == expected((a, "<book><title>0</title></book>" + a))
        )
        #expect(
            try written { shelf in shelf.books = try shelf.books.map { try $0.copy() } }.contains(
                "<title>A</title>"
            )
        )
        #expect(try written { $0.boxes.removeFirst() } == expected(("<box size=\"1\" y=\"a\"/>", "")))
        #expect(
            try written {
                $0.boxes.removeFirst()
                var new = Box()
                new.size = 4
                $0.boxes.append(new)
            } == expected(("<box size=\"1\" y=\"a\"/>", ""), ("y=\"c\"/>", "y=\"c\"/><box size=\"4\"/>"))
        )
        #expect(try written { $0.boxes[1].size = 5 } == expected(("size=\"2\"", "size=\"5\"")))
        #expect(try written { $0.tags = ["q"] } == expected(("<tag z=\"a\">p</tag>", "")))
        #expect(try written { $0.tags = ["p", "r", "q"] } == expected(("p</tag>", "p</tag><tag>r</tag>")))
        #expect(
            try written {
                $0.books = []
                $0.tags[1] = "r"
            } == expected((a, ""), (c, ""), ("<book x=\"2\"><title>B</title></book>", ""), (">q<", ">r<"))
        )
    }

    @Test("a document that moves into another takes along what its class does not know")
    func moving() throws {
        let from = try Shelf.read(from: XMLNode(parsing: Self.shelf))
        let to = try Shelf.read(from: XMLNode(parsing: "<shelf><book x=\"9\"/></shelf>"))
        to.books.append(from.books[1])
        #expect(try to.xml().xml() == "<shelf><book x=\"9\"/><book x=\"2\"><title>B</title></book></shelf>")
        let new = Shelf { $0.books = [from.books[0]] }
        #expect(try new.xml().xml() == "<shelf><book x=\"1\"><title>A</title></book></shelf>")
    }
}
