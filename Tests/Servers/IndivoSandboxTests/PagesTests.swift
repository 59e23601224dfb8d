import Foundation
import IndivoSandbox
import Testing

@Suite("Pages for people")
struct PagesTests {
    @Test("a record's page has its sections, its charts with normal ranges, and no script")
    func recordPage() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let page = try await browser.get("/records/\(record)")
            #expect(page.status == 200)
            for part in [
                "Ines Halloran", "Medications", "Lisinopril", "Results", "class=\"range\"", "Vital signs",
                "Documents",
            ] {
                #expect(page.text.contains(part), "\(part)")
            }
            #expect(!page.text.contains("<script"))
            #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            let link = try #require(page.text.firstMatch(of: /href="(\/records\/[^"]+\/documents\/[^"]+)"/))
                .output.1
            let document = try await browser.get(String(link))
            #expect(document.status == 200)
            #expect(document.text.contains("What it says") && document.text.contains("Content"))
        }
    }

    @Test("vital signs, measurements and samples show by day, month and year of a zone")
    func health() async throws {
        func document(_ model: String, _ fields: [String: String]) -> String {
            let parts = fields.sorted { $0.key < $1.key }.map {
                "<Field name=\"\($0.key)\">\($0.value)</Field>"
            }.joined()
            return
                """
                <Models xmlns=\"http://indivo.org/vocab/xml/documents#\"><Model \
                name=\"\(model)\">\(parts)</Model></Models>
                """
        }
        let models = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "schemas/health/indivo")
        var configuration = SandboxConfiguration()
        configuration.modelFolder = models
        let sandbox = try await Sandbox.start(configuration) {
            SandboxAccount(
                id: "a@example.org",
                fullName: "A",
                username: "a",
                password: "a",
                records: [
                    .init(
                        "Anna",
                        documents: [
                            document(
                                "Measurement",
                                [
                                    "type": "StepCount", "value": "120", "unit": "steps",
                                    "datetime": "2026-03-28T23:30:00Z",
                                ]
                            ),
                            document(
                                "Measurement",
                                [
                                    "type": "RestingHeartRate", "value": "54", "unit": "/min",
                                    "datetime": "2026-03-29T06:00:00Z",
                                ]
                            ),
                            document(
                                "HealthSample",
                                [
                                    "type": "HKCategoryTypeIdentifierSleepAnalysis", "value": "3",
                                    "start": "2026-03-28T22:00:00Z", "end": "2026-03-29T05:00:00Z",
                                ]
                            ),
                            document(
                                "HealthSample",
                                [
                                    "type": "HKWorkoutTypeIdentifier", "value": "running",
                                    "start": "2026-03-29T15:00:00Z", "end": "2026-03-29T15:30:00Z",
                                ]
                            ),
                        ]
                    )
                ]
            )
        }
        let record = try #require(try await sandbox.records().first?.id)
        var browser = TestBrowser(sandbox)
        try await browser.logIn("a", "a")
        let page = try await browser.get("/records/\(record)").text
        let month = try await browser.get("/records/\(record)/health?zone=Europe/Berlin").text
        let day = try await browser.get("/records/\(record)/health?by=day&on=2026-03-29&zone=Europe/Berlin")
            .text
        let utc = try await browser.get("/records/\(record)/health?by=day&on=2026-03-28&zone=UTC").text
        let wrong = try await browser.get("/records/\(record)/health?by=hour").status
        let foreign = try await browser.get("/records/nothing/health").status
        await sandbox.stop()
        #expect(page.contains("/records/\(record)/health\""))
        #expect(
            month.contains("2026-03-29: 120") && month.contains("data-head=\"Resting\">54<")
                && month.contains("2026-03-29, Core: 7 h 0 min")
        )
        #expect(
            day.contains("00:00: 120") && day.contains("Core: 23:00 to 07:00")
                && day.contains("Running: 17:00 to 17:30")
        )
        #expect(utc.contains("23:00: 120") && wrong == 400 && foreign == 404)
    }

    @Test("results in numbers are charts with documents, and results in words are shown")
    func resultsOfAllKinds() async throws {
        func result(_ fields: String) -> String {
            """
            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="LabResult">\
            <Field name="test_name_title">Ferritin</Field><Field name="test_name_identifier">2276-4</Field>\
            <Field \
            name="test_name_system">http://purl.bioontology.org/ontology/LNC/</Field>\(fields)</Model>\
            </Models>
            """
        }
        let sandbox = try await Sandbox.start {
            SandboxAccount(
                id: "a@example.org",
                fullName: "A",
                username: "a",
                password: "a",
                records: [
                    .init(
                        "Anna",
                        documents: [
                            result(
                                "<Field name=\"collected_at\">2026-02-03T08:00:00Z</Field>"
                                    + "<Field name=\"quantitative_result_value_value\">41.5</Field>"
                            ),
                            result(
                                "<Field name=\"collected_at\">2026-03-03T08:00:00Z</Field>"
                                    + "<Field name=\"narrative_result\">sample clotted</Field>"
                            ),
                        ]
                    )
                ]
            )
        }
        let record = try #require(try await sandbox.records().first?.id)
        var browser = TestBrowser(sandbox)
        try await browser.logIn("a", "a")
        let page = try await browser.get("/records/\(record)").text
        await sandbox.stop()
        let links = page.matches(
            of: /<details>.*?<a href="(\/records\/[^"]+\/documents\/[^"]+)">/.dotMatchesNewlines()
        )
        #expect(links.count == 1)
        #expect(page.contains("41.5"))
        #expect(page.contains("sample clotted"))
    }

    @Test("another's record is not shown, and nothing without logging in")
    func otherPeople() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            try await sandbox.addAccount(id: "b@example.org", fullName: "B", username: "b", password: "b")
            var browser = TestBrowser(sandbox)
            #expect(try await browser.get("/records/\(record)").status == 302)
            try await browser.logIn("b", "b")
            #expect(try await browser.get("/records/\(record)").status == 404)
            let consent = try await browser.get("/apps/demo@apps.example.org/complete/?record_id=\(record)")
            #expect(consent.status == 403)
        }
    }

    @Test("the home page says why requests were refused, and repeats no secret")
    func home() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            _ = try await TestApp(sandbox, secret: "a-wrong-secret").get("/records/\(record)")
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let page = try await browser.get("/")
            #expect(page.text.contains("the signature does not fit the request"))
            #expect(!page.text.contains("demo-secret"))
            #expect(!page.text.contains("a-wrong-secret"))
        }
    }

    @Test("what people wrote is text on a page, whatever it looks like")
    func escaping() async throws {
        let evil = "<img src=x onerror=alert(1)>"
        let sandbox = try await Sandbox.start {
            SandboxApp(
                id: "a@apps.example.org",
                name: evil,
                consumerSecret: "s",
                startURL: "a:/",
                callbackURL: "a:/"
            )
            SandboxAccount(
                id: "a@example.org",
                fullName: evil,
                username: "a",
                password: "a",
                records: [
                    .init(
                        evil,
                        documents: [
                            """
                            <Models xmlns="http://indivo.org/vocab/xml/documents#"><Model name="Equipment">\
                            <Field name="name">&lt;b&gt;x&lt;/b&gt;</Field></Model></Models>
                            """
                        ]
                    )
                ]
            )
        }
        let record = try #require(try await sandbox.records().first?.id)
        var browser = TestBrowser(sandbox)
        try await browser.logIn("a", "a")
        for path in [
            "/", "/apps/a@apps.example.org", "/apps/a@apps.example.org/complete/?record_id=\(record)",
            "/records/\(record)",
        ] {
            let page = try await browser.get(path)
            #expect(page.status == 200, "\(path)")
            #expect(!page.text.contains("<img"), "\(path)")
            #expect(!page.text.contains("<b>x"), "\(path)")
        }
        await sandbox.stop()
    }

    @Test("an app is taken from a record by a button, and its tokens die")
    func removeApp() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let app = try await TestApp(sandbox).authorized(sandbox, record: record)
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            let page = try await browser.get("/records/\(record)")
            let answer = try await browser.post(
                "/records/\(record)/apps/demo@apps.example.org/remove",
                TestBrowser.hiddenFields(of: page.text)
            )
            #expect(answer.status == 302)
            #expect(try await app.get("/records/\(record)").status == 403)
        }
    }

    @Test("every form that a logged-in browser is shown carries the session's token")
    func tokensInForms() async throws {
        try await withSandbox { sandbox async throws in
            let record = try #require(try await sandbox.records().first?.id)
            let request = try await TestApp(sandbox).requestToken(record: record)
            try await sandbox.enable(
                app: "demo@apps.example.org",
                onRecord: try await sandbox.records()[1].id
            )
            var browser = TestBrowser(sandbox)
            try await browser.logIn("demo", "demo")
            var forms = 0
            for path in [
                "/", "/records/\(try await sandbox.records()[1].id)", "/logout",
                "/apps/demo@apps.example.org/complete/?record_id=\(record)",
                "/oauth/authorize?oauth_token=\(request.value)",
            ] {
                let page = try await browser.get(path)
                #expect(page.status == 200, "\(path)")
                for form in page.text.components(separatedBy: "<form").dropFirst() {
                    let content = form.components(separatedBy: "</form>")[0]
                    #expect(
                        content.contains(/<input type="hidden" name="csrf" value="[A-Za-z0-9]{20}">/),
                        "\(path)"
                    )
                    forms += 1
                }
            }
            #expect(forms > 5)
            for path in [
                "/logout", "/oauth/authorize", "/records/\(record)/apps/demo@apps.example.org/remove",
            ] {
                #expect(try await browser.post(path, ["csrf": "guessed"]).status == 403, "\(path)")
            }
        }
    }

    @Test("style sheet and icon are there, for a browser asks for them")
    func files() async throws {
        try await withSandbox { sandbox async throws in
            var browser = TestBrowser(sandbox)
            #expect(try await browser.get("/favicon.ico").status == 200)
            #expect(try await browser.get("/style.css").header("Content-Type") == "text/css; charset=utf-8")
        }
    }
}
