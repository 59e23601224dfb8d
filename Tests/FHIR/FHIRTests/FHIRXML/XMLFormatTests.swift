import FHIR
import FHIRXML
import Foundation
import IndivoXML
import OrderedJSON
import TestSupport
import Testing

private let strangeDivision = #"""
    <div xmlns=\"http://www.w3.org/1999/xhtml\"><p class='a'>1 &gt; 0 &quot;x&quot;<br /><!-- c --></p> </div>
    """#

private let twoContained = """
    <Patient xmlns="http://hl7.org/fhir"><contained><Patient/><Patient/></contained></Patient>
    """

private let nestedEntities = """
    <!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Patient xmlns="http://hl7.org/fhir"><id \
    value="&b;"/></Patient>
    """

private let entityOfAFile = """
    <!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><Patient xmlns="http://hl7.org/fhir">&a;</Patient>
    """

@Suite("FHIR's XML")
struct XMLFormatTests {
    private static let files = SharedFHIR.files("examples", "synthea")
    /// Files whose members are not in the order of the definition, which XML demands, and comes back: `id`
    /// after `date`, `extension` before `url`, `text` before `meta`.
    private static let unordered: Set<String> = [
        "Questionnaire-qs1.json", "ValueSet-example-hierarchical.json",
        "synthea2019_Hernan_Heredia_e254b2a8-2545-4507-8424-f99197587031.json",
    ]

    @Test(
        "every example is the same after XML",
        .enabled(if: !files.isEmpty, "../shared/fhir is not there"),
        arguments: files
    )
    func roundTrip(file: URL) throws {
        let resource = try AnyResource(parsing: Data(contentsOf: file))
        for style in [XMLStyle.compact, .pretty] {
            let again = try AnyResource(parsingXML: resource.xml(style))
            #expect(again == resource)
            if !Self.unordered.contains(file.lastPathComponent) {
                #expect(Self.difference(again.tree, resource.tree) == nil)
            }
        }
    }

    @Test(
        "the official resources in XML are those in JSON",
        .enabled(if: SharedFHIR.exists("fhirpath/input-xml"), "../shared/fhir is not there"),
        arguments: [
            "codesystem-example", "observation-example", "parameters-example-types", "patient-example-period",
            "patient-example", "questionnaire-example", "valueset-example-expansion",
        ]
    )
    func official(name: String) throws {
        let xml = try Data(contentsOf: SharedFHIR.folder.appending(path: "fhirpath/input-xml/\(name).xml"))
        let resource = try AnyResource(parsingXML: xml)
        let json = try Data(contentsOf: SharedFHIR.folder.appending(path: "fhirpath/input/\(name).json"))
        // White space in the narrative is another there.
        #expect(try Self.withoutNarrative(resource) == Self.withoutNarrative(AnyResource(parsing: json)))
    }

    @Test("ids and extensions of primitives, padding, decimals and contained resources stay")
    func parts() throws {
        let json = #"""
            {"resourceType":"Patient","id":"7","contained":[{"resourceType":"Observation","status":"final",\#
            "code":{"id":"c","extension":[{"url":"u","valueDecimal":1.10},{"url":"outer",\#
            "extension":[{"url":"inner","valueBoolean":false}]}],"text":"a \"<&>' \u00e9\n"}}],\#
            "active":true,"name":[{"given":["A",null,"B"],"_given":[null,{"id":"x","extension":[{"url":"u",\#
            "valueDecimal":1e2}]},{"id":"y"}]}],"_birthDate":{"extension":[{"url":"u","valueInteger":-5}]},\#
            "multipleBirthInteger":2}
            """#
        let patient = try Patient(parsing: json)
        let xml = try patient.xml()
        #expect(
            String(decoding: xml, as: UTF8.self) == #"""
                <?xml version="1.0" encoding="UTF-8"?>
                <Patient xmlns="http://hl7.org/fhir"><id value="7"/><contained><Observation><status \#
                value="final"/><code id="c"><extension url="u"><valueDecimal \#
                value="1.10"/></extension><extension url="outer"><extension url="inner"><valueBoolean \#
                value="false"/></extension></extension><text value="a &quot;&lt;&amp;>' \#
                é&#10;"/></code></Observation></contained><active value="true"/><name><given \#
                value="A"/><given id="x"><extension url="u"><valueDecimal \#
                value="1e2"/></extension></given><given id="y" value="B"/></name><birthDate><extension \#
                url="u"><valueInteger value="-5"/></extension></birthDate><multipleBirthInteger \#
                value="2"/></Patient>

                """#
        )
        let again = try Patient(parsingXML: xml)
        #expect(again == patient)
        #expect(Self.difference(again.tree, patient.tree) == nil)
    }

    @Test(
        "narrative is kept as it was written",
        arguments: [
            strangeDivision,
            #"<h:div xmlns:h=\"http://www.w3.org/1999/xhtml\"><h:b>x</h:b></h:div>"#,
            #"<div xmlns=\"http://www.w3.org/1999/xhtml\">\r\n<![CDATA[<p>]]>&#169;</div>"#,
        ]
    )
    func narrative(text: String) throws {
        let patient = try Patient(
            parsing: #"{"resourceType":"Patient","text":{"status":"generated","div":""# + text
                + #""},"active":true}"#
        )
        #expect(try Patient(parsingXML: patient.xml(.pretty)).text?.div == patient.text?.div)
        #expect(try Patient(parsingXML: patient.xml()).active == true)
    }

    @Test("narrative whose namespace is declared around it is complete by itself")
    func inheritedNamespace() throws {
        let patient = try Patient(
            parsingXML: """
                <f:Patient xmlns:f="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml"><f:text>\
                <f:status value="generated"/><h:div><h:p>a</h:p></h:div></f:text></f:Patient>
                """
        )
        let division = try XMLNode(parsing: #require(patient.text?.div))
        #expect(division.name == "div")
        #expect(division.namespace == "http://www.w3.org/1999/xhtml")
        #expect(division.text() == "a")
        #expect(try Patient(parsingXML: patient.xml()) == patient)
    }

    @Test("a value that is none of its type is kept as a string")
    func wrongValues() throws {
        let xml = """
            <Patient xmlns="http://hl7.org/fhir"><active value="TRUE"/><multipleBirthInteger \
            value="+2"/></Patient>
            """
        let patient = try Patient(parsingXML: xml)
        #expect(patient.tree["active"]?.string == "TRUE")
        #expect(patient.tree["multipleBirthInteger"]?.string == "+2")
        #expect(try Patient(parsingXML: patient.xml()) == patient)
    }

    @Test("elements in another order are read, and written in that of the definition")
    func order() throws {
        let patient = try Patient(
            parsingXML: """
                <Patient xmlns="http://hl7.org/fhir"><gender value="female"/><active value="true"/></Patient>
                """
        )
        #expect(
            String(decoding: patient.json(), as: UTF8.self) == #"""
                {"resourceType":"Patient","gender":"female","active":true}
                """#
        )
        #expect(
            String(decoding: try patient.xml(), as: UTF8.self).hasSuffix(
                """
                <Patient xmlns="http://hl7.org/fhir"><active value="true"/><gender value="female"/></Patient>

                """
            )
        )
    }

    @Test("comments, instructions and the location of a schema are left out")
    func comments() throws {
        let patient = try Patient(
            parsingXML: """
                <?xml version="1.0" encoding="utf-8"?><!-- a --><?b?>
                <Patient xmlns="http://hl7.org/fhir" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
                xsi:schemaLocation="http://hl7.org/fhir ../patient.xsd"><!-- <c> --> <id value="1"/><?d?>
                </Patient><!-- e -->
                """
        )
        #expect(String(decoding: patient.json(), as: UTF8.self) == #"{"resourceType":"Patient","id":"1"}"#)
    }

    @Test(
        "what is no FHIR in XML is refused with line and column",
        arguments: [
            (
                #"<Patient xmlns="http://hl7.org/fhir"><x/></Patient>"#, "1:38",
                FHIRXMLError.Reason.unknownElement
            ),
            (#"<Patient xmlns="http://hl7.org/fhir"><é/><x/></Patient>"#, "1:38", .unknownElement),
            ("<Patient xmlns=\"http://hl7.org/fhir\">\n é</Patient>", "1:1", .unexpectedText),
            (
                "<Patient xmlns=\"http://hl7.org/fhir\">\n <id value=\"é\"/> <id value=\"2\"/></Patient>",
                "2:18", .repeated
            ),
            (
                #"<Patient xmlns="http://hl7.org/fhir"><name/><active value="true"/><name/></Patient>"#,
                "1:67", .divided
            ),
            (
                #"<Patient xmlns="http://hl7.org/fhir"><id value="1" lang="de"/></Patient>"#, "1:38",
                .unknownAttribute
            ),
            (#"<Patient xmlns="http://hl7.org/fhir" id="1"/>"#, "1:1", .unknownAttribute),
            (#"<Patient><id value="1"/></Patient>"#, "1:1", .wrongNamespace),
            (
                #"<Patient xmlns="http://hl7.org/fhir"><id xmlns="" value="1"/></Patient>"#, "1:38",
                .wrongNamespace
            ),
            (
                #"<Patient xmlns="http://hl7.org/fhir"><text><div><p/></div></text></Patient>"#, "1:44",
                .wrongNamespace
            ),
            (#"<!DOCTYPE Patient><Patient xmlns="http://hl7.org/fhir"/>"#, "1:1", .documentType),
            (#"<feed xmlns="http://hl7.org/fhir"/>"#, "1:1", .notAResource),
            (#"<DomainResource xmlns="http://hl7.org/fhir"/>"#, "1:1", .notAResource),
            (#"<Patient xmlns="http://hl7.org/fhir"><contained/></Patient>"#, "1:38", .notAResource),
            (
                #"<?xml version="1.0" encoding="ISO-8859-1"?><Patient xmlns="http://hl7.org/fhir"/>"#, "1:1",
                .notUTF8
            ),
            (
                twoContained,
                "1:59",
                .repeated
            ),
        ]
    )
    func refused(xml: String, position: String, reason: FHIRXMLError.Reason) {
        let error = #expect(throws: FHIRXMLError.self) { try AnyResource(parsingXML: xml) }
        #expect(error?.reason == reason)
        #expect("\(error?.line ?? 0):\(error?.column ?? 0)" == position)
    }

    @Test("a resource of another type is refused by name")
    func otherType() {
        let error = #expect(throws: FHIRXMLError.self) {
            try Patient(parsingXML: #"<Observation xmlns="http://hl7.org/fhir"/>"#)
        }
        #expect(error?.reason == .wrongType(expected: "Patient", found: "Observation"))
        #expect(
            error?.description == "not a resource of type Patient: resourceType names Observation"
        )
    }

    @Test(
        "bombs, depth and what is not well-formed end in an error",
        arguments: [
            nestedEntities,
            entityOfAFile,
            "<Patient xmlns=\"http://hl7.org/fhir\">" + String(repeating: "<extension>", count: 5000),
            "<Patient xmlns=\"http://hl7.org/fhir\">" + String(repeating: "<extension>", count: 300)
                + String(repeating: "</extension>", count: 300) + "</Patient>",
            "", "<", "<Patient", "<Patient xmlns=\"http://hl7.org/fhir\">", "{}", "\u{FEFF}", "\u{0}",
        ]
    )
    func attacks(xml: String) {
        #expect(throws: FHIRXMLError.self) { try AnyResource(parsingXML: xml) }
    }

    @Test(
        "what XML cannot carry is an error that says where it is",
        arguments: [
            (#"{"resourceType":"Patient","x":1}"#, "1:27", "Patient", FHIRXMLError.Reason.unknownElement),
            (#"{"resourceType":"Patient","_name":[]}"#, "1:27", "Patient", .unknownElement),
            (#"{"resourceType":"Patient","id":"1","id":"2"}"#, "1:36", "Patient", .repeated),
            (#"{"resourceType":"Patient","resourceType":"Patient"}"#, "1:27", "Patient", .repeated),
            (#"{"resourceType":"Patient","active":"true"}"#, "1:36", "Patient.active", .wrongKind),
            (#"{"resourceType":"Patient","id":1}"#, "1:32", "Patient.id", .wrongKind),
            (#"{"resourceType":"Patient","active":[true]}"#, "1:36", "Patient.active", .wrongKind),
            (#"{"resourceType":"Patient","name":{}}"#, "1:34", "Patient.name", .wrongKind),
            (#"{"resourceType":"Patient","name":["A"]}"#, "1:35", "Patient.name", .wrongKind),
            (#"{"resourceType":"Patient","name":[]}"#, "1:34", "Patient.name", .empty),
            (#"{"resourceType":"Patient","name":[null]}"#, "1:35", "Patient.name", .empty),
            (#"{"resourceType":"Patient","active":null}"#, "1:36", "Patient.active", .empty),
            (#"{"resourceType":"Patient","active":true,"_active":{}}"#, "1:51", "Patient.active", .empty),
            (#"{"resourceType":"Patient","id":"\u0001"}"#, "1:32", "Patient.id", .unwritableCharacter),
            (#"{"resourceType":"Patient","text":{"div":"<p/>"}}"#, "1:41", "Patient.text.div", .notXHTML),
            (#"{"resourceType":"Patient","text":{"div":"a"}}"#, "1:41", "Patient.text.div", .notXHTML),
            (#"{"resourceType":"Patient","contained":[{}]}"#, "1:40", "Patient.contained", .notAResource),
            (
                #"{"resourceType":"Patient","contained":[{"resourceType":"No"}]}"#, "1:40",
                "Patient.contained", .notAResource
            ),
            (#"{"resourceType":"Patient","extension":[{"url":1}]}"#, "1:47", "Patient.extension", .wrongKind),
        ]
    )
    func unwritable(json: String, position: String, path: String, reason: FHIRXMLError.Reason) throws {
        let resource = try AnyResource(parsing: json)
        let error = #expect(throws: FHIRXMLError.self) { try resource.xml() }
        #expect(error?.reason == reason)
        #expect(error?.path == path)
        #expect("\(error?.line ?? 0):\(error?.column ?? 0)" == position)
    }

    @Test("locations of the JSON lead to those of the XML")
    func locations() throws {
        let (patient, locations) = try Patient.parse(
            xml: """
                <Patient xmlns="http://hl7.org/fhir">
                  <active value="true"/>
                  <name><family value="é"/> <given value="A"/> <given id="x" value="B"/>
                    <given value="C"/>
                  </name>
                </Patient>
                """.utf8
        )
        func position(_ value: JSONValue?) -> String {
            value?.location.map { locations.position(of: $0) }.map { "\($0.line):\($0.column)" } ?? ""
        }
        let name = patient.tree["name"]
        #expect(position(patient.tree) == "1:1")
        #expect(position(patient.tree["active"]) == "2:3")
        #expect(position(name?[0]) == "3:3")
        #expect(position(name?[0]?["family"]) == "3:9")
        #expect((0..<3).map { position(name?[0]?["given"]?[$0]) } == ["3:29", "3:48", "4:5"])
        #expect(position(name?[0]?["_given"]?[1]?["id"]) == "3:48")
    }

    @Test("what is nested too deep is not written")
    func deep() throws {
        var value: JSONValue = ["url": "u", "valueString": "a"]
        for _ in 0..<300 { value = ["extension": [value], "url": "u"] }
        let patient = Patient(view: ["resourceType": "Patient", "extension": [value]])
        let error = #expect(throws: FHIRXMLError.self) { try patient.xml() }
        #expect(error?.reason == .tooDeep(limit: 256))
    }

    private static func withoutNarrative(_ resource: AnyResource) -> JSONValue {
        var tree = resource.tree
        tree["text"] = nil
        return tree
    }

    /// Where two values differ first, the order of members included.
    private static func difference(_ a: JSONValue, _ b: JSONValue, at path: String = "") -> String? {
        if let first = a.members, let second = b.members {
            for (one, other) in zip(first, second) {
                guard one.name == other.name else { return "\(path): \(one.name), \(other.name)" }
                if let found = difference(one.value, other.value, at: "\(path).\(one.name)") { return found }
            }
            return first.count == second.count ? nil : path
        }
        if let first = a.elements, let second = b.elements {
            for (index, (one, other)) in zip(first, second).enumerated() {
                if let found = difference(one, other, at: "\(path)[\(index)]") { return found }
            }
            return first.count == second.count ? nil : path
        }
        return a == b ? nil : path
    }
}
