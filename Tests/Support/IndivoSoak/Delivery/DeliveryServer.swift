import DurableQueue
import Foundation
import IndivoBase
import Synchronization
import WebServing

/// The server process of a study: it has no key, stores what it gets in the order in which it gets it, and
/// counts what it has already. It speaks ResearchKit's protocol, and C3-PRO's with its odd responses.
final class DeliveryServer: Sendable {
    /// Larger bodies are refused.
    static let largest = 60_000

    private struct State {
        var ids: Set<String> = []
        var tokens: Set<String> = []
        var uploads = 0
    }

    private let folder: String
    private let state = Mutex(State())

    static func run(folder: String, portFile: String) async throws {
        let server = try DeliveryServer(folder)
        let settings = HTTPListener.Configuration(
            address: "127.0.0.1",
            port: 0,
            bodyLimit: 8 << 20,
            timeout: 20,
            serverName: "soak",
            tooLarge: Response(status: 413),
            internalError: Response(status: 500),
            now: { Date() }
        )
        let listener = try await HTTPListener(settings) { server.respond($0) }
        try Data("\(listener.port)".utf8).write(to: URL(filePath: portFile), options: .atomic)
        // Until it is killed.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    private init(_ folder: String) throws {
        self.folder = folder
        try Disk().makeFolder(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
        state.withLock { $0.ids = Set(names.compactMap { $0.split(separator: "_").last.map(String.init) }) }
    }

    private func respond(_ request: Request) -> Response {
        switch request.rawPath {
        case "/upload":
            guard let id = request.header("X-ResearchKit-UploadUUID") else { return Response(status: 400) }
            return store(request.body, id)
        case "/c3pro/register":
            return json(
                201,
                #"{"client_id":"soak","client_secret":"a+b/c=","grant_types":["client_credentials"],}"#
            )
        case "/c3pro/oauth":
            let token = UUID().uuidString
            state.withLock { _ = $0.tokens.insert(token) }
            return json(202, #"{"access_token":"\#(token)","expires_in":1800,"token_type":"bearer"}"#)
        case let path where path.hasPrefix("/c3pro/encfhir/"):
            let bearer = request.header("Authorization")?.dropFirst("Bearer ".count).description ?? ""
            // Tokens end with the process that gave them.
            guard state.withLock({ $0.tokens.contains(bearer) }) else {
                return json(401, #"{"error":"unauthorized_client"}"#)
            }
            guard let id = request.header("Idempotency-Key") else { return Response(status: 400) }
            let number = state.withLock { state in
                state.uploads += 1
                return state.uploads
            }
            // An error with status 200, before anything is stored.
            return number.isMultiple(of: 17)
                ? json(200, "{'error':'Error accessing the queue'}") : store(request.body, id)
        default: return Response(status: 404)
        }
    }

    private func json(_ status: Int, _ text: String) -> Response {
        Response(status: status, type: "application/json", text: text)
    }

    /// One at a time: the order is part of the name.
    private func store(_ body: Data, _ id: String) -> Response {
        guard body.count <= Self.largest else { return Response(status: 413) }
        return state.withLock { state in
            let id = id.lowercased()
            guard !state.ids.contains(id) else {
                print("repeated \(id)")
                fflush(nil)
                return Response(status: 200)
            }
            do {
                let digits = String(state.ids.count)
                let name = String(repeating: "0", count: 9 - digits.count) + digits + "_" + id
                try Disk().writeAtomically(to: name, in: folder, replacing: false) { try $0.append(body) }
                state.ids.insert(id)
                return Response(status: 200)
            } catch {
                return Response(status: 500)
            }
        }
    }
}
