/// The XML Schemas of the documents that the server checks.
enum SchemaSources {
    private static func schema(_ content: String) -> String {
        """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://indivo.org/vocab/xml/documents#"
            targetNamespace="http://indivo.org/vocab/xml/documents#" elementFormDefault="qualified">
        \(content)
        </xs:schema>
        """
    }

    private static let codedValue = """
        <xs:complexType name="CodedValue"><xs:simpleContent><xs:extension base="xs:string">
          <xs:attribute name="type" type="xs:anyURI"/><xs:attribute name="value" type="xs:string"/>
          <xs:attribute name="abbrev" type="xs:string"/>
        </xs:extension></xs:simpleContent></xs:complexType>
        """

    private static let provider = """
        <xs:complexType name="Provider"><xs:sequence>
          <xs:element name="name" type="xs:string"/><xs:element name="institution" type="xs:string" minOccurs="0"/>
        </xs:sequence></xs:complexType>
        """

    static let models = schema(
        """
        <xs:element name="Models" type="Models"/>
        <xs:complexType name="Models"><xs:sequence>
          <xs:element name="Model" type="Model" minOccurs="0" maxOccurs="unbounded"/>
        </xs:sequence></xs:complexType>
        <xs:complexType name="Model"><xs:sequence>
          <xs:element name="Field" type="Field" minOccurs="0" maxOccurs="unbounded"/>
        </xs:sequence><xs:attribute name="name" type="xs:string" use="required"/>
          <xs:attribute name="documentId" type="xs:string"/>
        </xs:complexType>
        <xs:complexType name="Field" mixed="true"><xs:choice minOccurs="0">
          <xs:element name="Model" type="Model"/><xs:element name="Models" type="Models"/>
        </xs:choice><xs:attribute name="name" type="xs:string" use="required"/></xs:complexType>
        """)

    static let equipment = schema(
        """
        <xs:element name="Equipment"><xs:complexType><xs:sequence>
          <xs:element name="dateStarted" type="xs:date" minOccurs="0"/>
          <xs:element name="dateStopped" type="xs:date" minOccurs="0"/>
          <xs:element name="type" type="xs:string" minOccurs="0"/>
          <xs:element name="name" type="xs:string"/>
          <xs:element name="vendor" type="xs:string" minOccurs="0"/>
          <xs:element name="id" type="xs:string" minOccurs="0"/>
          <xs:element name="description" type="xs:string" minOccurs="0"/>
          <xs:element name="specification" type="xs:string" minOccurs="0"/>
          <xs:element name="certification" type="xs:string" minOccurs="0"/>
        </xs:sequence></xs:complexType></xs:element>
        """)

    static let procedure = schema(
        """
        \(codedValue)
        \(provider)
        <xs:element name="Procedure"><xs:complexType><xs:sequence>
          <xs:element name="datePerformed" type="xs:dateTime" minOccurs="0"/>
          <xs:element name="name" type="CodedValue"/>
          <xs:element name="provider" type="Provider" minOccurs="0"/>
          <xs:element name="location" type="xs:string" minOccurs="0"/>
          <xs:element name="comments" type="xs:string" minOccurs="0"/>
        </xs:sequence></xs:complexType></xs:element>
        """)

    static let simpleClinicalNote = schema(
        """
        \(codedValue)
        \(provider)
        <xs:element name="SimpleClinicalNote"><xs:complexType><xs:sequence>
          <xs:element name="dateOfVisit" type="xs:dateTime"/>
          <xs:element name="finalizedAt" type="xs:dateTime" minOccurs="0"/>
          <xs:element name="visitType" type="CodedValue" minOccurs="0"/>
          <xs:element name="visitLocation" type="xs:string" minOccurs="0"/>
          <xs:element name="specialty" type="CodedValue" minOccurs="0"/>
          <xs:element name="signature" maxOccurs="unbounded"><xs:complexType><xs:sequence>
            <xs:element name="at" type="xs:dateTime" minOccurs="0"/>
            <xs:element name="provider" type="Provider"/>
          </xs:sequence></xs:complexType></xs:element>
          <xs:element name="chiefComplaint" type="xs:string" minOccurs="0"/>
          <xs:element name="content" type="xs:string" minOccurs="0"/>
        </xs:sequence></xs:complexType></xs:element>
        """)

    static let demographics = schema(
        """
        <xs:element name="Demographics"><xs:complexType><xs:sequence>
          <xs:element name="dateOfBirth" type="xs:date"/>
          <xs:element name="gender"><xs:simpleType><xs:restriction base="xs:string">
            <xs:enumeration value="male"/><xs:enumeration value="female"/>
          </xs:restriction></xs:simpleType></xs:element>
          <xs:element name="email" type="xs:string" minOccurs="0"/>
          <xs:element name="ethnicity" type="xs:string" minOccurs="0"/>
          <xs:element name="preferredLanguage" type="xs:string" minOccurs="0"/>
          <xs:element name="race" type="xs:string" minOccurs="0"/>
          <xs:element name="Name"><xs:complexType><xs:sequence>
            <xs:element name="familyName" type="xs:string"/><xs:element name="givenName" type="xs:string"/>
            <xs:element name="middleName" type="xs:string" minOccurs="0"/>
            <xs:element name="prefix" type="xs:string" minOccurs="0"/>
            <xs:element name="suffix" type="xs:string" minOccurs="0"/>
          </xs:sequence></xs:complexType></xs:element>
          <xs:element name="Telephone" minOccurs="0" maxOccurs="2"><xs:complexType><xs:sequence>
            <xs:element name="type" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string">
              <xs:enumeration value="h"/><xs:enumeration value="w"/><xs:enumeration value="c"/>
            </xs:restriction></xs:simpleType></xs:element>
            <xs:element name="number" type="xs:string"/>
            <xs:element name="preferred" type="xs:boolean" minOccurs="0"/>
          </xs:sequence></xs:complexType></xs:element>
          <xs:element name="Address" minOccurs="0"><xs:complexType><xs:sequence>
            <xs:element name="country" type="xs:string" minOccurs="0"/>
            <xs:element name="city" type="xs:string" minOccurs="0"/>
            <xs:element name="postalCode" type="xs:string" minOccurs="0"/>
            <xs:element name="region" type="xs:string" minOccurs="0"/>
            <xs:element name="street" type="xs:string" minOccurs="0"/>
          </xs:sequence></xs:complexType></xs:element>
        </xs:sequence></xs:complexType></xs:element>
        """)
}
