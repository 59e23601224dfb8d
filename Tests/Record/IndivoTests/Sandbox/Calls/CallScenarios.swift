import Foundation
import Indivo
import IndivoSandbox
import IndivoTesting
import Testing

/// What an app does with a record, in pieces that together make every call.
struct CallScenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// The names of the calls that it makes, among others.
    let calls: Set<String>
    let run: @Sendable (TestRecord) async throws -> Void

    init(
        _ name: String,
        _ run: @escaping @Sendable (TestRecord) async throws -> Void,
        makes calls: Set<String>
    ) {
        self.name = name
        self.run = run
        self.calls = calls
    }

    var testDescription: String { name }

    static let all = [
        CallScenario(
            "documents",
            documents,
            makes: [
                "record", "record_document_list", "document_create", "record_specific_document",
                "document_carenets",
                "record_document_label", "record_document_meta",
            ]
        ),
        CallScenario(
            "externalIDs",
            externalIDs,
            makes: [
                "document_create_by_ext_id", "record_document_label_ext", "record_document_meta_ext",
            ]
        ),
        CallScenario(
            "versions",
            versions,
            makes: [
                "document_version", "document_version_by_ext_id", "document_versions",
            ]
        ),
        CallScenario("status", status, makes: ["document_set_status", "document_status_history"]),
        CallScenario(
            "relations",
            relations,
            makes: [
                "document_rels", "get_documents_by_rel", "document_create_by_rel",
                "document_create_by_rel_with_ext_id",
            ]
        ),
        CallScenario(
            "appDocuments",
            appDocuments,
            makes: [
                "record_app_document_list", "record_app_document_create",
                "record_app_document_create_or_update_ext",
                "record_app_document_meta_ext", "record_app_document_delete", "record_app_specific_document",
                "record_app_document_label", "record_app_document_meta",
            ]
        ),
        CallScenario(
            "appStorage",
            appStorage,
            makes: [
                "app_document_list", "app_document_create", "app_document_create_or_update_ext",
                "app_document_meta_ext",
                "app_document_delete", "app_specific_document", "app_document_create_or_update",
                "app_document_label",
                "app_document_meta",
            ]
        ),
        CallScenario("demographics", demographics, makes: ["read_demographics", "set_demographics"]),
        CallScenario("reports", reports, makes: ["report_ccr", "generic_list"]),
        CallScenario(
            "minimalReports",
            minimalReports,
            makes: [
                "equipment_list", "measurement_list", "procedure_list", "simple_clinical_notes_list",
            ]
        ),
        CallScenario(
            "audits",
            audits,
            makes: [
                "audit_query", "audit_record_view", "audit_document_view", "audit_function_view",
            ]
        ),
        CallScenario(
            "graphs",
            graphs,
            makes: [
                "smart_allergies", "smart_generic", "smart_allergies_instance", "smart_generic_instance",
            ]
        ),
        CallScenario(
            "messages",
            messages,
            makes: ["record_send_message", "record_message_attach", "record_notify"]
        ),
        CallScenario(
            "account",
            account,
            makes: [
                "account_info", "record_list", "account_inbox", "account_inbox_message",
                "account_message_archive",
                "account_inbox_message_attachment_accept", "account_notifications", "get_user_preferences",
                "set_user_preferences", "delete_user_preferences",
            ]
        ),
        CallScenario(
            "carenets",
            carenets,
            makes: [
                "carenet_record", "read_demographics_carenet", "carenet_document_list", "carenet_document",
                "carenet_document_meta", "carenet_equipment_list", "carenet_measurement_list",
                "carenet_procedure_list",
                "carenet_simple_clinical_notes_list", "carenet_generic_list", "carenet_account_list",
                "carenet_apps_list",
            ]
        ),
        CallScenario(
            "publicCalls",
            publicCalls,
            makes: [
                "get_version", "all_phas", "all_manifests", "pha", "app_manifest", "smart_capabilities",
            ]
        ),
        CallScenario("autonomous", autonomous, makes: ["app_record_list", "autonomous_access_token"]),
        CallScenario("login", login, makes: ["request_token", "exchange_token"]),
    ]

    static func cough() -> Problem {
        Problem {
            $0.name = CodedValue(title: "Cough", system: .snomed, identifier: "49727002")
            $0.startDate = "2026-11-20T00:00:00Z"
        }
    }

    static func pacemaker() -> EquipmentDocument {
        EquipmentDocument {
            $0.name = "Pacemaker"
            $0.dateStarted = "2026-01-05"
            $0.deviceID = "SN-1"
        }
    }

    // MARK: Documents

    @Sendable
    static func documents(_ place: TestRecord) async throws {
        let information = try await place.record.information()
        #expect(information.id == place.record.id)

        let before = try await place.record.documents().total() ?? 0
        let scan = FileDocument(
            FileContent(Data([0x25, 0x50, 0x44, 0x46, 0, 1]), contentType: "application/pdf")
        )
        #expect(scan.state == .new)
        try await place.record.add(scan, externalID: .none)
        #expect(scan.state == .pushed && scan.metadata?.size == 6)
        let id = try #require(scan.id)

        let fetched = try await place.record.document(id)
        #expect(fetched.content?.data == scan.content?.data)
        #expect(fetched.content?.contentType == "application/pdf")
        #expect(fetched.metadata?.digest == scan.metadata?.digest)

        try await fetched.setLabel("a scan")
        #expect(fetched.metadata?.label == "a scan")
        #expect(try await scan.refreshMetadata().label == "a scan")
        #expect(try await fetched.carenets().isEmpty)

        var listed: [FileDocument] = []
        for try await document in place.record.documents(DocumentQuery(pageSize: 3)) {
            listed.append(document)
        }
        #expect(listed.count == before + 1)
        #expect(listed.first?.id == id, "the newest first")
        #expect(listed.first?.metadata?.label == "a scan")
    }

    @Sendable
    static func externalIDs(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem, externalID: "visit-7")
        let metadata = try await place.record.documentMetadata(externalID: "visit-7")
        #expect(metadata?.id == problem.id)
        #expect(try await place.record.documentMetadata(externalID: "visit-8") == nil)
        let labelled = try await place.record.setLabel("seen on Friday", externalID: "visit-7")
        #expect(labelled.id == problem.id && labelled.label == "seen on Friday")
        let file = try #require(try await place.record.document(externalID: "visit-7"))
        #expect(try file.read(as: Problem.self) == problem)
    }

    @Sendable
    static func versions(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        let first = try #require(problem.id)
        problem.notes = "at night"
        #expect(problem.state == .changed)
        try await problem.replace(externalID: "night")
        #expect(problem.state == .pushed)
        let second = try #require(problem.id)
        problem.notes = "by day"
        try await problem.replace(externalID: .none)
        let third = try #require(problem.id)
        #expect(try await problem.versions().map(\.id) == [first, second, third])
        #expect(try await problem.versions(status: .void).isEmpty)
        #expect(try await place.record.documentMetadata(externalID: "night")?.id == second)

        let file = FileDocument(FileContent(text: "one"))
        try await place.record.add(file)
        file.content = FileContent(text: "two")
        #expect(file.state == .changed)
        try await file.replace()
        let id = try #require(file.id)
        #expect(try await place.record.document(id).content?.text == "two")
    }

    @Sendable
    static func status(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        try await problem.setStatus(.archived, reason: "over")
        try await problem.setStatus(.void, reason: "another patient's")
        let history = try await problem.statusHistory()
        #expect(history.map(\.status) == [.archived, .void])
        #expect(history.map(\.reason) == ["over", "another patient's"])
        #expect(try await problem.refreshMetadata().status == .void)
        let void = try await place.record.documents(DocumentQuery(status: .void)).all()
        #expect(void.map(\.id) == [problem.id])
    }

    @Sendable
    static func relations(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        let first = Annotation { $0.text = "Came back from a journey." }
        try await place.record.add(first)
        try await problem.relate(to: first, as: .annotation)
        let second = Annotation { $0.text = "Smokes." }
        try await problem.addRelated(second, as: .annotation)
        let third = FileDocument(FileContent(text: "a tape of it"))
        try await problem.addRelated(third, as: .attachment, externalID: .none)
        let notes = try await problem.related(as: .annotation)
        #expect(Set(notes.map(\.id)) == [first.id, second.id])
        for note in notes { try await note.fetchContent() }
        #expect(
            Set(try notes.map { try $0.read(as: Annotation.self).text }) == [
                "Came back from a journey.", "Smokes.",
            ]
        )
        #expect(try await problem.related(as: .attachment).map(\.id) == [third.id])
        #expect(try await problem.related(as: .answers).isEmpty)
        let relations = try await problem.refreshMetadata().relatesTo?.all ?? []
        #expect(relations.first { $0.type == DocumentRelation.annotation.uri }?.count == 2)
    }

    // MARK: What apps keep for themselves

    private static func use(_ storage: AppDocuments) async throws {
        let first = try await storage.add(FileContent(text: "<a/>", contentType: "application/xml"))
        let second = try await storage.put(
            FileContent(text: "{}", contentType: "application/json"),
            externalID: "settings"
        )
        let again = try await storage.put(
            FileContent(text: "{\"a\":1}", contentType: "application/json"),
            externalID: "settings"
        )
        #expect(again.id == second.id, "overwritten in place")
        #expect(try await storage.document(externalID: "settings")?.content().text == "{\"a\":1}")
        #expect(try await storage.document(externalID: "nothing") == nil)
        try await first.setLabel("notes")
        #expect(try await storage.document(first.id).metadata?.label == "notes")
        #expect(try await first.refreshMetadata().size == 4)
        #expect(Set(try await storage.list().all().map(\.id)) == [first.id, second.id])
        try await first.delete()
        #expect(try await storage.list().all().map(\.id) == [second.id])
        let error = await #expect(throws: IndivoError.self) { try await first.content() }
        #expect(error?.status == 404)
    }

    @Sendable
    static func appDocuments(_ place: TestRecord) async throws {
        try await use(place.record.appDocuments)
    }

    @Sendable
    static func appStorage(_ place: TestRecord) async throws {
        try await use(place.server.appDocuments)
        let document = try await place.server.appDocuments.add(FileContent(text: "one"))
        try await document.replace(with: FileContent(text: "two"))
        #expect(try await document.content().text == "two")
        try await document.delete()
        let others = try await place.server.appDocuments.list().all().map(\.id)
        let error = await #expect(throws: IndivoError.self) {
            try await document.replace(with: FileContent(text: "three"))
        }
        #expect(error?.reason == .conflict(.deleted))
        #expect(try await place.server.appDocuments.list().all().map(\.id) == others, "nothing is left of it")
    }

    // MARK: The patient

    @Sendable
    static func demographics(_ place: TestRecord) async throws {
        let demographics = try await place.record.demographics()
        #expect(demographics.name?.familyName?.isEmpty == false)
        #expect(demographics.telephones.first?.isPreferred == true)
        demographics.preferredLanguage = "pt"
        demographics.telephones.append(.init())
        demographics.telephones[1].number = "555-0199"
        try await place.record.setDemographics(demographics)
        let again = try await place.record.demographics()
        #expect(again == demographics)
        #expect(again.telephones.map(\.isPreferred) == [true, false], "not left to the server")
        #expect(again.id == demographics.id)
        #expect(try await place.record.information().demographics?.documentID == again.id)
        #expect(try await !place.record.demographicsGraph().resources().isEmpty)
    }

    // MARK: Reports

    @Sendable
    static func reports(_ place: TestRecord) async throws {
        let xml = try await place.record.reports(of: Medication.self).all()
        let json = try await place.record.reports(of: Medication.self, matching: ReportQuery().format(.json))
            .all()
        #expect(!xml.isEmpty)
        #expect(xml == json && xml.map(\.id) == json.map(\.id), "whichever format the server gives")
        var paged: [Medication] = []
        for try await medication in place.record.reports(
            of: Medication.self,
            matching: ReportQuery().paged(by: 2)
        ) {
            paged.append(medication)
        }
        #expect(paged == xml)
        let ccr = try await place.record.ccr()
        #expect(try ccr.xml().name == "ContinuityOfCareRecord")
    }

    @Sendable
    static func minimalReports(_ place: TestRecord) async throws {
        let device = pacemaker()
        try await place.record.add(device)
        let devices = place.record.equipment(matching: ReportQuery().filter("name", equals: "Pacemaker"))
        #expect(try await devices.total() == 1)
        let found = try #require(try await devices.all().first)
        #expect(found.id == device.id && found.metadata?.digest == device.metadata?.digest)
        #expect(found.deviceID == nil, "the report leaves it out")
        found.vendor = "Acme"
        try await found.replace()
        let id = try #require(found.id)
        let whole = try await place.record.document(id, as: EquipmentDocument.self)
        #expect(whole.vendor == "Acme" && whole.deviceID == "SN-1", "nothing that is stored is lost")

        try await place.record.add(
            ProcedureDocument {
                $0.name = CodedText("Appendectomy")
                $0.datePerformed = "2026-02-03T10:00:00Z"
                $0.provider = CareProvider(name: "Dr. Who", institution: "")
            }
        )
        #expect(
            try await place.record.procedures().all().first?.provider?.name == "Dr. Who",
            "the newest first"
        )
        try await place.record.add(
            SimpleClinicalNoteDocument {
                $0.dateOfVisit = "2026-02-04T09:00:00Z"
                var signature = SimpleClinicalNoteDocument.Signature()
                signature.at = "2026-02-04T09:30:00Z"
                signature.provider = CareProvider(name: "Dr. Who", institution: "")
                $0.signatures = [signature]
                $0.chiefComplaint = "none"
            }
        )
        #expect(try await place.record.simpleClinicalNotes().all().first?.chiefComplaint == "none")
        #expect(try await place.record.measurements("WEIGHT").all().isEmpty)
        for code in ["Body weight", "50%", "say \"x\"", "a[b]c\\d", "{record}<^>`"] {
            let measurement = try SDMXDocument(
                XMLNode(
                    parsing: """
                        <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Measurement">
                        <Field name="type">\(code.replacing("<", with: "&lt;"))</Field><Field \
                        name="value">74.8</Field>
                        <Field name="unit">kg</Field><Field \
                        name="datetime">2026-11-20T08:00:00Z</Field></Model></Models>
                        """
                )
            )
            try await place.record.add(measurement, externalID: .chosen("of|\(code)"))
            #expect(try await place.record.measurements(code).all().map(\.type) == [code])
            #expect(try await place.record.documentMetadata(externalID: "of|\(code)") != nil)
        }
    }

    @Sendable
    static func audits(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        let id = try #require(problem.id)
        try await problem.setStatus(.archived, reason: "over")
        let query = ReportQuery().filter("function_name", equals: "document_set_status")
        let list = place.record.audit(matching: query)
        #expect(try await list.all().map(\.resources?.documentID) == [id])
        #expect(try await list.total() == 1)
        let counts = try await place.record.aggregate(
            AggregateQuery(.count, of: "date", by: .field("function")),
            over: .audit
        )
        #expect(counts.first { $0.group == "document_set_status" }?.number == 1)

        // What servers keep for old apps.
        let path = "/records/\(place.record.id)/audits/"
        for path in [
            path, path + "documents/\(id)/", path + "documents/\(id)/functions/document_set_status/",
        ] {
            let reports = try await place.record.call(.get, path, query: ["limit": "1"]).xml()
            #expect(reports.name == "Reports" && reports.children(named: "Report").count == 1)
        }
    }

    @Sendable
    static func graphs(_ place: TestRecord) async throws {
        let problems = try await place.record.smart(.problems)
        let facts = try problems.factIDs(of: .problems)
        #expect(try await facts.count == place.record.reports(of: Problem.self).all().count)
        let one = try await place.record.smart(.problems, fact: try #require(facts.first))
        #expect(try one.factIDs(of: .problems) == [facts[0]])
        let allergies = try await place.record.smart(.allergies)
        let allergy = try #require(try allergies.factIDs(of: .allergies).first)
        #expect(try await place.record.smart(.allergies, fact: allergy).factIDs(of: .allergies) == [allergy])
    }

    // MARK: People

    @Sendable
    static func messages(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        var message = OutgoingMessage(
            subject: "Cough",
            body: "Look at *this*.",
            bodyType: .markdown,
            severity: .high
        )
        try message.attach(pacemaker())
        try message.attach(Annotation { $0.text = "a remark" })
        try await place.record.send(message)
        let again = message
        await #expect(throws: IndivoError.self, "a server takes each message once") {
            try await place.record.send(again)
        }
        try await place.record.notify("There is a cough.", about: problem, appURL: "cough")
        let account = place.record.account(TestRecord.account)
        let received = try #require(try await account.inbox().first)
        #expect(received.subject == "Cough" && received.severity == .high)
        #expect(received.attachments.map(\.number) == [1, 2])
        #expect(try await account.notifications().map(\.content) == ["There is a cough."])
        #expect(try await account.notifications().map(\.document?.id) == [problem.id])
    }

    @Sendable
    static func account(_ place: TestRecord) async throws {
        let account = place.record.account(TestRecord.account)
        #expect(try await account.information().id == TestRecord.account)
        #expect(try await account.records().contains { $0.id == place.record.id })

        var message = OutgoingMessage(subject: "A device", body: "")
        try message.attach(pacemaker())
        try await place.record.send(message)
        let id = try #require(try await account.inbox().first?.id)
        let received = try await account.message(id)
        try await account.acceptAttachment(try #require(received.attachments.first), of: received)
        let accepted = try await account.message(id)
        #expect(accepted.attachments.first?.documentID?.isEmpty == false)
        #expect(try await place.record.equipment().all().first?.name == "Pacemaker")
        try await account.archive(received)
        #expect(try await account.inbox().isEmpty)
        #expect(try await account.inbox(includingArchived: true).map(\.id) == [id])
        #expect(try await account.notifications().isEmpty)

        #expect(try await account.preferences().data.isEmpty)
        try await account.setPreferences(
            FileContent(text: "{\"unit\":\"kg\"}", contentType: "application/json")
        )
        #expect(try await account.preferences().text == "{\"unit\":\"kg\"}")
        try await account.deletePreferences()
        #expect(try await account.preferences().data.isEmpty)
    }

    // MARK: Other ways in

    @Sendable
    static func carenets(_ place: TestRecord) async throws {
        let problem = cough()
        try await place.record.add(problem)
        let device = pacemaker()
        try await place.record.add(device)
        _ = try await place.sharing(device)
        let carenet = try await place.sharing(problem)
        #expect(try await problem.carenets().map(\.id) == [carenet.id])
        for carenet in [carenet, try await place.tokenBound(carenet)] {
            #expect(Set(try await carenet.documents().all().map(\.id)) == [problem.id, device.id])
            let id = try #require(problem.id)
            #expect(try await carenet.metadata(of: id).digest == problem.metadata?.digest)
            #expect(try await carenet.document(id).read(as: Problem.self) == problem)
            #expect(try await carenet.reports(of: Problem.self).all() == [problem])
            #expect(try await carenet.equipment().all().map(\.name) == ["Pacemaker"])
            #expect(try await carenet.procedures().all().isEmpty)
            #expect(try await carenet.simpleClinicalNotes().all().isEmpty)
            #expect(try await carenet.measurements("WEIGHT").all().isEmpty)
            let counts = try await carenet.aggregate(
                AggregateQuery(.count, of: "startDate", by: .year("startDate")),
                over: .model(Problem.self)
            )
            #expect(counts.compactMap(\.number) == [1])
        }
        let bound = try await place.tokenBound(carenet)
        let unshared = await #expect(throws: IndivoError.self) { try await carenet.demographics() }
        #expect(unshared?.description.contains("may not be shared in this carenet") == true)
        _ = try await place.sharing(place.record.demographics())
        for carenet in [carenet, bound] {
            #expect(try await carenet.demographics().name?.familyName?.isEmpty == false)
        }
        #expect(try await bound.information().id == place.record.id)
        _ = try await bound.accounts()
        #expect(try await bound.apps().map(\.id) == [SandboxApp.demo.id])
        let error = await #expect(throws: IndivoError.self) { try await carenet.accounts() }
        #expect(error?.status == 403, "a token for the record may not")
    }

    @Sendable
    static func publicCalls(_ place: TestRecord) async throws {
        #expect(try await place.server.version() == "2.0.0")
        #expect(try await place.server.apps().contains { $0.id == SandboxApp.demo.id })
        #expect(try await place.server.manifests().contains { $0.id == SandboxApp.demo.id })
        #expect(try await place.server.app(SandboxApp.demo.id).name == SandboxApp.demo.name)
        #expect(try await place.server.manifest(ofApp: SandboxApp.demo.id).mode == .ui)
        #expect(try await !place.server.capabilities().isEmpty)
    }

    @Sendable
    static func autonomous(_ place: TestRecord) async throws {
        try await place.sandbox.enable(app: "robot@apps.example.org", onRecord: place.record.id)
        let robot = TestRecord.server(
            of: place.sandbox,
            app: "robot@apps.example.org",
            secret: "robot-secret",
            place.transport
        )
        #expect(try await robot.autonomousRecords().map(\.id) == [place.record.id])
        let record = try await robot.autonomousRecord(place.record.id)
        let problem = cough()
        try await record.add(problem)
        #expect(problem.metadata?.creator?.id == "robot@apps.example.org")
    }

    @Sendable
    static func login(_ place: TestRecord) async throws {
        try await SandboxServer.run(transport: place.transport) { other in
            _ = try await other.record.information()
        }
    }
}
