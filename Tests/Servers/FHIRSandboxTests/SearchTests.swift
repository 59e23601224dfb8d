import Foundation
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Searches")
struct SearchTests {
    private func patients() async throws -> TestServer {
        let server = try TestServer()
        await server.store(
            .patient(
                "a",
                family: "Müller",
                given: "Eva",
                [
                    "gender": "female", "birthDate": "1980-05-06", "active": true,
                    "identifier": [["system": "urn:mrn", "value": "123"]],
                    "address": [["city": "Köln", "line": ["Am Markt 1"]]],
                    "telecom": [["system": "email", "value": "eva@example.org"]],
                ]
            ),
            .patient(
                "b",
                family: "Muller",
                given: "Peter",
                [
                    "gender": "male", "birthDate": "1980",
                    "identifier": [["system": "urn:other", "value": "123"]],
                ]
            ),
            .patient(
                "c",
                family: "Evans",
                given: "Mary, Ann",
                ["birthDate": "1990-01-01", "deceasedBoolean": true]
            )
        )
        return server
    }

    @Test(
        "strings start so, whatever the case and accents; :exact and :contains",
        arguments: [
            ("name=muller", ["a", "b"]), ("name=MÜLL", ["a", "b"]), ("name=eva", ["a", "c"]),
            ("family=ler", []),
            ("family:contains=LLE", ["a", "b"]), ("family:exact=Muller", ["b"]), ("family:exact=muller", []),
            ("given=mary\\, ann", ["c"]), ("given=peter,eva", ["a", "b"]), ("family=muller&given=eva", ["a"]),
            ("address=koln", ["a"]), ("address-city=k%C3%B6", ["a"]), ("name:missing=true", []),
            ("gender:missing=true", ["c"]), ("gender:missing=false", ["a", "b"]), ("given=100%25_", []),
            ("name=%5C", []),
        ]
    )
    func strings(query: String, ids: [String]) async throws {
        let server = try await patients()
        #expect(await server.found("Patient?" + query.replacing(" ", with: "%20")) == ids)
    }

    @Test(
        "tokens by code, system and both; :not and :text",
        arguments: [
            ("identifier=123", ["a", "b"]), ("identifier=urn:mrn|123", ["a"]), ("identifier=urn:mrn|", ["a"]),
            ("identifier=|123", []), ("gender=female", ["a"]), ("gender:not=female", ["b", "c"]),
            ("gender=http://hl7.org/fhir/administrative-gender|male", ["b"]), ("active=true", ["a"]),
            ("deceased=true", ["c"]), ("email=eva@example.org", ["a"]), ("_id=a,c", ["a", "c"]),
            ("_id:not=a", ["b", "c"]),
            ("gender=male,female", ["a", "b"]),
        ]
    )
    func tokens(query: String, ids: [String]) async throws {
        let server = try await patients()
        #expect(await server.found("Patient?" + query.replacing("|", with: "%7C")) == ids)
    }

    @Test(
        "dates by prefix, with the precision that both have",
        arguments: [
            ("birthdate=1980", ["a", "b"]), ("birthdate=1980-05-06", ["a"]), ("birthdate=1980-05", ["a"]),
            ("birthdate=ne1980", ["c"]), ("birthdate=gt1980", ["c"]), ("birthdate=ge1980", ["a", "b", "c"]),
            ("birthdate=lt1980-05-06", ["b"]), ("birthdate=le1980-05-06", ["a", "b"]),
            ("birthdate=sa1980-12-31", ["c"]),
            ("birthdate=eb1980-06", ["a"]), ("birthdate=ge1980-01-02&birthdate=lt1990", ["a", "b"]),
            ("birthdate=ap1981", ["a", "b"]), ("birthdate=gt1980-05-06,lt1970", ["b", "c"]),
        ]
    )
    func dates(query: String, ids: [String]) async throws {
        let server = try await patients()
        #expect(await server.found("Patient?" + query) == ids)
    }

    @Test("periods, and times in zones")
    func periods() async throws {
        let server = try TestServer()
        await server.store(
            .observation("t", of: "Patient/x", ["effectiveDateTime": "2026-03-01T00:30:00+01:00"]),
            .observation(
                "p",
                of: "Patient/x",
                ["effectivePeriod": ["start": "2026-03-01", "end": "2026-03-03"]]
            ),
            .observation("o", of: "Patient/x", ["effectivePeriod": ["start": "2026-03-02"]])
        )
        #expect(await server.found("Observation?date=2026-02-28") == ["t"])
        #expect(await server.found("Observation?date=2026-02-28T23:30:00Z") == ["t"])
        #expect(await server.found("Observation?date=2026-02-28T23:30Z") == ["t"])
        #expect(await server.found("Observation?date=2026-03-01T00:30:00%2B01:00") == ["t"])
        #expect(await server.found("Observation?date=2026-03") == ["p"])
        #expect(await server.found("Observation?date=gt2026-03-05") == ["o"])
        #expect(await server.found("Observation?date=lt2026-03-01") == ["t"])
        #expect(await server.found("Observation?date=sa2026-03-01") == ["o"])
        #expect(await server.get("Observation?date=yesterday").status == 400)
        #expect(await server.get("Observation?date=2026-02-30").status == 400)
    }

    @Test("quantities by number, precision, prefix and unit, converted by UCUM")
    func quantities() async throws {
        let server = try TestServer()
        func weight(_ id: String, _ value: JSONValue, _ code: String, _ more: JSONValue = [:]) -> JSONValue {
            var quantity: JSONValue = [
                "value": value, "unit": "u", "system": "http://unitsofmeasure.org", "code": JSONValue(code),
            ]
            for member in more.members ?? [] { quantity[member.name] = member.value }
            return .observation(id, of: "Patient/x", ["valueQuantity": quantity])
        }
        await server.store(
            weight("kg", 74.8, "kg"),
            weight("g", 74800, "g"),
            weight("light", 5.4, "kg"),
            weight("least", 100, "kg", ["comparator": ">"])
        )
        #expect(
            await server.found("Observation?value-quantity=74.8%7Chttp://unitsofmeasure.org%7Ckg") == [
                "kg", "g",
            ]
        )
        #expect(
            await server.found("Observation?value-quantity=75%7Chttp://unitsofmeasure.org%7Ckg") == [
                "kg", "g",
            ]
        )
        #expect(
            await server.found("Observation?value-quantity=74.80%7Chttp://unitsofmeasure.org%7Ckg") == [
                "kg", "g",
            ]
        )
        #expect(await server.found("Observation?value-quantity=74.7%7Chttp://unitsofmeasure.org%7Ckg") == [])
        #expect(await server.found("Observation?value-quantity=74.8%7C%7Ckg") == ["kg"])
        #expect(await server.found("Observation?value-quantity=74.8") == ["kg"])
        #expect(await server.found("Observation?value-quantity=gt74.8") == ["g", "least"])
        #expect(await server.found("Observation?value-quantity=le5.4") == ["light"])
        #expect(
            await server.found("Observation?value-quantity=ap80%7Chttp://unitsofmeasure.org%7Ckg") == [
                "kg", "g",
            ]
        )
        #expect(await server.found("Observation?value-quantity=74.8%7Chttp://unitsofmeasure.org%7Ccm") == [])
        #expect(await server.get("Observation?value-quantity=heavy").status == 400)
        #expect(await server.get("Observation?value-quantity=1e999").status == 400)
        #expect(
            await server.found("Observation?code-value-quantity=http://loinc.org%7C29463-7$lt10") == ["light"]
        )
        #expect(await server.get("Observation?code-value-quantity=29463-7").status == 400)
    }

    @Test(
        "a number with an exponent has two significant digits at least",
        arguments: [
            ("1e2", ["95", "104.9"]), ("1.0e2", ["95", "104.9"]), ("100", []), ("105", ["105", "104.9"]),
            ("1.05E2", ["105", "104.9"]),
            ("9.5e1", ["94.9", "95"]), ("ne1e2", ["94.9", "105"]),
        ]
    )
    func exponents(number: String, ids: [String]) async throws {
        let server = try TestServer()
        for value in ["94.9", "95", "104.9", "105"] {
            let digits = try #require(JSONValue(number: value))
            await server.store(.observation(value, of: "Patient/x", ["valueQuantity": ["value": digits]]))
        }
        #expect(Set(await server.found("Observation?value-quantity=" + number)) == Set(ids))
    }

    @Test("the parts of a composite are of one component")
    func composites() async throws {
        let server = try TestServer()
        func component(_ code: String, _ value: Int) -> JSONValue {
            ["code": ["coding": [["code": JSONValue(code)]]], "valueQuantity": ["value": JSONValue(value)]]
        }
        await server.store(
            .observation("bp", of: "Patient/x", ["component": [component("sys", 120), component("dia", 80)]])
        )
        #expect(await server.found("Observation?component-code-value-quantity=sys$120") == ["bp"])
        #expect(await server.found("Observation?component-code-value-quantity=sys$80") == [])
        #expect(await server.found("Observation?component-code-value-quantity=dia$80,sys$1") == ["bp"])
    }

    @Test("references by id, type, URL, identifier; chains and the reverse")
    func references() async throws {
        let server = try await patients()
        await server.store(
            .observation(
                "o1",
                of: "Patient/a",
                ["performer": [["identifier": ["system": "urn:doc", "value": "9"]]]]
            ),
            .observation("o2", of: "http://127.0.0.1:8080/fhir/Patient/b"),
            .observation("o3", of: "http://elsewhere.example/fhir/Patient/a"),
            ["resourceType": "Questionnaire", "id": "q", "url": "http://x.example/q", "status": "active"],
            [
                "resourceType": "QuestionnaireResponse", "id": "r", "status": "completed",
                "questionnaire": "http://x.example/q|2",
            ]
        )
        #expect(await server.found("Observation?subject=Patient/a") == ["o1"])
        #expect(await server.found("Observation?subject=b") == ["o2"])
        #expect(await server.found("Observation?subject:Patient=b") == ["o2"])
        #expect(await server.found("Observation?subject:Device=b") == [])
        #expect(await server.found("Observation?patient=Patient/a,Patient/b") == ["o1", "o2"])
        #expect(await server.found("Observation?subject=http://elsewhere.example/fhir/Patient/a") == ["o3"])
        #expect(await server.found("Observation?performer:identifier=urn:doc%7C9") == ["o1"])
        #expect(await server.found("Observation?subject:Patient.name=eva") == ["o1"])
        #expect(await server.found("Observation?patient.birthdate=1980&_sort=-_id") == ["o2", "o1"])
        #expect(await server.found("Observation?subject.name=peter") == ["o2"])
        #expect(await server.found("Patient?_has:Observation:patient:code=29463-7") == ["a", "b"])
        #expect(await server.found("QuestionnaireResponse?questionnaire=http://x.example/q") == ["r"])
        #expect(await server.found("QuestionnaireResponse?questionnaire=http://x.example/q%7C2") == ["r"])
        #expect(await server.found("Questionnaire?url=http://x.example/q") == ["q"])
        #expect(await server.found("Questionnaire?url:below=http://x.example") == ["q"])
        #expect(await server.get("Observation?subject.organization.name=x").issue == "too-costly")
        _ = await server.send("DELETE", "Patient/a")
        #expect(await server.found("Observation?subject:Patient.name=eva") == [])
    }

    @Test("includes follow references forth and back, and count for no match")
    func includes() async throws {
        let server = try await patients()
        await server.store(
            ["resourceType": "Organization", "id": "org", "name": "Clinic"],
            .patient("d", family: "Dow", ["managingOrganization": ["reference": "Organization/org"]]),
            .observation("o1", of: "Patient/d"),
            .observation("o2", of: "Patient/d")
        )
        let forth = await server.get("Observation?_include=Observation:subject")
        #expect(forth.matches == ["o1", "o2"])
        #expect(forth.ids(mode: "include") == ["d"])
        #expect(forth.json["total"]?.integer == 2)
        let further = await server.get(
            "Observation?_include=Observation:subject&_include:iterate=Patient:organization"
        )
        #expect(further.ids(mode: "include") == ["d", "org"])
        #expect(await server.get("Observation?_include=Observation:subject:Group").ids(mode: "include") == [])
        #expect(await server.get("Observation?_include=Observation:*").ids(mode: "include") == ["d"])
        let back = await server.get("Patient?_id=d&_revinclude=Observation:subject")
        #expect(back.ids(mode: "include") == ["o1", "o2"])
        #expect(await server.get("Patient?_include=Nothing:x").status == 400)
    }

    @Test("_include=* and _revinclude=* follow every reference of the matches")
    func allIncludes() async throws {
        let server = try TestServer { $0.limits.included = 3 }
        await server.store(
            ["resourceType": "Organization", "id": "org", "name": "Clinic"],
            [
                "resourceType": "Encounter", "id": "e", "status": "finished", "class": ["code": "AMB"],
                "subject": ["reference": "Patient/p"],
            ],
            .patient("p", family: "Dow", ["managingOrganization": ["reference": "Organization/org"]]),
            .observation("o", of: "Patient/p", ["encounter": ["reference": "Encounter/e"]])
        )
        let strict = ["Prefer": "handling=strict"]
        #expect(Set(await server.get("Observation?_include=*", strict).ids(mode: "include")) == ["p", "e"])
        #expect(
            Set(await server.get("Observation?_include:iterate=*").ids(mode: "include")) == ["p", "e", "org"]
        )
        #expect(Set(await server.get("Patient?_revinclude=*").ids(mode: "include")) == ["o", "e"])
        #expect(await server.get("Patient?_revinclude=*").json["total"]?.integer == 1)
        for id in ["o2", "o3", "o4"] { await server.store(.observation(id, of: "Patient/p")) }
        let cut = await server.get("Patient?_revinclude=*")
        #expect(cut.ids(mode: "include").count == 3)
        #expect(
            cut.ids(mode: "outcome").count == 0 && cut.entries.last?["search"]?["mode"]?.string == "outcome"
        )
    }

    @Test("results are sorted up and down by several parameters, missing values last")
    func sorting() async throws {
        let server = try await patients()
        await server.store(.patient("d", family: "Adler", ["name": [["family": "Adler"]]]))
        #expect(await server.found("Patient?_sort=family") == ["d", "c", "a", "b"])
        #expect(await server.found("Patient?_sort=-birthdate") == ["c", "b", "a", "d"])
        #expect(await server.found("Patient?_sort=birthdate") == ["b", "a", "c", "d"])
        #expect(await server.found("Patient?_sort=family,-_id") == ["d", "c", "b", "a"])
        #expect(await server.found("Patient?_sort=-_lastUpdated") == ["d", "c", "b", "a"])
        #expect(await server.get("Patient?_sort=nonsense", ["Prefer": "handling=strict"]).status == 400)
    }

    @Test("pages are of one result, whatever comes and goes in between")
    func pages() async throws {
        let server = try TestServer()
        for index in 0..<7 { await server.store(.patient("p\(index)", family: "F\(index)")) }
        let first = await server.get("Patient?_count=3&_sort=_id")
        #expect(first.matches == ["p0", "p1", "p2"])
        #expect(first.json["total"]?.integer == 7)
        #expect(first.link("self") == "http://127.0.0.1:8080/fhir/Patient?_count=3&_sort=_id")
        await server.store(.patient("a", family: "First"))
        _ = await server.send("DELETE", "Patient/p4")
        func follow(_ url: String?) async -> TestResponse {
            await server.get(String((url ?? "").dropFirst("http://127.0.0.1:8080".count)))
        }
        let second = await follow(first.link("next"))
        #expect(second.matches == ["p3", "p5"])
        let third = await follow(second.link("next"))
        #expect(third.matches == ["p6"])
        #expect(third.link("next") == nil)
        #expect(await follow(third.link("previous")).matches == ["p3", "p5"])
        #expect(await follow(second.link("last")).matches == ["p6"])
        #expect(await follow(second.link("first")).matches == ["p0", "p1", "p2"])
        #expect(await server.get("Patient?_snapshot=gone&_offset=3").status == 410)
        // The result of one search is none of another.
        let other = (first.link("next") ?? "").replacing("Patient?", with: "Observation?")
        #expect(await follow(other).status == 410)
    }

    @Test("_lastUpdated is found by the very time that the resource has")
    func lastUpdated() async throws {
        let server = try await patients()
        let at = try #require(await server.get("Patient/b").json["meta"]?["lastUpdated"]?.string)
        #expect(await server.found("Patient?_lastUpdated=\(at)") == ["b"])
        #expect(await server.found("Patient?_lastUpdated=gt\(at)") == ["c"])
        #expect(await server.found("Patient?_lastUpdated=le\(at)") == ["a", "b"])
        #expect(await server.found("Patient?_lastUpdated=lt2000,gt2100") == [])
        #expect(await server.get("Patient/_history?_since=\(at)").entries.count == 2)
    }

    @Test("_total, _count=0, _summary=count and _elements of a search")
    func totals() async throws {
        let server = try await patients()
        #expect(await server.get("Patient?_total=none").json["total"] == nil)
        for query in ["_count=0", "_summary=count"] {
            let response = await server.get("Patient?" + query)
            #expect(response.json["total"]?.integer == 3)
            #expect(response.entries.isEmpty)
        }
        let elements = await server.get("Patient?_elements=gender&_id=a").entries[0]["resource"]
        #expect(elements?["gender"] != nil && elements?["name"] == nil)
    }

    @Test("a search by POST is the same, with the parameters of both")
    func post() async throws {
        let server = try await patients()
        let form = "application/x-www-form-urlencoded"
        let response = await server.send(
            "POST",
            "Patient/_search?gender=female",
            type: form,
            body: "name=m%C3%BCller"
        )
        #expect(response.matches == ["a"])
        #expect(
            await server.send("POST", "Patient/_search", type: "application/json", body: "{}").status == 415
        )
        #expect(await server.send("POST", "Patient/_search", type: form, body: "name=%zz").status == 400)
    }

    @Test("what is unknown is refused, or ignored and reported if the client wants that")
    func unknown() async throws {
        let server = try await patients()
        let lenient = await server.get("Patient?nonsense=1&gender=male", ["Prefer": "handling=lenient"])
        #expect(lenient.matches == ["b"])
        #expect(lenient.entries.last?["search"]?["mode"]?.string == "outcome")
        #expect(lenient.link("self")?.contains("nonsense") == false)
        for query in [
            "Patient?nonsense=1", "Patient?_query=x", "Patient?_list=1", "Patient?_filter=x",
        ] {
            let refused = await server.get(query)
            #expect(refused.status == 400, "\(query)")
            #expect(refused.entries.isEmpty)
            #expect(await server.get(query, ["Prefer": "handling=lenient"]).status == 200)
        }
        // A modifier that is not known would change what is found: it is an error always.
        #expect(await server.get("Patient?name:below=x").status == 400)
        #expect(await server.get("Patient?gender:in=http://x").status == 400)
        #expect(await server.get("Patient?gender=").status == 200)
    }

    @Test("every value of a repeating element is indexed")
    func repeating() async throws {
        let server = try TestServer()
        func component(_ code: String, _ value: Int) -> JSONValue {
            ["code": ["text": JSONValue(code)], "valueQuantity": ["value": JSONValue(value)]]
        }
        await server.store(
            .observation(
                "bp",
                of: "Patient/x",
                ["component": [component("sys", 120), component("dia", 80)]]
            ),
            [
                "resourceType": "Group", "id": "g", "type": "person", "actual": true,
                "characteristic": [
                    [
                        "code": ["text": "a"], "valueCodeableConcept": ["coding": [["code": "one"]]],
                        "exclude": false,
                    ],
                    [
                        "code": ["text": "b"], "valueCodeableConcept": ["coding": [["code": "two"]]],
                        "exclude": false,
                    ],
                    ["code": ["text": "c"], "valueBoolean": true, "exclude": false],
                ],
            ]
        )
        #expect(await server.found("Observation?component-value-quantity=gt100") == ["bp"])
        #expect(await server.found("Observation?combo-value-quantity=80") == ["bp"])
        #expect(await server.found("Observation?component-value-quantity=gt120") == [])
        #expect(await server.found("Group?value=two") == ["g"])
        #expect(await server.found("Group?value=true") == ["g"])
    }

    @Test("a token's namespace is by its type: an identifier's system, a contact's use")
    func namespaces() async throws {
        let server = try TestServer()
        await server.store(
            .patient(
                "i",
                family: "A",
                ["identifier": [["system": "hospital", "use": "usual", "value": "7"]]]
            ),
            .patient("c", family: "B", ["telecom": [["system": "phone", "use": "home", "value": "555"]]])
        )
        #expect(await server.found("Patient?identifier=hospital%7C7") == ["i"])
        #expect(await server.found("Patient?identifier=usual%7C7") == [])
        #expect(await server.found("Patient?phone=home%7C555") == ["c"])
        #expect(await server.found("Patient?telecom=phone%7C555") == [])
        let patient = JSONValue.patient(
            nil,
            family: "C",
            ["identifier": [["system": "hospital", "value": "8"]]]
        )
        #expect(
            await server.post("Patient", patient, ["If-None-Exist": "identifier=hospital|8"]).status == 201
        )
        #expect(
            await server.post("Patient", patient, ["If-None-Exist": "identifier=hospital|8"]).status == 200
        )
    }

    @Test(
        "a code has the system of its value set, a boolean that of special values",
        arguments: [
            ("gender=http://hl7.org/fhir/administrative-gender|female", ["a"]),
            ("gender=http://loinc.org|female", []),
            ("gender=|female", ["a"]), ("gender=http://hl7.org/fhir/administrative-gender|", ["a", "b"]),
            ("active=http://terminology.hl7.org/CodeSystem/special-values|true", ["a"]),
            ("active=http://loinc.org|true", []),
            ("active=|true", ["a"]), ("deceased=http://loinc.org|true", []), ("deceased=true", ["c"]),
        ]
    )
    func systems(query: String, ids: [String]) async throws {
        let server = try await patients()
        #expect(await server.found("Patient?" + query.replacing("|", with: "%7C")) == ids)
    }

    @Test("an update takes the old values out of the index")
    func reindex() async throws {
        let server = try await patients()
        await server.store(.patient("a", family: "Other", given: "Name"))
        #expect(await server.found("Patient?name=eva") == ["c"])
        #expect(await server.found("Patient?name=other") == ["a"])
    }

    @Test("searches beyond the limits are refused")
    func limits() async throws {
        let server = try TestServer {
            $0.limits.matches = 2
            $0.limits.values = 5
            $0.limits.parameters = 4
            $0.limits.query = 200
            $0.limits.page = 1
        }
        await server.store(.patient("a", family: "A"), .patient("b", family: "B"))
        #expect(await server.get("Patient?_count=1000").entries.count == 1)
        await server.store(.patient("c", family: "C"))
        #expect(await server.get("Patient").issue == "too-costly")
        #expect(await server.get("Patient?_id=a,b,c,d,e,f").issue == "too-costly")
        #expect(await server.get("Patient?_id=a&_id=a&_id=a&_id=a&_id=a").issue == "too-costly")
        #expect(await server.get("Patient?_id=" + String(repeating: "a", count: 300)).issue == "too-costly")
    }
}
