import Foundation
import OAuth1
import Testing

@testable import IndivoSandbox

@Suite("Nobody reaches what is another's")
struct IsolationTests {
    /// Calls that these may make, whoever the record belongs to: they tell or change nothing of it.
    private static let allowed: Set<String> = [
        // Asking for authorisation is free; giving it is not.
        "request_token by the rival app",
        // What a request token asks for may be read and claimed by any account that holds the token.
        "request_token_info by another account", "request_token_claim by another account",
        "surl_verify by another account",
        // The rival's own token, in the exchange that is not approved.
        "exchange_token by the rival app's request token",
    ]

    private static let publicCalls: Set<String> = [
        "get_version", "all_phas", "all_manifests", "pha", "app_manifest", "smart_capabilities",
        "smart_ontology",
        "coding_systems_list", "coding_system_query",
    ]

    @Test("every call is refused to everybody it is not for, and nothing is changed")
    func everyCallEveryStranger() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let strangers: [(name: String, app: TestApp?)] = [
                ("nobody", nil), ("the rival app", world.rival),
                ("the rival app with its token", world.rivalToken),
                ("the rival app's request token", world.rivalRequestToken),
                ("an autonomous app of another record", world.autonomousToken),
                ("another account", world.strangerSession),
                (
                    "the right token with a wrong secret",
                    TestApp(sandbox, secret: "wrong").with(world.owner.token)
                ),
                ("the rival app with the right token", world.rival.with(world.owner.token)),
            ]
            let before = try await world.owner.get("/records/\(world.record)/documents/?limit=0").text
            var tried = 0
            for call in APIServer.allRoutes where !Self.publicCalls.contains(call.name) {
                for method in call.methods.isEmpty ? ["GET"] : call.methods {
                    for stranger in strangers {
                        guard !Self.allowed.contains("\(call.name) by \(stranger.name)") else { continue }
                        let answer = try await send(
                            method,
                            world.path(call.path.description),
                            stranger.app,
                            sandbox
                        )
                        #expect(
                            answer.status == 403,
                            """
                            \(method) \(call.name) by \(stranger.name) is answered \(answer.status): \
                            \(answer.text)
                            """
                        )
                        #expect(!answer.text.contains("Ines"))
                        tried += 1
                    }
                }
            }
            #expect(tried > 1000)
            let content = try await world.owner.get("/records/\(world.record)/documents/\(world.document)")
            #expect(content.text == "<secret xmlns=\"urn:x\">of Ines</secret>")
            #expect(try await world.owner.get("/records/\(world.record)/documents/?limit=0").text == before)
        }
    }

    private func send(
        _ method: String,
        _ path: String,
        _ app: TestApp?,
        _ sandbox: Sandbox
    ) async throws -> RawHTTP.Answer {
        guard let app else {
            return try await RawHTTP.request(method, port: sandbox.apiURL.port ?? 0, target: path)
        }
        return try await app.send(method, path)
    }

    @Test("a carenet's token reaches what is shared in the carenet, and nothing else")
    func carenetToken() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let carenet = "/carenets/\(world.carenet)"
            // The record's owner shares a document with the stranger, through the app.
            #expect(
                try await world.ownerSession.post(
                    carenet + "/accounts/",
                    form: ["account_id": World.stranger, "write": "false"]
                ).status == 200
            )
            #expect(
                try await world.ownerSession.send("PUT", carenet + "/apps/demo@apps.example.org").status
                    == 200
            )
            let shared = try World.id(
                try await world.owner.post("/records/\(world.record)/documents/", xml: "<shared/>"),
                "Document"
            )
            #expect(
                try await world.ownerSession.send(
                    "PUT",
                    "/records/\(world.record)/documents/\(shared)/carenets/\(world.carenet)"
                ).status == 200
            )

            let demo = TestApp(sandbox)
            let asked = try await demo.send(
                "POST",
                "/oauth/request_token",
                type: FormParameters.contentType,
                body: "indivo_carenet_id=\(world.carenet)",
                callback: "app:///back"
            )
            let request = try OAuthTokenResponse(parsing: asked.body)
            #expect(request["xoauth_indivo_carenet_id"] == world.carenet)
            let approved = try await world.strangerSession.post(
                "/oauth/internal/request_tokens/\(request.token.value)/approve",
                form: ["carenet_id": world.carenet]
            )
            #expect(approved.status == 200, "\(approved.text)")
            let verifier = try #require(approved.text.firstMatch(of: /oauth_verifier%3D([A-Za-z0-9]+)/))
                .output.1
            let exchanged = try await demo.with(request.token).send(
                "POST",
                "/oauth/access_token",
                verifier: String(verifier)
            )
            let app = demo.with(try OAuthTokenResponse(parsing: exchanged.body).token)

            let list = try await app.get(carenet + "/documents/")
            #expect(list.text.contains("total_document_count=\"1\""))
            #expect(try await app.get(carenet + "/documents/\(shared)").status == 200)
            #expect(try await app.get(carenet + "/documents/\(world.document)").status == 404)
            #expect(try await app.get(carenet + "/documents/\(world.document)/meta").status == 404)
            #expect(try await app.get(carenet + "/reports/Problem/").text == "[]")
            for call in APIServer.allRoutes where call.path.description.hasPrefix("/records/{record}") {
                for method in call.methods.isEmpty ? ["GET"] : call.methods {
                    let answer = try await app.send(method, world.path(call.path.description))
                    #expect(answer.status == 403, "\(method) \(call.name): \(answer.status)")
                }
            }
        }
    }

    @Test("an app that is taken from the record loses its tokens at once")
    func revoked() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            #expect(try await world.owner.get("/records/\(world.record)").status == 200)
            let removed = try await world.ownerSession.send(
                "DELETE",
                "/records/\(world.record)/apps/demo@apps.example.org"
            )
            #expect(removed.status == 200)
            #expect(try await world.owner.get("/records/\(world.record)").status == 403)
        }
    }

    @Test("a document cannot be reached by its id through another record")
    func wrongRecordRightDocument() async throws {
        try await withSandbox { sandbox async throws in
            let world = try await World(sandbox)
            let other = try #require(try await sandbox.records().last?.id)
            for rest in ["", "/meta", "/versions/", "/status-history", "/carenets/", "/rels/annotation/"] {
                let answer = try await world.rivalToken.get(
                    "/records/\(other)/documents/\(world.document)\(rest)"
                )
                #expect(answer.status == 404, "\(rest)")
            }
            let replaced = try await world.rivalToken.post(
                "/records/\(other)/documents/\(world.document)/replace",
                xml: "<mine/>"
            )
            #expect(replaced.status == 404)
        }
    }
}
