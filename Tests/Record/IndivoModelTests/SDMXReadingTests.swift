import IndivoModel
import IndivoXML
import Testing

@Suite("Reading SDMX")
struct SDMXReadingTests {
    static let night = """
        <Models xmlns="http://indivo.org/vocab/xml/documents#">
          <Model name="SleepNight">
            <Field name="started">2026-11-20T23:10:00Z</Field>
            <Field name="score">0.75</Field>
            <Field name="device_title">Wrist band</Field>
            <Field name="device_system">http://codes.example.org/devices#</Field>
            <Field name="device_identifier">wb-1</Field>
            <Field name="restful">True</Field>
            <Field name="night-of">2026-11-20</Field>
            <Field name="phases"><Models>
              <Model name="SleepPhase"><Field name="kind">deep</Field><Field name="duration_value">90</Field>
                <Field name="duration_unit">min</Field>
                <Field name="interruptions"><Models><Model name="SleepPhase"><Field \
        name="kind">awake</Field></Model></Models></Field>
              </Model>
              <Model name="SleepPhase"><Field name="kind">light</Field></Model>
            </Models></Field>
            <Field name="place"><Model name="SleepPlace"><Field name="name">Home</Field></Model></Field>
          </Model>
        </Models>
        """

    @Test("every kind of field is read: leaves, compounds, relations to one and many")
    func everyKind() throws {
        let night = try SleepNight.read(from: XMLNode(parsing: Self.night))
        #expect(night.started == "2026-11-20T23:10:00Z")
        #expect(night.score == 0.75)
        #expect(
            night.device
                == CodedValue(
                    title: "Wrist band",
                    system: "http://codes.example.org/devices#",
                    identifier: "wb-1"
                )
        )
        #expect(night.restful == true)
        #expect(night.nightOf == "2026-11-20")
        #expect(night.phases.map(\.kind) == ["deep", "light"])
        #expect(night.phases[0].duration == ValueAndUnit("90", "min"))
        #expect(night.phases[0].interruptions.map(\.kind) == ["awake"])
        #expect(night.place?.name == "Home")
        #expect(night.id == nil)
    }

    @Test("a report's model tells its document's id, and its empty fields are none")
    func report() throws {
        let night = try SleepNight.read(
            from: XMLNode(
                parsing: """
                    <Models><Model name="SleepNight" documentId="d-1"><Field name="score"/>\
                    <Field name="device_title"/><Field name="phases"/></Model></Models>
                    """
            )
        )
        #expect(night.id == "d-1")
        #expect(night.score == nil && night.device == nil && night.phases.isEmpty)
    }

    @Test("older names are read, today's name first")
    func olderNames() throws {
        func read(_ fields: String) throws -> SleepNight {
            try SleepNight.read(from: XMLNode(parsing: "<Model name=\"SleepNight\">\(fields)</Model>"))
        }
        #expect(try read("<Field name=\"tracker_title\">a</Field>").device?.title == "a")
        #expect(try read("<Field name=\"tracker_code_title\">b</Field>").device?.title == "b")
        #expect(
            try read("<Field name=\"tracker_title\">a</Field><Field name=\"device_title\">c</Field>").device?
                .title == "c"
        )
        #expect(
            try read("<Field name=\"device_title\"/><Field name=\"tracker_title\">a</Field>").device?.title
                == "a"
        )
    }

    @Test("of a field given twice the last counts")
    func twice() throws {
        let night = try SleepNight.read(
            from: XMLNode(
                parsing:
                    """
                    <Model name=\"SleepNight\"><Field name=\"score\">1</Field><Field \
                    name=\"score\">2</Field></Model>
                    """
            )
        )
        #expect(night.score == 2)
    }

    @Test("a subclass reads what it inherits and what it adds")
    func inheritance() throws {
        let nap = try NapAtWork.read(
            from: XMLNode(
                parsing:
                    """
                    <Model name=\"Nap\"><Field name=\"score\">1</Field><Field \
                    name=\"excuse\">lunch</Field></Model>
                    """
            )
        )
        #expect(nap.score == 1)
        #expect(nap.excuse == "lunch")
    }

    @Test("a value of the wrong type throws with model, property, line and reason")
    func wrongType() throws {
        let xml = """
            <Models>
            <Model name="SleepNight">
            <Field name="started">yesterday</Field>
            </Model></Models>
            """
        let error = try #require(throws: DocumentError.self) {
            try SleepNight.read(from: XMLNode(parsing: xml))
        }
        #expect(error.document == "SleepNight")
        #expect(error.property == "started")
        #expect(error.line == 3)
        #expect(error.description.contains("yesterday"))
    }

    @Test("an error inside a compound inside a related model names the whole path")
    func nestedError() throws {
        let xml =
            "<Model name=\"Medication\"><Field name=\"fulfillments\"><Models><Model name=\"Fill\">"
            + "<Field name=\"provider_tel_1_preferred_p\">maybe</Field></Model></Models></Field></Model>"
        let error = try #require(throws: DocumentError.self) {
            try Medication.read(from: XMLNode(parsing: xml))
        }
        #expect(error.document == "Fill")
        #expect(error.property == "provider.telephone1.isPreferred")
    }

    @Test("another model than the class's is refused, and so is another root")
    func otherModel() throws {
        let error = try #require(throws: DocumentError.self) {
            try SleepPhase.read(from: XMLNode(parsing: Self.night))
        }
        #expect(error.reason == .otherModel("SleepNight"))
        #expect(throws: DocumentError.self) { try SleepNight.read(from: XMLNode(parsing: "<Demographics/>")) }
        #expect(throws: DocumentError.self) { try SDMXDocument(XMLNode(parsing: "<Demographics/>")) }
    }

    @Test("each of several models in a file gets its class, or else is generic")
    func severalModels() throws {
        let file = try SDMXDocument(
            XMLNode(
                parsing: """
                    <Models><Model name="Problem"><Field name="name_title">Backache</Field></Model>
                    <Model name="Mystery"><Field name="a">1</Field><Field name="b"/></Model></Models>
                    """
            )
        )
        #expect(file.models.count == 2)
        #expect((file.models[0] as? Problem)?.name?.title == "Backache")
        let mystery = try #require(file.models[1] as? GenericDocument)
        #expect(mystery.modelName == "Mystery")
        #expect(mystery["a"] == "1")
    }

    @Test("many tasks may read a class for the first time at once")
    func concurrentFirstUse() async throws {
        final class Fresh: IndivoDocument { @Field var value: Int? }
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<64 {
                group.addTask {
                    try Fresh.read(
                        from: XMLNode(
                            parsing: "<Model name=\"Fresh\"><Field name=\"value\">\(number)</Field></Model>"
                        )
                    ).value
                }
            }
            var seen: Set<Int> = []
            for try await value in group { seen.insert(value ?? -1) }
            #expect(seen == Set(0..<64))
        }
    }

    @Test("the base class finds the class by model, by registration and by root element")
    func registeredClass() throws {
        func read(_ text: String) throws -> IndivoDocument {
            try IndivoDocument.read(from: XMLNode(parsing: text))
        }
        let namespace = "http://indivo.org/vocab/xml/documents#"
        let model = "<Model name=\"Medication\"><Field name=\"startDate\">2026-11-21</Field></Model>"
        #expect((try read(model) as? Medication)?.startDate == "2026-11-21")
        #expect(try read("<Models xmlns=\"\(namespace)\">\(model)</Models>") is Medication)
        let unknown = try read(model.replacing("Medication", with: "Unheard")) as? GenericDocument
        #expect(unknown?.modelName == "Unheard" && unknown?["startDate"] == "2026-11-21")
        for type in [Demographics.self, EquipmentDocument.self, ProcedureDocument.self, Annotation.self] {
            guard case .nested(let root, let namespace?) = type.format else { continue }
            #expect(Swift.type(of: try read("<\(root) xmlns=\"\(namespace)\"/>")) == type)
        }
        for text in ["<Equipment/>", "<html/>", "<Models>\(model)\(model)</Models>", "<Models/>"] {
            #expect(throws: DocumentError.self, "\(text)") { try read(text) }
        }
        var problems: [DocumentError] = []
        let lenient = try IndivoDocument.read(
            from: XMLNode(parsing: model.replacing("2026", with: "x")),
            problems: &problems
        )
        #expect(lenient is Medication && problems.count == 1)
    }

    private final class Letter: IndivoDocument {
        override class var format: Format { .nested(root: "letter", namespace: "urn:letters") }
        @Field var text: String?
    }

    @Test("a class of nested XML is found once it is registered")
    func registeredRoot() throws {
        let letter = try XMLNode(parsing: "<letter xmlns=\"urn:letters\"><text>Dear</text></letter>")
        Letter.register()
        #expect((try IndivoDocument.read(from: letter) as? Letter)?.text == "Dear")
    }
}
