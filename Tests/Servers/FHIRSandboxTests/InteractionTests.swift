import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Interactions with one resource")
struct InteractionTests {
    @Test("a created resource has an id, a version and a time, and is read as it was sent")
    func create() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        let sent =
            #"""
            {"resourceType":"Observation","status":"final","code":{"text":"a \u00e9"},\#
            "valueQuantity":{"value":1.10},"x-unknown":[1e2,{}],"_status":{"id":"s"}}
            """#
        let created = await server.send(
            "POST",
            "Observation",
            type: "application/fhir+json; charset=utf-8",
            body: sent
        )
        #expect(created.status == 201)
        let id = try #require(created.json["id"]?.string)
        #expect(created.header("Location") == "http://127.0.0.1:8080/fhir/Observation/\(id)/_history/1")
        #expect(created.header("ETag") == "W/\"1\"")
        #expect(created.header("Last-Modified")?.hasSuffix(" GMT") == true)
        let read = await server.get("Observation/\(id)")
        #expect(read.status == 200)
        #expect(read.header("Content-Type") == "application/fhir+json; charset=utf-8")
        var kept = read.json
        #expect(kept["meta"]?["versionId"]?.string == "1")
        #expect(kept["meta"]?["lastUpdated"]?.string?.hasSuffix("Z") == true)
        kept["meta"] = nil
        kept["id"] = nil
        #expect(kept.text() == sent)
    }

    @Test("the id of what is created is the server's, and what else meta holds stays")
    func createIgnoresID() async throws {
        let server = try TestServer()
        let created = await server.post(
            "Patient",
            .patient("mine", family: "Moss", ["meta": ["versionId": "7", "tag": [["code": "t"]]]])
        )
        #expect(created.status == 201)
        #expect(created.json["id"]?.string != "mine")
        #expect(created.json["meta"]?["versionId"]?.string == "1")
        #expect(created.json["meta"]?["tag"]?[0]?["code"]?.string == "t")
    }

    @Test("updates make versions that can all be read, and a deletion is one of them")
    func versions() async throws {
        let server = try TestServer()
        #expect(await server.put("Patient/p", .patient("p", family: "One")).status == 201)
        let second = await server.put("Patient/p", .patient("p", family: "Two"))
        #expect(second.status == 200)
        #expect(second.header("ETag") == "W/\"2\"")
        #expect(await server.get("Patient/p/_history/1").json["name"]?[0]?["family"]?.string == "One")
        #expect(await server.get("Patient/p/_history/2").json["name"]?[0]?["family"]?.string == "Two")
        #expect(await server.get("Patient/p/_history/3").status == 404)
        #expect(await server.send("DELETE", "Patient/p").status == 200)
        let gone = await server.get("Patient/p")
        #expect(gone.status == 410)
        #expect(gone.issue == "deleted")
        #expect(await server.get("Patient/p/_history/3").status == 410)
        #expect(await server.send("DELETE", "Patient/p").status == 200)
        #expect(await server.put("Patient/p", .patient("p", family: "Back")).status == 201)
        #expect(await server.get("Patient/p").header("ETag") == "W/\"4\"")
    }

    @Test("If-Match lets an update through only from the current version")
    func ifMatch() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "One"))
        #expect(
            await server.put("Patient/p", .patient("p", family: "Two"), ["If-Match": "W/\"1\""]).status == 200
        )
        let stale = await server.put("Patient/p", .patient("p", family: "Three"), ["If-Match": "W/\"1\""])
        #expect(stale.status == 412)
        #expect(stale.issue == "conflict")
        #expect(
            await server.put("Patient/new", .patient("new", family: "X"), ["If-Match": "W/\"1\""]).status
                == 412
        )
        #expect(
            await server.put("Patient/p", .patient("p", family: "X"), ["If-None-Match": "*"]).status == 412
        )
        #expect(await server.send("DELETE", "Patient/p", ["If-Match": "W/\"1\""]).status == 412)
        #expect(await server.get("Patient/p").json["name"]?[0]?["family"]?.string == "Two")
    }

    @Test("a read with the current ETag or time is not modified")
    func notModified() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "One"))
        let read = await server.get("Patient/p")
        let same = await server.get("Patient/p", ["If-None-Match": read.header("ETag") ?? ""])
        #expect(same.status == 304)
        #expect(same.text.isEmpty)
        #expect(await server.get("Patient/p", ["If-None-Match": "W/\"7\""]).status == 200)
        let modified = read.header("Last-Modified") ?? ""
        #expect(await server.get("Patient/p", ["If-Modified-Since": modified]).status == 304)
        #expect(
            await server.get("Patient/p", ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]).status
                == 200
        )
    }

    @Test("Prefer decides what a write returns")
    func prefer() async throws {
        let server = try TestServer()
        let minimal = await server.post("Patient", .patient(nil, family: "A"), ["Prefer": "return=minimal"])
        #expect(minimal.status == 201)
        #expect(minimal.text.isEmpty)
        #expect(minimal.header("Location") != nil)
        let outcome = await server.post(
            "Patient",
            .patient(nil, family: "A"),
            ["Prefer": "return=OperationOutcome"]
        )
        #expect(outcome.json["resourceType"]?.string == "OperationOutcome")
        let whole = await server.post(
            "Patient",
            .patient(nil, family: "A"),
            ["Prefer": "return=representation"]
        )
        #expect(whole.json["resourceType"]?.string == "Patient")
    }

    @Test("a create with If-None-Exist makes one, finds one, or refuses several matches")
    func conditionalCreate() async throws {
        let server = try TestServer()
        let patient = JSONValue.patient(
            nil,
            family: "Moss",
            ["identifier": [["system": "urn:x", "value": "1"]]]
        )
        let condition = ["If-None-Exist": "identifier=urn:x|1"]
        let first = await server.post("Patient", patient, condition)
        #expect(first.status == 201)
        let again = await server.post("Patient", patient, condition)
        #expect(again.status == 200)
        #expect(again.header("Location") == first.header("Location"))
        #expect(
            await server.post("Patient", patient, ["If-None-Exist": "Patient?identifier=urn:x%7C1"]).status
                == 200
        )
        #expect(await server.post("Patient", patient, ["If-None-Exist": "?identifier=urn:x|1"]).status == 200)
        #expect(await server.post("Patient", patient).status == 201)
        let several = await server.post("Patient", patient, condition)
        #expect(several.status == 412)
        #expect(several.issue == "multiple-matches")
        #expect(await server.post("Patient", patient, ["If-None-Exist": "nonsense=1"]).status == 400)
        #expect(await server.post("Patient", patient, ["If-None-Exist": "_count=1"]).status == 412)
    }

    @Test("conditional update, patch and delete act on the one match")
    func conditional() async throws {
        let server = try TestServer()
        let patient = JSONValue.patient(
            nil,
            family: "Moss",
            ["identifier": [["system": "urn:x", "value": "1"]]]
        )
        let made = await server.put("Patient?identifier=urn:x%7C1", patient)
        #expect(made.status == 201)
        let id = try #require(made.json["id"]?.string)
        let updated = await server.put("Patient?identifier=urn:x%7C1", patient)
        #expect(updated.status == 200)
        #expect(updated.json["id"]?.string == id)
        let patched = await server.patch(
            "Patient?identifier=urn:x%7C1",
            [["op": "add", "path": "/active", "value": true]]
        )
        #expect(patched.status == 200)
        #expect(patched.json["active"]?.boolean == true)
        var other = patient
        other["id"] = "another"
        #expect(await server.put("Patient?identifier=urn:x%7C1", other).status == 400)
        #expect(await server.send("DELETE", "Patient?identifier=urn:x%7C1").status == 200)
        #expect(await server.get("Patient/\(id)").status == 410)
        #expect(await server.send("DELETE", "Patient").status == 405)
    }

    @Test("histories are newest first, and their pages do not move")
    func history() async throws {
        let server = try TestServer()
        await server.store(
            .patient("a", family: "A"),
            .patient("b", family: "B"),
            .observation("o", of: "Patient/a")
        )
        await server.store(.patient("a", family: "A2"))
        _ = await server.send("DELETE", "Patient/b")
        let all = await server.get("_history")
        #expect(all.json["type"]?.string == "history")
        #expect(all.json["total"]?.integer == 5)
        #expect(
            all.entries.map { $0["request"]?["method"]?.string } == ["DELETE", "PUT", "PUT", "PUT", "PUT"]
        )
        #expect(all.entries.first?["resource"] == nil)
        #expect(await server.get("Patient/_history").entries.count == 4)
        #expect(
            await server.get("Patient/a/_history").entries.map {
                $0["resource"]?["meta"]?["versionId"]?.string
            } == ["2", "1"]
        )
        #expect(await server.get("Patient/nobody/_history").status == 404)
        let page = await server.get("Patient/_history?_count=3")
        await server.store(.patient("c", family: "C"))
        let next = try #require(page.link("next"))
        let rest = await server.get(String(next.dropFirst("http://127.0.0.1:8080".count)))
        #expect(rest.entries.map { $0["fullUrl"]?.string } == ["http://127.0.0.1:8080/fhir/Patient/a"])
        let since = try #require(all.entries[1]["response"]?["lastModified"]?.string)
        #expect(await server.get("_history?_since=\(since)").entries.count == 3)
    }

    @Test("the history gives 201 for what is made again after its deletion")
    func madeAgain() async throws {
        let server = try TestServer()
        await server.store(.patient("a", family: "A"))
        await server.store(.patient("a", family: "B"))
        _ = await server.send("DELETE", "Patient/a")
        await server.store(.patient("a", family: "C"))
        await server.store(.patient("a", family: "D"))
        let statuses = await server.get("Patient/a/_history").entries.map {
            $0["response"]?["status"]?.string
        }
        #expect(statuses == ["200", "201", "204", "200", "201"])
    }

    @Test("_summary and _elements leave parts out and say so")
    func parts() async throws {
        let server = try TestServer()
        await server.store(
            .patient(
                "p",
                family: "Moss",
                [
                    "text": [
                        "status": "generated",
                        "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\">Moss</div>",
                    ], "photo": [["title": "x"]],
                ]
            )
        )
        let summary = await server.get("Patient/p?_summary=true").json
        #expect(summary["name"] != nil && summary["photo"] == nil && summary["text"] == nil)
        #expect(summary["meta"]?["tag"]?[0]?["code"]?.string == "SUBSETTED")
        let text = await server.get("Patient/p?_summary=text").json
        #expect(text["text"] != nil && text["name"] == nil)
        #expect(await server.get("Patient/p?_summary=data").json["text"] == nil)
        let elements = await server.get("Patient/p?_elements=photo").json
        #expect(elements["photo"] != nil && elements["name"] == nil && elements["id"]?.string == "p")
        #expect(await server.get("Patient/p?_summary=perhaps").status == 400)
    }

    @Test(
        "what cannot be done has the status and the issue of FHIR",
        arguments: [
            ("GET", "Patient/none", 404, "not-found"), ("GET", "Nothing/1", 404, "not-supported"),
            ("GET", "Patient/a_b", 400, "invalid"), ("PUT", "Patient", 405, "not-supported"),
            ("PATCH", "Patient/none", 415, "not-supported"), ("POST", "Patient/none", 405, "not-supported"),
            ("GET", "Patient/1/$nothing", 404, "not-supported"), ("DELETE", "metadata", 405, "not-supported"),
            ("GET", "", 400, "not-supported"), ("GET", "Patient/1/2/3/4", 404, "not-supported"),
            ("GET", "Patient/%ff", 400, "invalid"), ("GET", "Patient/1/_history/x", 404, "not-found"),
        ]
    )
    func refusals(method: String, path: String, status: Int, issue: String) async throws {
        let response = try await TestServer().send(method, path)
        #expect(response.status == status)
        #expect(response.json["resourceType"]?.string == "OperationOutcome")
        #expect(response.issue == issue)
    }

    @Test("bodies that do not fit the address are refused, without quoting their content")
    func bodies() async throws {
        let server = try TestServer()
        func send(_ path: String, _ body: String, _ type: String = "application/fhir+json") async
            -> TestResponse
        {
            await server.send(path.contains("/") ? "PUT" : "POST", path, type: type, body: body)
        }
        #expect(await send("Patient", "{\"resourceType\":\"Patient\"").status == 400)
        #expect(await send("Patient", "{\"secret\":1}").status == 400)
        #expect(await send("Patient", #"{"resourceType":"Observation"}"#).status == 400)
        #expect(
            await send("Patient", #"{"resourceType":"Patient","id":"x"}"#, "application/fhir+xml").status
                == 400
        )
        #expect(await send("Patient", #"{"resourceType":"Patient","id":"x"}"#, "text/turtle").status == 415)
        #expect(await send("Patient", #"{"resourceType":"Patient"}"#, "").status == 415)
        #expect(
            await send("Patient", #"{"resourceType":"Patient"}"#, "application/json; charset=latin1").status
                == 415
        )
        #expect(await send("Patient/p", #"{"resourceType":"Patient"}"#).status == 400)
        #expect(await send("Patient/p", #"{"resourceType":"Patient","id":"q"}"#).status == 400)
        #expect(await send("Patient/p", #"{"resourceType":"Patient","id":7}"#).status == 400)
        #expect(await send("Patient", #"{"resourceType":"Patient","meta":"x"}"#).status == 422)
        let broken = await send("Patient", #"{"resourceType":"Patient","secret" 1}"#)
        #expect(!broken.text.contains("secret"))
        #expect(
            broken.diagnostics.contains("line 1") || broken.diagnostics.contains("1:"),
            "\(broken.diagnostics)"
        )
    }

    @Test("a resource is sent and read as XML, and an error is XML too")
    func xml() async throws {
        let server = try TestServer { $0.refusesInvalid = false }
        let xml =
            """
            <Patient xmlns="http://hl7.org/fhir"><name><family value="Moss"/></name><birthDate \
            value="1980-02-03"/></Patient>
            """
        let created = await server.send(
            "POST",
            "Patient",
            ["Accept": "application/fhir+xml"],
            type: "application/fhir+xml",
            body: xml
        )
        #expect(created.status == 201)
        #expect(created.header("Content-Type") == "application/fhir+xml; charset=utf-8")
        #expect(
            created.text.contains("<family value=\"Moss\"/>")
                && created.text.contains("<versionId value=\"1\"/>")
        )
        let found = await server.get("Patient?family=moss&_format=json")
        #expect(found.entries.first?["resource"]?["birthDate"]?.string == "1980-02-03")
        #expect(
            await server.get("Patient/none?_format=xml").text.contains(
                "<OperationOutcome xmlns=\"http://hl7.org/fhir\">"
            )
        )
        #expect(await server.get("Patient?_format=xml").text.contains("<Bundle xmlns="))
        let doctype =
            """
            <!DOCTYPE Patient [<!ENTITY x SYSTEM "file:///etc/passwd">]><Patient xmlns="http://hl7.org/fhir">\
            <name><family value="&x;"/></name></Patient>
            """
        #expect(
            await server.send("POST", "Patient", type: "application/fhir+xml", body: doctype).status == 400
        )
        #expect(
            await server.send("POST", "Patient", type: "application/fhir+xml", body: "<Patient").status == 400
        )
        await server.store(["resourceType": "Patient", "id": "odd", "unknown": 1])
        #expect(await server.get("Patient/odd?_format=xml").status == 406)
        #expect(
            await server.get("metadata", ["Accept": "text/html, application/xml;q=0.9, */*;q=0.8"]).text
                .hasPrefix("<")
        )
        #expect(
            await server.get("metadata", ["Accept": "application/xml;q=0.1, application/json"]).text
                .hasPrefix("{")
        )
    }

    @Test("the format is chosen by header or parameter: JSON, XML, and no other")
    func formats() async throws {
        let server = try TestServer()
        await server.store(.patient("p", family: "Moss"))
        for accept in [
            "application/fhir+json", "application/json", "*/*", "text/html, */*;q=0.5",
            "application/fhir+json; fhirVersion=4.0",
        ] {
            #expect(await server.get("Patient/p", ["Accept": accept]).status == 200, "\(accept)")
        }
        #expect(await server.get("Patient/p", ["Accept": "text/turtle"]).status == 406)
        #expect(await server.get("Patient/p?_format=ttl").status == 406)
        #expect(
            await server.get("Patient/p?_format=application/fhir+json", ["Accept": "text/turtle"]).status
                == 200
        )
        #expect(await server.get("Patient/p?_format=json&_pretty=true").text.contains("\n  \"id\""))
    }
}
