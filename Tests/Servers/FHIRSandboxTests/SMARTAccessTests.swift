import FHIRClient
import Foundation
import IndivoBase
import OrderedJSON
import Testing

@testable import FHIRSandbox

@Suite("Scopes of tokens")
struct SMARTAccessTests {
    /// A server with two patients, their weights, a note without a patient, and a practitioner.
    private static func server() async throws -> TestServer {
        let server = try TestServer {
            $0.smart = SMARTSandboxConfiguration()
            $0.smart?.accessTokenLifetime = 3_600
            $0.tokens = ["everything"]
        }
        let all = ["Authorization": "Bearer everything"]
        for id in ["ann", "bob"] {
            #expect(await server.put("Patient/\(id)", .patient(id, family: id), all).status == 201)
            let weight = JSONValue.observation("w-\(id)", of: "Patient/\(id)")
            #expect(await server.put("Observation/w-\(id)", weight, all).status == 201)
        }
        let nobodys: JSONValue = ["subject": .null]
        let basic = JSONValue.observation("nobody", of: "Group/g", nobodys)
        _ = await server.put("Observation/nobody", basic, all)
        let doctor: JSONValue = ["resourceType": "Practitioner", "id": "doc", "active": true]
        #expect(await server.put("Practitioner/doc", doctor, all).status == 201)
        return server
    }

    /// A token with scopes, for the patient ann.
    private static func token(
        _ server: TestServer,
        _ scopes: String,
        user: String = "Practitioner/doc"
    ) throws -> [String: String] {
        let smart = try #require(server.state.smart)
        let verifier = RandomToken.make(length: 43)
        let login = Self.login(
            [SMARTScope](parsing: scopes),
            verifier: verifier,
            base: "http://127.0.0.1:8080/fhir"
        )
        let code = smart.code(for: login, by: .init(name: "u", password: "p", fhirUser: user))
        let tokens = smart.tokens(forCode: code, client: "app", redirectURI: "app:/cb", verifier: verifier)
        return ["Authorization": "Bearer \(try #require(tokens).accessToken)"]
    }

    @Test("every indexed parameter of the patient compartment is a reference to a patient")
    func compartment() {
        var indexed = 0
        for (type, names) in PatientCompartment.parameters {
            #expect(SearchCatalog.r4.isType(type))
            for name in names {
                // Of rare types the sandbox indexes nothing: a patient's scopes do not open them.
                guard let parameter = SearchCatalog.r4.parameters(of: type)[name] else { continue }
                indexed += 1
                #expect(parameter.kind == .reference, "\(type).\(name)")
                #expect(parameter.targets.contains("Patient"), "\(type).\(name)")
            }
            #expect(PatientCompartment.subjects[type]?.isEmpty == false, "\(type)")
        }
        #expect(PatientCompartment.keys["Observation"] != nil && indexed > 25)
        #expect(PatientCompartment.shared.allSatisfy(SearchCatalog.r4.isType))
    }

    @Test("without a token only the CapabilityStatement is open, and says where to get one")
    func noToken() async throws {
        let server = try await Self.server()
        for path in [
            "Patient/ann", "Patient", "Observation?code=29463-7", "Patient/ann/$everything", "_history",
        ] {
            let response = await server.get(path)
            #expect(response.status == 401 && response.header("WWW-Authenticate") == "Bearer")
            let wrong = await server.get(path, ["Authorization": "Bearer wrong"])
            #expect(
                wrong.status == 401 && wrong.header("WWW-Authenticate")?.contains("invalid_token") == true
            )
        }
        #expect(await server.get("metadata").status == 200)
        #expect(await server.get("metadata").text.contains("oauth-uris"))
        #expect(await server.get(".well-known/smart-configuration").json["issuer"] != nil)
        // The pages show all patients.
        #expect(await server.get("/").status == 303)
        #expect(await server.get("/patients/ann").status == 303)
    }

    @Test("a patient's scopes show that patient's resources, however they are asked for")
    func patientReading() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "patient/*.rs")
        #expect(await server.get("Patient/ann", token).status == 200)
        #expect(await server.get("Observation/w-ann", token).status == 200)
        for path in [
            "Patient/bob", "Observation/w-bob", "Observation/nobody", "Patient/bob/$everything",
            "Patient/none",
        ] {
            #expect(await server.get(path, token).status == 404, "\(path)")
        }
        #expect(await server.get("Patient", token).matches == ["ann"])
        #expect(await server.get("Observation", token).matches == ["w-ann"])
        #expect(await server.get("Observation?patient=bob", token).matches.isEmpty)
        #expect(
            await server.get("Observation?code=29463-7&_total=accurate", token).json["total"]?.integer == 1
        )
        #expect(await server.get("Practitioner/doc", token).status == 200)
        let everything = await server.get("Patient/ann/$everything", token)
        #expect(Set(everything.entries.compactMap { $0["resource"]?["id"]?.string }) == ["ann", "w-ann"])
        // Old versions and histories tell of what was another's.
        for path in ["_history", "Patient/_history", "Patient/ann/_history", "Patient/ann/_history/1"] {
            #expect(await server.get(path, token).status == 403, "\(path)")
        }
        // What a chained condition matches would tell of others.
        for path in [
            "Observation?subject:Patient.family=bob", "Practitioner?_has:Observation:performer:code=29463-7",
        ] {
            #expect(await server.get(path, token).status == 403, "\(path)")
        }
    }

    @Test("what is included beside matches is the token's to read")
    func included() async throws {
        let server = try await Self.server()
        let all = ["Authorization": "Bearer everything"]
        let both = JSONValue.observation(
            "both",
            of: "Patient/ann",
            ["performer": [["reference": "Patient/bob"], ["reference": "Practitioner/doc"]]]
        )
        #expect(await server.put("Observation/both", both, all).status == 201)
        let token = try Self.token(server, "patient/Observation.rs patient/Practitioner.rs")
        let page = await server.get("Observation?_id=both&_include=Observation:performer", token)
        #expect(page.matches == ["both"] && page.ids(mode: "include") == ["doc"])
        let reverse = try Self.token(server, "patient/Patient.rs")
        #expect(
            await server.get("Patient?_revinclude=Observation:subject", reverse).ids(mode: "include").isEmpty
        )
    }

    @Test("writing stays within the patient's resources, alone, in batches and transactions")
    func patientWriting() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "patient/Observation.cruds")
        let own = JSONValue.observation(nil, of: "Patient/ann")
        let others = JSONValue.observation(nil, of: "Patient/bob")
        #expect(await server.post("Observation", own, token).status == 201)
        #expect(await server.post("Observation", others, token).status == 403)
        let moved = JSONValue.observation("w-ann", of: "Patient/bob")
        #expect(await server.put("Observation/w-ann", moved, token).status == 403)
        let taken = JSONValue.observation("w-bob", of: "Patient/ann")
        #expect(await server.put("Observation/w-bob", taken, token).status == 403)
        #expect(await server.send("DELETE", "Observation/w-bob", token).status == 403)
        let patch: JSONValue = [["op": "replace", "path": "/subject/reference", "value": "Patient/bob"]]
        #expect(await server.patch("Observation/w-ann", patch, token).status == 403)
        #expect(await server.patch("Observation/w-bob", patch, token).status == 404)
        #expect(await server.post("Patient", .patient(nil, family: "eve"), token).status == 403)
        #expect(await server.post("Practitioner", ["resourceType": "Practitioner"], token).status == 403)
        for kind in ["batch", "transaction"] {
            let bundle: JSONValue = [
                "resourceType": "Bundle", "type": JSONValue(kind),
                "entry": [
                    ["resource": others, "request": ["method": "POST", "url": "Observation"]],
                    ["request": ["method": "GET", "url": "Patient/bob"]],
                ],
            ]
            let response = await server.post("", bundle, token)
            #expect(!response.text.contains("\"201") && !response.text.contains("\"family\""))
        }
        let all = ["Authorization": "Bearer everything"]
        #expect(await server.get("Observation?subject=Patient/bob", all).matches == ["w-bob"])
        #expect(
            await server.get("Observation/w-ann", all).json["subject"]?["reference"]?.string == "Patient/ann"
        )
        #expect(await server.send("DELETE", "Observation/w-ann", token).status == 200)
    }

    @Test("what names the patient otherwise than as its subject is read, and not written")
    func subjects() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "patient/Observation.cruds patient/Coverage.cruds")
        let all = ["Authorization": "Bearer everything"]
        let performed: JSONValue = ["performer": [["reference": "Patient/ann"]]]
        let others = JSONValue.observation("performed", of: "Patient/bob", performed)
        #expect(await server.put("Observation/performed", others, token).status == 403)
        #expect(
            await server.post("Observation", .observation(nil, of: "Patient/bob", performed), token).status
                == 403
        )
        #expect(await server.put("Observation/performed", others, all).status == 201)
        #expect(await server.get("Observation/performed", token).status == 200)
        #expect(await server.put("Observation/performed", others, token).status == 403)
        let patch: JSONValue = [["op": "replace", "path": "/subject/reference", "value": "Patient/ann"]]
        #expect(await server.patch("Observation/performed", patch, token).status == 403)
        #expect(await server.send("DELETE", "Observation/performed", token).status == 403)
        func coverage(_ beneficiary: String, payor: String) -> JSONValue {
            [
                "resourceType": "Coverage", "status": "active",
                "beneficiary": ["reference": JSONValue("Patient/\(beneficiary)")],
                "payor": [["reference": JSONValue("Patient/\(payor)")]],
            ]
        }
        #expect(await server.post("Coverage", coverage("ann", payor: "bob"), token).status == 201)
        #expect(await server.post("Coverage", coverage("bob", payor: "ann"), token).status == 403)
    }

    @Test("each permission allows its own interactions", arguments: ["c", "r", "u", "d", "s"])
    func permissions(letter: String) async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "user/Observation.\(letter)")
        let body = JSONValue.observation("w-ann", of: "Patient/ann")
        let statuses = [
            "c": await server.post("Observation", .observation(nil, of: "Patient/ann"), token).status,
            "r": await server.get("Observation/w-ann", token).status,
            "s": await server.get("Observation", token).status,
            "u": await server.put("Observation/w-ann", body, token).status,
            "d": await server.send("DELETE", "Observation/w-bob", token).status,
        ]
        for (name, status) in statuses {
            #expect(name == letter ? (200..<300).contains(status) : status == 403, "\(name): \(status)")
        }
    }

    @Test("a condition of a scope holds for reading, searching and writing")
    func condition() async throws {
        let server = try await Self.server()
        let all = ["Authorization": "Bearer everything"]
        let category: JSONValue = ["category": [["coding": [["code": "laboratory"]]]]]
        _ = await server.put("Observation/lab", .observation("lab", of: "Patient/ann", category), all)
        let token = try Self.token(server, "patient/Observation.cruds?category=laboratory")
        #expect(await server.get("Observation", token).matches == ["lab"])
        #expect(await server.get("Observation/lab", token).status == 200)
        #expect(await server.get("Observation/w-ann", token).status == 404)
        #expect(await server.post("Observation", .observation(nil, of: "Patient/ann"), token).status == 403)
        #expect(
            await server.post("Observation", .observation(nil, of: "Patient/ann", category), token).status
                == 201
        )
        let unknown = try Self.token(server, "patient/Observation.rs?nonsense=1")
        #expect(await server.get("Observation", unknown).status == 400)
    }

    @Test("a user who is a patient sees that patient by a user's scopes")
    func patientAsUser() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "user/*.rs", user: "Patient/bob")
        #expect(await server.get("Patient", token).matches == ["bob"])
        #expect(await server.get("Observation/w-ann", token).status == 404)
    }

    @Test("a page of a search is no token's but its own")
    func pages() async throws {
        let server = try await Self.server()
        let first = await server.get("Observation?_count=1", ["Authorization": "Bearer everything"])
        let next = try #require(first.link("next")).replacing("http://127.0.0.1:8080/fhir/", with: "")
        let token = try Self.token(server, "patient/*.rs")
        #expect(await server.get(next, token).status == 410)
    }

    @Test("what a condition finds by reading is not changed without the right to write it")
    func conditionalWriting() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "user/Observation.rs patient/Observation.cruds")
        #expect(await server.get("Observation/w-bob", token).status == 200)
        #expect(await server.send("DELETE", "Observation?_id=w-bob", token).status == 403)
        let patch: JSONValue = [["op": "replace", "path": "/subject/reference", "value": "Patient/ann"]]
        #expect(await server.patch("Observation?_id=w-bob", patch, token).status == 403)
        let taken = JSONValue.observation("w-bob", of: "Patient/ann")
        #expect(await server.put("Observation?_id=w-bob", taken, token).status == 403)
        let all = ["Authorization": "Bearer everything"]
        let kept = await server.get("Observation/w-bob", all)
        #expect(kept.json["subject"]?["reference"]?.string == "Patient/bob")
        #expect(await server.send("DELETE", "Observation?_id=w-ann", token).status == 200)
    }

    @Test(
        "whoever is no practitioner is no staff",
        arguments: [
            ("Practitioner/house", nil), ("PractitionerRole/a", nil), ("Patient/ann", "ann"),
            ("RelatedPerson/mum", ""), ("patient/ann", ""), ("http://host/fhir/Patient/ann", ""),
            ("Practitioner/", ""), ("", ""),
        ] as [(String, String?)]
    )
    func staff(fhirUser: String, patient: String?) {
        let user = SMARTSandboxConfiguration.User(name: "u", password: "p", fhirUser: fhirUser)
        #expect(user.patient == patient)
    }

    @Test("an export has what its token opens, and is nobody else's")
    func export() async throws {
        let server = try await Self.server()
        let prefer = ["Prefer": "respond-async"]
        let patient = try Self.token(server, "patient/*.rs")
        #expect(await server.get("$export", patient.merging(prefer) { $1 }).status == 403)
        #expect(await server.get("Patient/$export", patient.merging(prefer) { $1 }).status == 403)
        let staff = try Self.token(server, "user/Patient.rs")
        #expect(await server.get("$export?_type=Observation", staff.merging(prefer) { $1 }).status == 403)
        #expect(await server.get("$export", staff).status == 400)
        let begun = await server.get("$export", staff.merging(prefer) { $1 })
        let status = try #require(begun.header("Content-Location")).replacing(
            "http://127.0.0.1:8080/fhir/",
            with: ""
        )
        var response = await server.get(status, staff)
        for _ in 0..<200 where response.status == 202 {
            try await Task.sleep(for: .milliseconds(50))
            response = await server.get(status, staff)
        }
        let files = response.json["output"]?.elements?.compactMap { $0["url"]?.string } ?? []
        #expect(files.count == 1)
        let file = try #require(files.first).replacing("http://127.0.0.1:8080/fhir/", with: "")
        #expect(await server.get(file, staff).text.split(separator: "\n").count == 2)
        let part = await server.get(file, staff.merging(["Range": "bytes=1-4"]) { $1 })
        #expect(part.status == 206 && part.response.body.count == 4)
        let other = try Self.token(server, "user/Patient.r")
        #expect(await server.get(status, other).status == 404)
        #expect(await server.get(file, other).status == 404)
        #expect(
            await server.get("$export-file/\(status.split(separator: "/")[1])/..%2Fx", staff).status == 404
        )
    }

    @Test("a create with a condition tells a writer nothing of what it may not read")
    func conditionalCreate() async throws {
        let server = try await Self.server()
        let token = try Self.token(server, "patient/Observation.c")
        let body = JSONValue.observation(nil, of: "Patient/ann")
        let found = await server.post(
            "Observation",
            body,
            token.merging(["If-None-Exist": "_id=w-ann"]) { $1 }
        )
        #expect(found.status == 200 && !found.text.contains("29463-7"))
        let hidden = await server.post(
            "Observation",
            body,
            token.merging(["If-None-Exist": "_id=w-bob"]) { $1 }
        )
        #expect(hidden.status == 201)
    }

    /// A login of the app "app", with a patient in its context unless `patient` is `nil`.
    private static func login(
        _ scopes: [SMARTScope],
        verifier: String,
        base: String = "b",
        patient: String? = "ann"
    ) -> SMARTState.Login {
        SMARTState.Login(
            app: SMARTState.App(id: "app"),
            redirectURI: "app:/cb",
            scopes: scopes,
            state: "s",
            challenge: Base64URL.encode(Data(SHA256Sum.hash(Data(verifier.utf8)))),
            base: base,
            patient: patient,
            end: .distantFuture
        )
    }

    @Test("a refresh token is good until the next one is used; then it ends what it was of")
    func rotation() async throws {
        let server = try await Self.server()
        let smart = try #require(server.state.smart)
        let verifier = RandomToken.make(length: 43)
        let login = Self.login([.offlineAccess, .patient("*", .reading)], verifier: verifier)
        let code = smart.code(for: login, by: .init(name: "u", password: "p", fhirUser: "Practitioner/doc"))
        func exchange(_ verifier: String) -> SMARTState.Tokens? {
            smart.tokens(forCode: code, client: "app", redirectURI: "app:/cb", verifier: verifier)
        }
        #expect(exchange("another verifier") == nil)
        let first = try #require(exchange(verifier))
        func refresh(_ token: String?) -> SMARTState.Tokens? {
            smart.tokens(forRefreshToken: token ?? "", client: "app", scopes: nil)
        }
        #expect(smart.tokens(forRefreshToken: first.refreshToken ?? "", client: "other", scopes: nil) == nil)
        _ = try #require(refresh(first.refreshToken))
        // The response was lost.
        let second = try #require(refresh(first.refreshToken))
        #expect(smart.access(by: second.accessToken) != nil)
        // It was used by now: somebody has both.
        #expect(refresh(first.refreshToken) == nil)
        #expect(refresh(second.refreshToken) == nil && smart.access(by: second.accessToken) == nil)
    }

    @Test("what is granted for as long as a person is logged in ends with the logout")
    func online() async throws {
        let server = try await Self.server()
        let smart = try #require(server.state.smart)
        let user = SMARTSandboxConfiguration.User(
            name: "u",
            password: "p",
            fhirUser: "Practitioner/doc"
        )
        func tokens(_ scope: SMARTScope, in session: String?) -> SMARTState.Tokens? {
            let verifier = RandomToken.make(length: 43)
            let login = Self.login([scope, .patient("*", .reading)], verifier: verifier)
            let code = smart.code(for: login, by: user, in: session)
            return smart.tokens(forCode: code, client: "app", redirectURI: "app:/cb", verifier: verifier)
        }
        func refreshed(_ tokens: SMARTState.Tokens) -> SMARTState.Tokens? {
            smart.tokens(forRefreshToken: tokens.refreshToken ?? "", client: "app", scopes: nil)
        }
        let session = smart.beginSession(user)
        let online = try #require(tokens(.onlineAccess, in: session))
        let offline = try #require(tokens(.offlineAccess, in: session))
        let next = try #require(refreshed(online))
        #expect(smart.access(by: next.accessToken) != nil)
        smart.endSession(session)
        #expect(smart.access(by: next.accessToken) == nil && refreshed(next) == nil)
        #expect(refreshed(offline) != nil)
        // The logout may come between the code and its use.
        #expect(tokens(.onlineAccess, in: session) == nil && tokens(.onlineAccess, in: nil) == nil)
    }

    @Test("a code that is used twice ends what it gave")
    func codeReplay() async throws {
        let server = try await Self.server()
        let smart = try #require(server.state.smart)
        let verifier = RandomToken.make(length: 43)
        let login = Self.login([.patient("*", .reading)], verifier: verifier, patient: nil)
        let code = smart.code(for: login, by: .init(name: "u", password: "p", fhirUser: "Practitioner/doc"))
        func exchange() -> SMARTState.Tokens? {
            smart.tokens(forCode: code, client: "app", redirectURI: "app:/cb", verifier: verifier)
        }
        let tokens = try #require(exchange())
        #expect(smart.grant(ofAccessToken: tokens.accessToken) != nil)
        #expect(exchange() == nil)
        #expect(smart.grant(ofAccessToken: tokens.accessToken) == nil)
    }
}
