import Crypto
import FHIR
import FHIRClient
import FHIRSandbox
import Foundation
import HTTPCalls
import HTTPTypes
import IndivoBase
import OrderedJSON
import TestSupport
import Testing

@Suite("Launches with the sandbox")
struct SandboxLaunchTests {
    static let redirectURI = URL(string: "org.example.growth:/callback")!  // It is one.

    /// A sandbox with two patients, and an app that is registered there.
    static func withSandbox(
        _ change: (inout SMARTSandboxConfiguration) -> Void = { _ in },
        _ body: (FHIRSandbox) async throws -> Void
    ) async throws {
        var smart = SMARTSandboxConfiguration()
        smart.apps = [
            .init(
                id: "growth",
                redirectURIs: [redirectURI.absoluteString],
                launchURL: "org.example.growth:/launch"
            )
        ]
        change(&smart)
        var configuration = FHIRSandboxConfiguration()
        configuration.smart = smart
        let sandbox = try await FHIRSandbox.start(configuration)
        do {
            for id in ["ann", "bob"] {
                try await sandbox.load(AnyResource(view: patient(id)))
                try await sandbox.load(AnyResource(view: observation(of: id)))
            }
            try await body(sandbox)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    static func patient(_ id: String) -> JSONValue {
        ["resourceType": "Patient", "id": JSONValue(id), "name": [["family": JSONValue(id)]]]
    }

    static func observation(of patient: String, id: String? = nil) -> JSONValue {
        [
            "resourceType": "Observation", "id": JSONValue(id ?? "weight-\(patient)"), "status": "final",
            "code": ["coding": [["system": "http://loinc.org", "code": "29463-7"]]],
            "subject": ["reference": JSONValue("Patient/\(patient)")],
        ]
    }

    static func server(
        _ sandbox: FHIRSandbox,
        scopes: [SMARTScope] = [.openID, .fhirUser, .launchPatient, .offlineAccess, .patient("*", .reading)],
        id: String = "growth",
        authentication: SMARTApp.Authentication = .none,
        sessions: any SessionStore<SMARTSession> = MemorySessionStore()
    ) throws -> SMARTServer {
        try SMARTServer(
            base: sandbox.baseURL,
            app: SMARTApp(id: id, redirectURI: redirectURI, scopes: scopes, authentication: authentication),
            options: SMARTServer.Options(sessions: sessions)
        )
    }

    static func launch(
        _ server: SMARTServer,
        allow: @escaping (FormParameters) -> FormParameters = { $0 }
    ) async throws -> SMARTLaunch {
        let receiver = URLSchemeReceiver(redirectURI: redirectURI)
        return try await server.launch(callback: receiver) { url in
            receiver.finish(try await Browser().logIn(url, allow: allow))
        }
    }

    @Test("a person logs in and chooses a patient, and the client reads only that patient")
    func standalone() async throws {
        try await Self.withSandbox { sandbox in
            let launch = try await Self.launch(try Self.server(sandbox))
            #expect(launch.context.patient == "ann" && launch.context.needPatientBanner == true)
            #expect(launch.user?.subject == "demo")
            #expect(launch.user?.fhirUser == sandbox.baseURL.absoluteString + "/Practitioner/demo")
            let client = try FHIRClient(launch)
            let patient = try #require(client.patient)
            #expect(try await client.read(patient).name.first?.family == "ann")
            var found: [String?] = []
            for try await observation in client.search(Observation.self) { found.append(observation.id) }
            #expect(found == ["weight-ann"])
            await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "bob") }
            await #expect(throws: FHIRClientError.self) {
                try await client.create(Observation(view: Self.observation(of: "ann")))
            }
            let about = try await launch.introspect()
            #expect(about.isActive && about.patient == "ann" && about.clientID == "growth")
            try await launch.logOut()
            await #expect(throws: FHIRClientError.self) { try await client.read(patient) }
        }
    }

    @Test("what the person does not allow is not granted")
    func lessGranted() async throws {
        try await Self.withSandbox { sandbox in
            let scopes: [SMARTScope] = [
                .launchPatient, .patient("Patient", .reading), .patient("Observation", .reading),
            ]
            let launch = try await Self.launch(try Self.server(sandbox, scopes: scopes)) { boxes in
                FormParameters(boxes.filter { !$0.value.contains("Observation") })
            }
            #expect(launch.scopes == [.launchPatient, .patient("Patient", .reading)])
            let client = try FHIRClient(launch)
            #expect(try await client.read(Patient.self, id: "ann").id == "ann")
            await #expect(throws: FHIRClientError.self) {
                try await client.read(Observation.self, id: "weight-ann")
            }
        }
    }

    @Test("a code of another login, put into this one, gives nothing")
    func injectedCode() async throws {
        try await Self.withSandbox { sandbox in
            let server = try Self.server(sandbox)
            let receiver = URLSchemeReceiver(redirectURI: Self.redirectURI)
            nonisolated(unsafe) var stolen = ""  // Written before it is read, by one task.
            let given = await failure(as: SMARTError.self) {
                try await server.launch(callback: receiver) { url in
                    let back = try await Browser().logIn(url, patient: "bob")
                    stolen = FormParameters(decoding: back.query(percentEncoded: true) ?? "")["code"] ?? ""
                    receiver.cancel()
                }
            }
            #expect(given?.reason == .cancelled && !stolen.isEmpty)
            let error = await failure(as: SMARTError.self) {
                try await server.launch(callback: receiver) { url in
                    let asked = FormParameters(decoding: url.query(percentEncoded: true) ?? "")
                    let back: FormParameters = [
                        "code": stolen, "state": asked["state"] ?? "", "iss": sandbox.baseURL.absoluteString,
                    ]
                    receiver.finish(try #require(URL(string: "\(Self.redirectURI)?\(back.encoded)")))
                }
            }
            #expect(error?.reason == .refused(code: "invalid_grant"))
        }
    }

    @Test("an app that a health record launches works on the patient there")
    func fromHealthRecord() async throws {
        try await Self.withSandbox { sandbox in
            let server = try Self.server(sandbox, scopes: [.patient("Patient", .reading)])
            let browser = Browser()
            let url = sandbox.pagesURL.appending(path: "auth/launch")
            var page = try await browser.open(url)
            page = try await browser.submit(page, to: "/auth/login", ["name": "demo", "password": "demo"])
            page = try await browser.submit(page, to: "/auth/launch", ["app": "growth", "patient": "bob"])
            let ehr = try #require(EHRLaunch(page.url))
            #expect(ehr.server == sandbox.baseURL)
            let receiver = URLSchemeReceiver(redirectURI: Self.redirectURI)
            let launch = try await server.launch(from: ehr, callback: receiver) { url in
                receiver.finish(try await browser.logIn(url))
            }
            #expect(launch.context.patient == "bob" && launch.context.needPatientBanner == false)
            // A launch is good once.
            let again = await failure(as: SMARTError.self) {
                try await server.launch(from: ehr, callback: receiver) { url in
                    receiver.finish(try await browser.logIn(url))
                }
            }
            #expect(again?.reason == .denied(code: "invalid_request"))
        }
    }

    @Test("confidential clients log in with a secret, and with a key", arguments: ["secret", "key"])
    func confidential(kind: String) async throws {
        let key = try BackendKey(pem: Secret(P384.Signing.PrivateKey().pemRepresentation))
        let jwk = try key.publicJWK(id: "k1")
        try await Self.withSandbox { smart in
            smart.apps = [
                .init(
                    id: "growth",
                    redirectURIs: [Self.redirectURI.absoluteString],
                    secret: kind == "secret" ? "s3cret &?" : nil,
                    keys: kind == "key" ? ["keys": [jwk]] : nil
                )
            ]
        } _: { sandbox in
            let authentication: SMARTApp.Authentication =
                kind == "secret"
                ? .secret("s3cret &?")
                : .assertion(ClientAssertion(clientID: "growth", keyID: "k1", key: key))
            let launch = try await Self.launch(try Self.server(sandbox, authentication: authentication))
            #expect(launch.context.patient == "ann")
            let wrong = await failure(as: SMARTError.self) {
                try await Self.launch(try Self.server(sandbox, authentication: .secret("wrong")))
            }
            #expect(wrong?.reason == .refused(code: "invalid_client") && wrong?.step == .token)
        }
    }

    @Test("a backend service gets the scopes that it is registered with")
    func backend() async throws {
        let key = try BackendKey(pem: Secret(P384.Signing.PrivateKey().pemRepresentation))
        let jwk = try key.publicJWK(id: "k1")
        try await Self.withSandbox { smart in
            smart.apps = [
                .init(id: "loader", keys: ["keys": [jwk]], backendScopes: [.system("Observation", .all)])
            ]
        } _: { sandbox in
            let credentials = try ClientCredentials(
                tokenURL: sandbox.pagesURL.appending(path: "auth/token"),
                scope: "system/Observation.rs system/Patient.rs",
                authentication: .assertion(ClientAssertion(clientID: "loader", keyID: "k1", key: key))
            )
            let client = try FHIRClient(base: sandbox.baseURL, authorization: credentials)
            #expect(try await client.count(Observation.self) == 2)
            await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: "ann") }
            await #expect(throws: FHIRClientError.self) {
                try await client.delete(Observation.self, id: "weight-ann")
            }
        }
    }

    @Test("a session that was kept goes on without a login, also after its tokens changed")
    func kept() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "smart-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = FileSessionStore<SMARTSession>(file: folder.appending(path: "sessions.json"))
        try await Self.withSandbox {
            $0.accessTokenLifetime = 0
        } _: { sandbox in
            let launch = try await Self.launch(try Self.server(sandbox, sessions: store))
            try await launch.keep()
            for _ in 0..<3 {
                // Each access token is over at once, and the store alone knows the newest refresh token.
                let kept = try #require(try await Self.server(sandbox, sessions: store).keptLaunches().first)
                #expect(kept.context.patient == "ann" && kept.user == launch.user)
                _ = try await kept.authorization.token()
            }
            #expect(try store.sessions().count == 1)
            try await #require(try Self.server(sandbox, sessions: store).keptLaunches().first).logOut()
            #expect(try store.sessions().isEmpty)
        }
    }
}

extension URLSchemeReceiver {
    /// Takes where a browser ended; what is no way back ends the login.
    fileprivate func finish(_ url: URL) {
        guard !receive(url) else { return }
        Issue.record("the browser ended at \(url)")
        cancel()
    }
}
