import Foundation
import Indivo
import Testing

extension CallReplay {
    /// The calls that are no reports.
    func runOther() async throws {
        switch call.name {
        case "record":
            let information = try await record.information()
            try check(information)
        case "carenet_record": try check(await carenet.information())
        case "smart_allergies", "smart_generic": try check(await record.smart(smartKind))
        case "smart_allergies_instance", "smart_generic_instance":
            try check(await record.smart(smartKind, fact: variable("fact")))
        case "report_ccr":
            let ccr = try await record.ccr()
            #expect(ccr.data == exchange.responseBody, "\(exchange)")
            #expect(try ccr.xml().name == "ContinuityOfCareRecord", "\(exchange)")
        case "set_demographics":
            guard let root = try? exchange.content.xml() else { throw Inexpressible("the body is no XML") }
            let demographics = try Demographics.read(from: root)
            try await record.setDemographics(demographics, validation: .none)
            try expectation.check(demographics.metadata, expectation.root())
            #expect(
                demographics.id == demographics.metadata?.id && demographics.state == .pushed,
                "\(exchange)"
            )
        case let name where name.hasPrefix("carenet_"): try await runCarenet()
        case let name where name.contains("app_") && call.path.contains("/documents/"):
            try await runAppDocuments()
        case let name where name.contains("message") || name.contains("notif") || name.contains("inbox"):
            try await runMessages()
        case _ where call.path.hasPrefix("/accounts/"): try await runAccount()
        case _ where call.path.contains("/documents/"): try await runDocuments()
        default: try await runServer()
        }
    }

    private func check(_ information: RecordInformation) throws {
        let root = try expectation.root()
        #expect(information.id == root.attr("id") && information.label == root.attr("label"), "\(exchange)")
        #expect(
            information.demographics?.documentID ?? "" == root.child(named: "demographics")?.attr(
                "document_id"
            ) ?? "",
            "\(exchange)"
        )
        #expect(information.created?.at?.lexical == root.child(named: "created")?.attr("at"), "\(exchange)")
    }

    private func checkContent(_ content: FileContent) {
        #expect(content.data == exchange.responseBody, "\(exchange)")
        #expect(content.contentType == exchange.contentType, "\(exchange)")
    }

    /// Whether the recorded body went out as it was.
    private func checkSentBody() {
        #expect(transport.sent.last?.body ?? Data() == exchange.requestBody ?? Data(), "\(exchange)")
    }

    // MARK: Documents

    private func runDocuments() async throws {
        switch call.name {
        case "record_document_list":
            let page = try await firstPage(record.documents(documentQuery()))
            try expectation.check(page.elements.map(\.metadata), total: page.total)
            #expect(
                page.elements.allSatisfy { $0.state == .pushed && $0.record?.id == record.id },
                "\(exchange)"
            )
        case "record_document_meta_ext":
            guard let metadata = try await record.documentMetadata(externalID: variable("external")) else {
                #expect(exchange.status == 404, "\(exchange)")
                return
            }
            try expectation.checkStored(metadata, expectation.root())
        case "record_document_meta":
            try expectation.checkStored(await document.refreshMetadata(), expectation.root())
        case "record_specific_document": checkContent(try await document.fetchContent())
        case "document_create", "document_create_by_ext_id", "document_create_by_rel",
            "document_create_by_rel_with_ext_id":
            try await runNewDocument()
        case "document_version", "document_version_by_ext_id":
            let document = try document
            document.content = exchange.content
            #expect(document.state == .changed)
            let old = document.id
            if call.name == "document_version" {
                try await document.replace(externalID: .none)
            } else {
                try await document.replace(externalID: .chosen(variable("external")))
            }
            checkSentBody()
            try expectation.checkStored(document.metadata, expectation.root())
            #expect(document.state == .pushed && document.id != old && !document.isOutdated, "\(exchange)")
        default: try await runOtherVerbs()
        }
    }

    private func runNewDocument() async throws {
        let document = newDocument
        switch call.name {
        case "document_create": try await record.add(document, externalID: .none)
        case "document_create_by_ext_id":
            try await record.add(document, externalID: .chosen(variable("external")))
        case "document_create_by_rel":
            try await self.document.addRelated(document, as: relation, externalID: .none)
        default:
            try await self.document.addRelated(
                document,
                as: relation,
                externalID: .chosen(variable("external"))
            )
        }
        checkSentBody()
        try expectation.checkStored(document.metadata, expectation.root())
        #expect(document.state == .pushed && document.record?.id == record.id, "\(exchange)")
    }

    private func runOtherVerbs() async throws {
        switch call.name {
        case "record_document_label", "record_document_label_ext":
            try checkIsPlainText()
            let text = exchange.content.text
            let metadata: DocumentMetadata?
            if call.name == "record_document_label" {
                let document = try document
                try await document.setLabel(text)
                metadata = document.metadata
            } else {
                metadata = try await record.setLabel(text, externalID: variable("external"))
            }
            try expectation.check([metadata], total: nil)
            #expect(metadata?.label ?? "" == text, "\(exchange)")
        case "document_set_status":
            try checkIsForm()
            guard let status = DocumentStatus(rawValue: exchange.form["status"] ?? ""),
                exchange.form["reason"] != nil
            else {
                throw Inexpressible("a status or reason that there is not")
            }
            let document = try document
            try await document.setStatus(status, reason: exchange.form["reason"] ?? "")
            checkForm()
        case "document_status_history":
            let changes = try await document.statusHistory()
            let elements = try expectation.root().children(named: "DocumentStatus")
            #expect(Set(changes.map { $0.at?.lexical }) == Set(elements.map { $0.attr("at") }), "\(exchange)")
            #expect(
                changes.map { $0.at?.date ?? .distantPast }
                    == changes.map { $0.at?.date ?? .distantPast }.sorted()
            )
            for change in changes {
                let element = elements.first { $0.attr("at") == change.at?.lexical }
                #expect(change.status?.rawValue == element?.attr("status"), "\(exchange)")
                #expect(change.reason == element?.child(named: "reason")?.text(), "\(exchange)")
                #expect(change.by == element?.attr("by"), "\(exchange)")
            }
        case "document_versions":
            let query = try documentQuery()
            guard query == DocumentQuery(status: query.status) else {
                throw Inexpressible("versions come all at once")
            }
            let versions = try await document.versions(status: query.status)
            let ids = try expectation.root().children(named: "Document").map { $0.attr("id") ?? "" }
            #expect(Set(versions.map(\.id)) == Set(ids) && versions.count == ids.count, "\(exchange)")
            let times = versions.compactMap { $0.createdAt?.date }
            #expect(times == times.sorted(), "\(exchange)")
        case "document_carenets":
            let carenets = try await document.carenets()
            let elements = try expectation.root().children(named: "Carenet")
            #expect(carenets.map(\.id) == elements.map { $0.attr("id") ?? "" }, "\(exchange)")
            #expect(carenets.map(\.name) == elements.map { $0.attr("name") }, "\(exchange)")
        case "document_rels":
            try await document.relate(to: FileDocument(id: variable("other"), in: record), as: relation)
        case "get_documents_by_rel":
            let query = try documentQuery()
            guard query == DocumentQuery(status: query.status) else {
                throw Inexpressible("relations come all at once")
            }
            let related = try await document.related(as: relation, status: query.status)
            var seen: Set<String> = []
            let elements = try expectation.root().children(named: "Document").filter {
                seen.insert($0.attr("id") ?? "").inserted
            }
            #expect(related.count == elements.count, "\(exchange)")
            for (document, element) in zip(related, elements) {
                try expectation.checkStored(document.metadata, element)
            }
        default: throw Inexpressible("there is no method")
        }
    }

    private func checkIsForm() throws {
        guard exchange.content.contentType == FormParameters.contentType else {
            throw Inexpressible("the body is no form")
        }
    }

    private func checkIsPlainText() throws {
        guard exchange.content.contentType == "text/plain" else {
            throw Inexpressible("the label is no plain text")
        }
    }

    /// Whether everything in the recorded form went out again.
    private func checkForm() {
        let sent = FormParameters(decoding: transport.sent.last?.body ?? Data())
        for parameter in exchange.form {
            #expect(sent[parameter.name] == parameter.value, "\(exchange): \(parameter.name)")
        }
    }

    // MARK: What apps keep

    private func runAppDocuments() async throws {
        switch call.name {
        case "record_app_document_list", "app_document_list":
            let page = try await firstPage(storage.list(documentQuery()))
            try expectation.check(page.elements.map(\.metadata), total: page.total)
        case "record_app_document_create", "app_document_create":
            try expectation.checkStored(await storage.add(exchange.content).metadata, expectation.root())
            checkSentBody()
        case "record_app_document_create_or_update_ext", "app_document_create_or_update_ext":
            let document = try await storage.put(exchange.content, externalID: variable("external"))
            try expectation.checkStored(document.metadata, expectation.root())
            checkSentBody()
        case "record_app_document_meta_ext", "app_document_meta_ext":
            guard let document = try await storage.document(externalID: variable("external")) else {
                #expect(exchange.status == 404, "\(exchange)")
                return
            }
            try expectation.checkStored(document.metadata, expectation.root())
        case "record_app_document_meta", "app_document_meta":
            try expectation.checkStored(
                await storage.document(variable("document")).metadata,
                expectation.root()
            )
        case "record_app_specific_document", "app_specific_document":
            checkContent(try await appDocument.content())
        case "record_app_document_delete", "app_document_delete": try await appDocument.delete()
        case "record_app_document_label", "app_document_label":
            let document = try appDocument
            try await document.setLabel(exchange.content.text)
            try expectation.check([document.metadata], total: nil)
        case "app_document_create_or_update":
            let document = try appDocument
            if exchange.status == 200, try expectation.root().attr("id") != document.id {
                // The server made another document of it, which the library does not take for a success.
                let error = await #expect(throws: IndivoError.self) {
                    try await document.replace(with: exchange.content)
                }
                #expect(error?.call == call.name && error?.isBeforeSending == false, "\(exchange)")
                return
            }
            try await document.replace(with: exchange.content)
            try expectation.checkStored(document.metadata, expectation.root())
        default: throw Inexpressible("there is no method")
        }
    }

    // MARK: People

    private func runMessages() async throws {
        switch call.name {
        case "record_send_message":
            try checkIsForm()
            guard
                let bodyType = OutgoingMessage.BodyType(rawValue: exchange.form["body_type"] ?? "plaintext"),
                let severity = OutgoingMessage.Severity(rawValue: exchange.form["severity"] ?? "low"),
                let count = Int(exchange.form["num_attachments"] ?? "0")
            else { throw Inexpressible("a message cannot be so") }
            try await record.send(
                OutgoingMessage(
                    subject: exchange.form["subject"] ?? "",
                    body: exchange.form["body"] ?? "",
                    bodyType: bodyType,
                    severity: severity,
                    attachments: Array(
                        repeating: FileContent(text: "<a/>", contentType: "application/xml"),
                        count: count
                    ),
                    id: variable("message")
                )
            )
            // Attachments are sent after the message.
            #expect(transport.sent.count == 1, "\(exchange)")
            checkForm()
        case "record_message_attach":
            guard let number = Int(try variable("number")) else { throw Inexpressible("the number is none") }
            let message = OutgoingMessage(
                subject: "",
                body: "",
                attachments: Array(repeating: exchange.content, count: number),
                id: try variable("message")
            )
            try await record.attach(exchange.content, to: message, number: number)
            checkSentBody()
        case "record_notify":
            try checkIsForm()
            let document = exchange.form["document_id"].map { FileDocument(id: $0, in: record) }
            try await record.notify(
                exchange.form["content"] ?? "",
                about: document,
                appURL: exchange.form["app_url"]
            )
            checkForm()
        case "account_inbox":
            guard exchange.query.allSatisfy({ $0.name == "include_archive" }) else {
                throw Inexpressible("an order")
            }
            let messages = try await account.inbox(includingArchived: !exchange.query.isEmpty)
            let elements = Array(try expectation.root().children(named: "Message"))
            #expect(messages.count == elements.count, "\(exchange)")
            for (message, element) in zip(messages, elements) { check(message, element) }
        case "account_inbox_message":
            let message = try await account.message(variable("message"))
            let root = try expectation.root()
            check(message, root)
            #expect(message.body == root.child(named: "body")?.text(), "\(exchange)")
        case "account_message_archive":
            var message = Message()
            message.id = try variable("message")
            try await account.archive(message)
        case "account_inbox_message_attachment_accept":
            var message = Message()
            message.id = try variable("message")
            var attachment = Message.Attachment()
            attachment.number = Int(try variable("number"))
            try await account.acceptAttachment(attachment, of: message)
        case "account_notifications":
            let notifications = try await account.notifications()
            let elements = Array(try expectation.root().children(named: "Notification"))
            #expect(notifications.map(\.id) == elements.map { $0.attr("id") ?? "" }, "\(exchange)")
            #expect(
                notifications.map(\.content) == elements.map { $0.child(named: "content")?.text() },
                "\(exchange)"
            )
            #expect(
                notifications.map { $0.document?.id ?? "" }
                    == elements.map { $0.child(named: "document")?.attr("id") ?? "" },
                "\(exchange)"
            )
        default: throw Inexpressible("there is no method")
        }
    }

    private func check(_ message: Message, _ element: XMLNode) {
        #expect(message.id == element.attr("id"), "\(exchange)")
        #expect(message.subject == element.child(named: "subject")?.text(), "\(exchange)")
        #expect(message.sender == element.child(named: "sender")?.text(), "\(exchange)")
        #expect(message.severity?.name == element.child(named: "severity")?.text(), "\(exchange)")
        #expect(message.receivedAt?.lexical == element.child(named: "received_at")?.text(), "\(exchange)")
        #expect(
            message.attachments.map { $0.number.map(String.init) }
                == element.children(named: "attachment").map { $0.attr("num") },
            "\(exchange)"
        )
    }

    private func runAccount() async throws {
        switch call.name {
        case "account_info":
            let account = try await account.information()
            let root = try expectation.root()
            #expect(
                account.id == root.attr("id") && account.fullName == root.child(named: "fullName")?.text(),
                "\(exchange)"
            )
            #expect(account.state?.rawValue == root.child(named: "state")?.text(), "\(exchange)")
        case "record_list": try check(await account.records())
        case "get_user_preferences": checkContent(try await account.preferences())
        case "set_user_preferences":
            try expectation.checkStored(await account.setPreferences(exchange.content), expectation.root())
            checkSentBody()
        case "delete_user_preferences": try await account.deletePreferences()
        default: throw Inexpressible("there is no method")
        }
    }

    private func check(_ records: [Account.Record]) throws {
        let elements = try expectation.root().children(named: "Record")
        #expect(records.map(\.id) == elements.map { $0.attr("id") ?? "" }, "\(exchange)")
        #expect(records.map(\.label) == elements.map { $0.attr("label") ?? "" }, "\(exchange)")
        #expect(records.map(\.carenetID) == elements.map { $0.attr("carenet_id") }, "\(exchange)")
    }

    // MARK: Carenets, apps, the server

    private func runCarenet() async throws {
        switch call.name {
        case "carenet_document_list":
            guard exchange.query.isEmpty else { throw Inexpressible("a carenet's list has no query") }
            let page = try await firstPage(carenet.documents())
            try expectation.check(page.elements, total: page.total)
        case "carenet_document":
            var metadata = DocumentMetadata()
            metadata.id = try variable("document")
            checkContent(try await carenet.content(of: metadata))
        case "carenet_document_meta":
            try expectation.checkStored(await carenet.metadata(of: variable("document")), expectation.root())
        case "carenet_account_list":
            let accounts = try await carenet.accounts()
            let elements = try expectation.root().children(named: "CarenetAccount")
            #expect(accounts.map(\.id) == elements.map { $0.attr("id") ?? "" }, "\(exchange)")
        case "carenet_apps_list": try check(await carenet.apps())
        default: throw Inexpressible("there is no method")
        }
    }

    private func runServer() async throws {
        switch call.name {
        case "get_version":
            #expect(try await server.version() == String(decoding: exchange.responseBody, as: UTF8.self))
        case "all_phas": try check(await server.apps())
        case "all_manifests": try check(await server.manifests())
        case "pha": try check([await server.app(variable("app"))])
        case "app_manifest": try check([await server.manifest(ofApp: variable("app"))])
        case "smart_capabilities":
            let capabilities = try await server.capabilities()
            let json =
                try JSONSerialization.jsonObject(with: exchange.responseBody) as? [String: [String: [String]]]
            #expect(capabilities == json?.mapValues { $0["methods"] ?? [] }, "\(exchange)")
        case "app_record_list": try check(await server.autonomousRecords())
        case "autonomous_access_token":
            let record = try await server.autonomousRecord(variable("record"))
            let form = FormParameters(decoding: exchange.responseBody)
            #expect(
                record.token.value == form["oauth_token"] && record.id == form["xoauth_indivo_record_id"],
                "\(exchange)"
            )
        default: throw Inexpressible("there is no method")
        }
    }

    private func check(_ apps: [AppManifest]) throws {
        let json = try JSONSerialization.jsonObject(with: exchange.responseBody)
        let items = json as? [[String: Any]] ?? [json as? [String: Any] ?? [:]]
        #expect(apps.map(\.id) == items.map { $0["id"] as? String ?? "" }, "\(exchange)")
        #expect(apps.map(\.name) == items.map { $0["name"] as? String }, "\(exchange)")
        #expect(apps.map { $0.mode?.rawValue } == items.map { $0["mode"] as? String }, "\(exchange)")
    }
}
