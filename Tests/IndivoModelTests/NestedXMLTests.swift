import IndivoModel
import IndivoXML
import Testing

@Suite("Nested XML")
struct NestedXMLTests {
    static let metadata = """
        <Document id="d-2" type="" size="216" digest="3f75" record_id="r-1"><createdAt>2012-05-04T15:34:23.502840Z</createdAt>\
        <creator id="ana@example.org" type="Account"><fullname>Ana Lopez</fullname></creator><replaces id="d-1"/>\
        <original id="d-1"/><latest id="d-2" createdAt="2012-05-04T15:34:23.502840Z" createdBy="ana@example.org"/>\
        <label>Pacemaker</label><status>active</status><nevershare>false</nevershare><isRelatedFrom>\
        <relation type="http://indivo.org/vocab/documentrels#annotation" count="1"/></isRelatedFrom></Document>
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

    @Test("a value that must be there is missed with its name and line; an empty one is there")
    func required() throws {
        let error = try #require(throws: DocumentError.self) {
            try RecordInformation.read(from: XMLNode(parsing: "<Record label=\"Ana\"/>"))
        }
        #expect(error.property == "id")
        #expect(error.reason == .missingValue)
        #expect(try RecordInformation.read(from: XMLNode(parsing: "<Record id=\"r\" label=\"\"/>")).label == "")
    }

    @Test("another root is refused")
    func otherRoot() {
        #expect(throws: DocumentError.self) { try DocumentList.read(from: XMLNode(parsing: "<html/>"), root: "Documents") }
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
        #expect(try ana.xml().canonical(withComments: true) == XMLNode(parsing: Self.demographics).canonical(withComments: true))
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
                == ["dateOfBirth", "gender", "email", "shoeSize", "Name", "Telephone", "Telephone"])
        #expect(root.child(named: "Name")?.children().map(\.name) == ["familyName", "givenName", "middleName"])
        #expect(try Demographics.read(from: root).hasSameContent(as: ana))
    }

    @Test("a document made in code has its namespace and the schema's order")
    func fresh() throws {
        let tom = Demographics()
        tom.gender = .male
        tom.dateOfBirth = "2001-02-03"
        #expect(
            try tom.xml().xml() == """
                <Demographics xmlns="http://indivo.org/vocab/xml/documents#"><dateOfBirth>2001-02-03</dateOfBirth>\
                <gender>male</gender></Demographics>
                """)
    }
}
