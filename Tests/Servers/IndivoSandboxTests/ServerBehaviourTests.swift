import Foundation
import IndivoSandbox
import OAuth1
import Testing

/// What a real server was seen to do that nobody would guess.
@Suite("The oddities of the real server")
struct ServerBehaviourTests {
    private typealias Case = ServerCase

    private static let form = FormParameters.contentType
    private static let note = ServerCase.note

    @Test("collections end in a slash and single things do not; the other form is not there")
    func slashes() async throws {
        try await checkAnswers([
            Case("{R}/documents", 404), Case("{R}/reports/Problem", 404),
            Case("{R}/documents/{D}/versions", 404),
            Case("{R}/documents/{D}/rels/annotation", 404), Case("{R}/audits/query", 404),
            Case("{R}/problems", 404),
            Case("{R}/", 404), Case("{R}/demographics/", 404), Case("{R}/documents/{D}/meta/", 404),
            Case("{R}/documents/{D}/status-history/", 404), Case("{R}/reports/experimental/ccr/", 404),
            Case("PUT", "{R}/documents/{D}/label/", type: "text/plain", "x", 404),
            Case("POST", "{R}/documents/{D}/replace/", type: "application/xml", Self.note, 404),
            // Not a wrong slash but a wrong method: lists of facts are addressed so.
            Case("POST", "{R}/notify/", type: Self.form, "content=x", 405),
        ])
    }

    @Test("a record answers any method; other calls tell which they take")
    func methods() async throws {
        try await checkAnswers([
            Case("POST", "{R}", 200, "<Record id="), Case("DELETE", "{R}", 200, "<Record id="),
            Case("POST", "{R}/documents/external/{A}/e1", type: "application/xml", Self.note, 405),
            Case("DELETE", "{R}/documents/{D}", 405), Case("DELETE", "{R}/documents/", 403),
            Case("POST", "{R}/documents/{D}/label", type: "text/plain", "x", 405),
            Case("PUT", "{R}/documents/{D}/replace", type: "application/xml", Self.note, 405),
            Case("POST", "{R}/documents/{D}/rels/annotation/{D}", 405),
            Case("{R}/apps/{A}/documents/external/x", 405), Case("POST", "{R}/demographics", 405),
        ])
    }

    @Test("the type of a body is taken literally, and decides what becomes of it")
    func contentTypes() async throws {
        let problem = """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Problem">\
            <Field name="name_title">x</Field></Model></Models>
            """
        try await checkAnswers([
            // Checked, and refused for what is missing.
            Case("POST", "{R}/documents/", type: "application/xml", problem, 400, "name_identifier"),
            Case("POST", "{R}/documents/", type: "text/xml", problem, 400),
            Case("POST", "{R}/documents/", type: "text/plain", problem, 400),
            // A binary document, which nobody looks into.
            Case("POST", "{R}/documents/", type: "application/xml; charset=utf-8", problem, 200),
            Case("POST", "{R}/documents/", type: "application/xml;charset=utf-8", "<broken", 200),
            Case("POST", "{R}/documents/", type: "APPLICATION/XML", "<broken", 200),
            // Text need not be XML.
            Case("POST", "{R}/documents/", type: "text/plain", "<broken", 200),
            Case("POST", "{R}/documents/", type: "text/html", "hello", 200),
            Case("POST", "{R}/documents/", type: "application/json", "{\"__modelname__\": \"Nope\"}", 200),
            Case("POST", "{R}/documents/", type: "application/xml", "<broken", 400),
            // Apps' documents are looked at for being well-formed only.
            Case("POST", "{R}/apps/{A}/documents/", type: "application/xml", problem, 200),
            Case("POST", "{R}/apps/{A}/documents/", type: "application/xml", "<broken", 400),
        ])
    }

    @Test("documents come back as they went, text as XML, binary ones with their own type")
    func contentComesBack() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let documents = "/records/\(record)/documents/"
            for (type, body, servedAs) in [
                ("application/xml", "\u{FEFF}<a>\r\n<!-- é --></a>\n", "application/xml"),
                ("application/json", "{\"a\": 1}", "application/xml"),
                ("text/plain", "hello", "application/xml"),
                ("application/pdf", "%PDF-1.4\r\n\u{1}", "application/pdf"),
                ("application/xml; charset=utf-8", "<a/>", "application/xml; charset=utf-8"),
            ] {
                let made = try await app.send("POST", documents, type: type, body: body)
                #expect(made.status == 200, "\(type): \(made.text)")
                let id = try World.id(made, "Document")
                let served = try await app.get(documents + id)
                #expect(served.body == Data(body.utf8), "\(type)")
                #expect(served.header("Content-Type") == servedAs)
                #expect(made.text.contains("size=\"\(body.utf8.count)\""))
                let digits = try #require(made.text.firstMatch(of: /digest="([0-9a-f]+)"/)).output.1.count
                #expect(
                    digits == (servedAs == "application/xml" ? 64 : 40),
                    "SHA-256 for text, SHA-1 for binary"
                )
            }
        }
    }

    @Test("document lists page and filter in their own way")
    func documentLists() async throws {
        try await checkAnswers([
            Case("{R}/documents/?limit=0", 200, "total_document_count="), Case("{R}/documents/?bogus=1", 200),
            Case("{R}/documents/?type=Nonsense", 200, "total_document_count=\"0\""),
            // A type as it stands when it has a colon or a slash; with one the limit does not count.
            Case("{R}/documents/?type=urn:n%23n", 200, "total_document_count=\"1\""),
            Case("{R}/documents/?type=urn:n%23n&limit=0", 200, "<Document id="),
            Case("{R}/documents/?status=bogus", 404), Case("{R}/documents/?limit=-1", 500),
            Case("{R}/documents/?order_by=bogus", 500), Case("{R}/documents/?limit=x", 400),
            Case("{R}/documents/{D}/rels/bogus/", 200, "total_document_count=\"0\""),
            // What is not even a name of a column makes an empty list, or none.
            Case("{R}/documents/?order_by=", 200, "total_document_count=\"0\""),
            Case("{R}/documents/{D}/versions/?order_by=-", 404),
            Case("{R}/documents/{D}/versions/?order_by=bogus", 500),
            Case("{R}/documents/?limit=%202&offset=+0", 200),
            Case("{R}/documents/?limit=%D9%A3", 200, "total_document_count="),
        ])
    }

    @Test("every list reads the arguments of the query interface, even if it ignores them")
    func listArguments() async throws {
        let account = "/accounts/demo@example.org"
        let lists = [
            account + "/inbox/", account + "/notifications/", account + "/records/",
            "{R}/documents/{D}/rels/annotation/", "{R}/documents/", "{R}/documents/{D}/versions/",
            "{R}/audits/",
            "{R}/apps/{A}/documents/", "{R}/reports/Problem/", "{R}/reports/minimal/procedures/",
        ]
        let mistakes = [
            ("status=bogus", 404, "disconnected"), ("limit=x", 400, "Argument limit must be"),
            ("offset=1.5", 400, "Argument offset must be"),
            ("date_range=x", 400, "Argument date_range must be"),
            ("date_range=created_at*yesterday*", 400, "Argument date_range must be"),
            ("date_group=x", 400, "Argument date_group must be"),
            ("aggregate_by=x", 400, "Argument aggregate_by must be"),
        ]
        try await checkAnswers(
            lists.flatMap { list in mistakes.map { Case(list + "?" + $0.0, $0.1, $0.2) } }
                + lists.prefix(4).map { Case($0 + "?limit=-1&offset=1&status=void&aggregate_by=x*y", 200) }
        )
    }

    @Test("a carenet's list reads the arguments of the query interface as well")
    func carenetListArguments() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let documents = "/carenets/\(world.carenet)/documents/"
            for (query, status) in [
                ("status=bogus", 404), ("status=void", 200), ("limit=x", 400), ("date_range=x", 400),
                ("limit=-1", 500),
            ] {
                #expect(try await world.owner.get(documents + "?" + query).status == status, "\(query)")
            }
        }
    }

    @Test("reports know formats, models and parameters in their own way")
    func reports() async throws {
        try await checkAnswers([
            Case("{R}/reports/PROBLEM/", 200, "\"__modelname__\": \"Problem\""),
            Case("{R}/reports/Problem/?response_format=text/xml", 200, "<Models><Model documentId="),
            // A plus that is not escaped is a blank.
            Case("{R}/reports/Problem/?response_format=application/rdf+xml", 400, "format not supported"),
            Case("{R}/reports/Problem/?response_format=application/rdf%2Bxml", 200, "rdf:RDF"),
            Case("{R}/reports/Equipment/?response_format=application/rdf%2Bxml", 400, "format not supported"),
            Case("{R}/reports/Nope/", 404), Case("{R}/reports/record/", 500), Case("{R}/reports/Fill/", 200),
            Case(
                "{R}/reports/Problem/?modified_since=2009-01-01",
                400,
                "Invalid filter for fact type Problem"
            ),
            Case("{R}/reports/minimal/medications/", 404), Case("{R}/reports/minimal/labs/", 404),
            Case("{R}/reports/minimal/measurements/NOPE/", 200, "total_document_count=\"0\""),
            Case("{R}/reports/minimal/measurements/HBA1C/?aggregate_by=count*value", 200, "value=\"2\""),
            Case(
                "{R}/reports/minimal/measurements/HBA1C/?lab_code=ZZ",
                200,
                "<Filters><Filter name=\"lab_code\" value=\"HBA1C\"/></Filters>"
            ),
            Case(
                "{R}/reports/minimal/measurements/HBA1C/?lab_code=ZZ&limit=1",
                200,
                "total_document_count=\"2\""
            ),
            Case("{R}/reports/Measurement/?aggregate_by=count*value", 500),
            Case("{R}/reports/minimal/equipment/?response_format=application/json", 200, "<Reports>"),
            Case("{R}/demographics?response_format=text/xml", 400, "format not supported"),
            Case("{R}/medications/?limit=1", 200, "rdf:RDF"), Case("{R}/nothing/", 404),
            Case("{R}/audits/query/?status=void&order_by=request_date", 200, "<AuditEntry>"),
            Case("{R}/audits/query/?record_id=x", 400, "not in the request url"),
            Case("{R}/audits/?limit=-1", 404), Case("{R}/audits/?limit=x", 400),
            Case("{R}/audits/?offset=-2", 404),
            // Dates in aggregates are written in three ways.
            Case(
                "{R}/reports/Problem/?group_by=name_title&aggregate_by=max*startDate",
                200,
                "\"value\": \"2015-05-11T00:00:00Z\""
            ),
            Case(
                """
                {R}/reports/Problem/?date_group=startDate*day&aggregate_by=max*startDate&\
                response_format=text/xml
                """,
                200,
                "group=\"2015-05-11\" value=\"2015-05-11 00:00:00\""
            ),
            Case(
                "{R}/reports/minimal/procedures/?aggregate_by=min*date_performed",
                200,
                "value=\"Feb. 18, 2020, 8 a.m.\""
            ),
            Case(
                "{R}/reports/minimal/simple-clinical-notes/?aggregate_by=max*date_of_visit",
                200,
                "value=\"March 9, 2026, 10 a.m.\""
            ),
            Case(
                "{R}/reports/minimal/equipment/?group_by=date_started&aggregate_by=count*equipment_name",
                200,
                "group=\"Sept. 10, 2018\""
            ),
            // A group without a name can be told in JSON only, and so can one that is a date or a number.
            Case(
                "{R}/reports/Medication/?group_by=endDate&aggregate_by=count*drugName_title",
                200,
                "\"group\": null"
            ),
            Case(
                "{R}/reports/Medication/?group_by=endDate&aggregate_by=count*drugName_title"
                    + "&response_format=application/xml",
                500
            ),
            Case(
                "{R}/reports/Problem/?group_by=startDate&aggregate_by=max*startDate&response_format=text/xml",
                500
            ),
            Case(
                "{R}/reports/VitalSigns/?group_by=heart_rate_value&aggregate_by=count*date"
                    + "&response_format=text/xml",
                500
            ),
            Case(
                """
                {R}/reports/Problem/?group_by=name_title&aggregate_by=count*startDate&response_format=text/xml
                """,
                200
            ),
            Case(
                "{R}/reports/Problem/?group_by=name_title&aggregate_by=count*startDate"
                    + "&response_format=application/rdf%2Bxml",
                400,
                "format not supported"
            ),
            // A format nobody knows is told before the model is looked for, and after what is malformed.
            Case("{R}/reports/Nope/?response_format=text/html", 400, "format not supported"),
            Case("{R}/reports/Problem/?response_format=text/html&bogus=1", 400, "format not supported"),
            Case("{R}/reports/Problem/?response_format=text/html&limit=x", 400, "Argument limit"),
            Case(
                "{R}/reports/Procedure/?response_format=application/rdf%2Bxml&bogus=1",
                400,
                "Invalid filter"
            ),
        ])
    }

    @Test("a failure of new content is told by replace as something not found")
    func replacing() async throws {
        try await checkAnswers([
            Case("POST", "{R}/documents/{D}/replace", type: "application/xml", "<broken", 404),
            Case("PUT", "{R}/documents/{D}/replace/external/{A}/v2", type: "application/xml", "<broken", 404),
            Case("PUT", "{R}/documents/external/{A}/taken", type: "application/xml", Self.note, 200),
            Case(
                "PUT",
                "{R}/documents/{D}/replace/external/{A}/taken",
                type: "application/xml",
                Self.note,
                404
            ),
            Case(
                "PUT",
                "{R}/documents/{D}/rels/annotation/external/{A}/taken",
                type: "application/xml",
                Self.note,
                500
            ),
            Case(
                "POST",
                "{R}/documents/{D}/replace",
                type: "application/xml",
                "<n xmlns=\"urn:n#\">2</n>",
                200
            ),
            Case(
                "POST",
                "{R}/documents/{D}/replace",
                type: "application/xml",
                Self.note,
                400,
                "already been versioned"
            ),
            Case("{R}/documents/{D}", 200, "<n xmlns=\"urn:n#\"/>"),
        ])
    }

    @Test("a status takes a form with both fields, whatever its body is called")
    func status() async throws {
        let path = "{R}/documents/{D}/set-status"
        try await checkAnswers([
            Case("POST", path, type: Self.form, "status=void", 400),
            Case("POST", path, type: Self.form, "reason=x", 400),
            Case("POST", path, type: Self.form, "status=void&reason=", 400),
            Case("POST", path, type: Self.form, "status=void&reason=a%00b", 400),
            Case("POST", path, type: Self.form, "status=gone&reason=x", 400),
            Case("POST", path, type: "application/json", "{\"status\": \"void\", \"reason\": \"x\"}", 400),
            Case("POST", path, type: "text/plain", "status=void&reason=wrong+one", 200),
            Case("{R}/documents/{D}/status-history", 200, "<reason>wrong one</reason>"),
            Case("{R}/documents/{D}/meta", 200, "<status>void</status>"),
            // A form whose type says more is not signed as one; the app here knows that.
            Case("POST", path, type: Self.form + "; charset=UTF-8", "status=active&reason=x", 200),
            Case("POST", path, type: Self.form, "status=archived&reason=x", 200),
            Case("POST", path, type: Self.form, "status=archived&reason=again", 200),
        ])
    }

    @Test("messages take what they get, except what the server has no room for")
    func messages() async throws {
        let long = String(repeating: "x", count: 101)
        try await checkAnswers([
            Case("POST", "{R}/inbox/m1", type: Self.form, "severity=purple", 200),
            Case("POST", "{R}/inbox/", 405),
            Case("POST", "{R}/inbox/m1", type: Self.form, "", 400, "Duplicate external id"),
            Case("POST", "{R}/inbox/m2", type: Self.form, "subject=\(long)", 500),
            Case("POST", "{R}/inbox/m3", type: Self.form, "num_attachments=two", 500),
            Case("POST", "{R}/inbox/m3", type: Self.form, "severity=\(long)", 500),
            // The path is what is too long, before the id is.
            Case("POST", "{R}/inbox/\(String(repeating: "x", count: 148))", type: Self.form, "", 200),
            Case("POST", "{R}/inbox/\(String(repeating: "x", count: 149))", type: Self.form, "", 500),
            Case("POST", "{R}/inbox/minus", type: Self.form, "num_attachments=-1", 200),
            Case("POST", "{R}/inbox/minus/attachments/0", type: "application/xml", Self.note, 500),
            Case("POST", "{R}/inbox/minus/attachments/-1", type: "application/xml", Self.note, 200),
            Case("POST", "{R}/inbox/nobody/attachments/1", type: "application/xml", Self.note, 200),
            Case("POST", "{R}/inbox/m1/attachments/1", type: "application/xml", Self.note, 500),
            Case("POST", "{R}/inbox/m4", type: Self.form, "num_attachments=1", 200),
            Case("POST", "{R}/inbox/m4/attachments/x", type: "application/xml", Self.note, 500),
            Case("POST", "{R}/inbox/m4/attachments/1", type: "application/xml", "<broken", 500),
            Case("POST", "{R}/inbox/m4/attachments/1", type: "application/xml", Self.note, 200),
            Case(
                "POST",
                "{R}/inbox/m4/attachments/1",
                type: "application/xml",
                Self.note,
                400,
                "Duplicate attachment"
            ),
            Case("POST", "{R}/notifications/", type: Self.form, "app_url=x", 400),
            Case("POST", "{R}/notifications/", type: Self.form, "content=", 200),
            Case(
                "POST",
                "{R}/notifications/",
                type: Self.form,
                "content=\(String(repeating: long, count: 5))",
                500
            ),
            Case("POST", "{R}/notifications/", type: Self.form, "content=x&document_id=none", 500),
            Case("POST", "{R}/notifications/", type: Self.form, "content=about+nothing&document_id=", 200),
            Case("/accounts/demo@example.org/notifications/", 200, "<content>about nothing</content>"),
            Case(
                "/accounts/demo@example.org/inbox/",
                200,
                "<subject>[no subject]</subject><severity>purple</severity>"
            ),
            Case("/accounts/demo@example.org/inbox/?order_by=received_at", 200, "<Messages><Message id="),
            Case("/accounts/demo@example.org/inbox/?order_by=bogus", 500),
            Case("/accounts/demo@example.org/inbox/00000000-0000-0000-0000-000000000000", 500),
            Case("/accounts/demo@example.org/notifications/?order_by=-created_at", 200),
            Case("PUT", "{R}/documents/{D}/label", type: "text/plain", long, 500),
            Case("PUT", "{R}/documents/{D}/label", type: "text/plain", "", 200),
        ])
    }

    @Test("a user's app reaches its account and what is shared, but not who else has access")
    func access() async throws {
        try await checkAnswers([
            Case("/accounts/demo@example.org", 200, "<Account id="),
            Case("/accounts/demo@example.org/records/", 200, "Ines Halloran"),
            Case(
                "PUT",
                "/accounts/demo@example.org/apps/{A}/preferences",
                type: "application/json",
                "{}",
                200,
                "<Document"
            ),
            Case("/accounts/demo@example.org/apps/{A}/preferences", 200, "{}"),
            Case(
                "PUT",
                "/accounts/demo@example.org/apps/{A}/preferences",
                type: "application/xml",
                "text",
                400,
                "the document submitted is malformed:"
            ),
            Case("DELETE", "/accounts/demo@example.org/apps/{A}/preferences", 200, "<ok/>"),
            Case("{R}/apps/", 403), Case("{R}/owner", 403), Case("{R}/shares/", 403),
            Case("{R}/carenets/", 403),
            Case("PUT", "{R}/documents/{D}/nevershare", 403), Case("/apps/{A}/documents/", 403),
            Case("/apps/{A}/records/", 403), Case("PUT", "{R}/documents/{D}/meta", 403),
        ])
    }

    @Test("an app without a token keeps own documents, with the record where it is enabled")
    func twoLegged() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = TestApp(sandbox)
            try await sandbox.enable(app: "demo@apps.example.org", onRecord: record)
            for base in ["/apps/demo@apps.example.org", "/records/\(record)/apps/demo@apps.example.org"] {
                let made = try await app.put(base + "/documents/external/cfg", xml: "<a/>")
                #expect(made.status == 200)
                #expect(made.text.contains("<creator id=\"demo@apps.example.org\" type=\"PHA\">"))
                #expect(try await app.get(base + "/documents/").text.contains("total_document_count=\"1\""))
            }
            // An unknown id makes a document with another.
            let unknown = "00000000-0000-0000-0000-000000000000"
            let made = try await app.put("/apps/demo@apps.example.org/documents/\(unknown)", xml: "<b/>")
            #expect(made.status == 200)
            #expect(!made.text.contains(unknown))
            #expect(try await app.get("/records/\(record)/documents/").status == 403)
        }
    }

    @Test("preferences are the app's own, one for each account, and its list shows them")
    func preferences() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let own = "/apps/demo@apps.example.org"
            #expect(
                try await world.owner.send(
                    "PUT",
                    "/accounts/\(World.victim)\(own)/preferences",
                    type: "application/json",
                    body: "{\"a\": 1}"
                ).status == 200
            )
            #expect(
                try await world.strangerSession.send(
                    "PUT",
                    "/accounts/\(World.stranger)\(own)/preferences",
                    type: "application/json",
                    body: "{\"b\": 2}"
                ).status == 200
            )
            #expect(
                try await world.owner.get("/accounts/\(World.victim)\(own)/preferences").text == "{\"a\": 1}"
            )
            let list = try await TestApp(sandbox).get(own + "/documents/")
            #expect(list.text.contains("total_document_count=\"2\""))
            let id = try World.id(list, "Document")
            #expect(try await TestApp(sandbox).get(own + "/documents/\(id)").text == "{\"b\": 2}")
            #expect(try await world.rival.get("/apps/rival@apps.example.org/documents/\(id)").status == 404)
        }
    }

    @Test("what overwrites a document of an app is lost when it is not text")
    func binaryOverwrite() async throws {
        try await withSandbox { sandbox async throws in
            let app = TestApp(sandbox)
            let base = "/apps/demo@apps.example.org/documents/"
            let made = try await app.send("PUT", base + "external/image", type: "image/png", body: "first")
            let id = try World.id(made, "Document")
            #expect(try await app.get(base + id).text == "first")
            let again = try await app.send("PUT", base + "external/image", type: "image/png", body: "second")
            #expect(try World.id(again, "Document") == id)
            #expect(again.text.contains("size=\"6\""))
            #expect(try await app.get(base + id).body.isEmpty)
        }
    }

    @Test("a carenet tells the metadata of any document to one who may see the whole record")
    func carenetMetadata() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let documents = "/carenets/\(world.carenet)/documents/"
            #expect(try await world.owner.get(documents + world.document + "/meta").status == 200)
            #expect(try await world.owner.get(documents + world.document).status == 404)
            #expect(try await world.owner.get(documents + "?type=urn:nothing").status == 404)
            let type = "http://indivo.org/vocab/xml/documents%23Models"
            #expect(try await world.owner.get(documents + "?type=\(type)").status == 200)
        }
    }

    @Test("tokens work on when their time is over, until the clean-up")
    func cleanUp() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            let token = try #require(app.token).value
            try await sandbox.seedExpiry(ofAccessToken: token)
            #expect(try await app.get("/records/\(record)").status == 200)
            try await sandbox.cleanUpTokens()
            #expect(try await app.get("/records/\(record)").status == 403)
        }
    }

    @Test("an attachment that its schema refuses is told so when it is accepted")
    func invalidAttachment() async throws {
        let inbox = "/accounts/demo@example.org/inbox/"
        let invalid = "<Equipment xmlns=\"http://indivo.org/vocab/xml/documents#\"><nope/></Equipment>"
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            _ = try await app.post("/records/\(record)/inbox/m1", form: ["num_attachments": "1"])
            #expect(
                try await app.post("/records/\(record)/inbox/m1/attachments/1", xml: invalid).status == 200
            )
            let message = try World.id(try await app.get(inbox), "Message")
            let answer = try await app.send("POST", inbox + message + "/attachments/1/accept")
            #expect(answer.status == 400)
            #expect(answer.text.hasPrefix("Input document didn't validate, error was: "), "\(answer.text)")
        }
    }

    @Test("an id with a zero byte in it is refused")
    func zeroByte() async throws {
        try await checkAnswers([
            Case(
                "PUT",
                "{R}/documents/external/{A}/a%00b",
                type: "application/xml",
                Self.note,
                400,
                "NUL (0x00)"
            ),
            Case(
                "PUT",
                "{R}/apps/{A}/documents/external/a%00b",
                type: "application/xml",
                Self.note,
                400,
                "NUL (0x00)"
            ),
        ])
    }

    @Test("a failure ends in a new line, a refusal does not")
    func failurePage() async throws {
        try await withSandbox { sandbox async throws in
            let port = sandbox.apiURL.port ?? 0
            let failure = try await RawHTTP.request("GET", port: port, target: "/ontology")
            #expect(failure.text == "<h4>Internal Server Error</h4>\n")
            let refusal = try await RawHTTP.request("POST", port: port, target: "/oauth/request_token")
            #expect(refusal.text == "<h4>Permission Denied</h4>")
        }
    }

    @Test("every answer says what time it is")
    func dates() async throws {
        try await withSandbox { sandbox async throws in
            let port = sandbox.apiURL.port ?? 0
            for (method, path, status) in [
                ("GET", "/version", 200), ("GET", "/nothing", 404), ("POST", "/version", 405),
                ("GET", "/records/x", 404),
                ("POST", "/oauth/request_token", 403), ("GET", "/ontology", 500),
            ] {
                let answer = try await RawHTTP.request(method, port: port, target: path)
                #expect(answer.status == status)
                #expect(answer.header("Date")?.hasSuffix(" GMT") == true, "\(path)")
            }
        }
    }
}
