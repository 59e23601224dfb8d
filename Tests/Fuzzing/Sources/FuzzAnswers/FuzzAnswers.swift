import Dispatch
import Foundation
import HTTPTypes
import Indivo
import OAuth1
import Synchronization

/// Gives every request the same answer, and looks where requests go: what a server says must not lead them
/// elsewhere.
private final class SameAnswer: HTTPTransport {
    let answer = Mutex(HTTPAnswer(response: HTTPResponse(status: .ok)))
    let count = Mutex(0)

    func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
        let path = request.path ?? ""
        guard request.authority == "h.example.org", path.first == "/", !path.contains("/../"),
            !path.contains("//"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !path.contains("#"),
            !path.hasSuffix("/.."), !path.contains("/./")
        else { fatalError("a request goes to \(request.authority ?? "") \(path)") }
        // A list that never ends is a server's good right.
        let isEnough = count.withLock { count in
            count += 1
            return count > 20
        }
        return isEnough ? HTTPAnswer(response: HTTPResponse(status: .notFound)) : answer.withLock { $0 }
    }
}

private let transport = SameAnswer()
private let server: IndivoServer = {
    guard let url = URL(string: "https://h.example.org") else { fatalError("no URL") }
    return IndivoServer(
        api: url,
        ui: url,
        app: AppCredentials(id: "a@apps.example.org", consumerKey: "app", consumerSecret: "secret"),
        transport: transport,
        options: IndivoServer.Options(retry: .never, sessions: MemorySessionStore())
    )
}()

/// Whatever a server answers: a value or an `IndivoError`. The first byte names the call, the second the
/// answer's status and type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let call = start[0]
    let statuses = [200, 200, 200, 200, 200, 200, 400, 403, 404, 500, 302, 204]
    let types = ["application/xml", "text/xml", "application/json", "text/plain", "text/html", "image/png"]
    let head = HTTPResponse(
        status: HTTPResponse.Status(code: statuses[Int(start[1] & 0xF) % statuses.count]),
        headerFields: [.contentType: types[Int(start[1] >> 4) % types.count]]
    )
    let body = Data(UnsafeBufferPointer(start: start + 2, count: count - 2))
    transport.answer.withLock { $0 = HTTPAnswer(response: head, body: body) }
    transport.count.withLock { $0 = 0 }
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            try await ask(call)
        } catch let error as IndivoError {
            if "\(error)".isEmpty { fatalError("an error says nothing") }
            _ = error.debugDetails
        } catch is DocumentError {
            // A document that was read cannot be written as its class wants it.
        } catch {
            fatalError("another error: \(error)")
        }
        done.signal()
    }
    done.wait()
    return 0
}

private func ask(_ call: UInt8) async throws {
    let record = server.record(id: "r-1", token: OAuthToken(value: "token", secret: "secret"))
    switch call % 22 {
    case 0:
        _ = try await record.information()
    case 1:
        for medication in try await record.reports(of: Medication.self, matching: ReportQuery()).all() {
            _ = medication.drugName?.title
        }
    case 2:
        _ = try await record.reports(of: VitalSigns.self, matching: ReportQuery().format(.json)).all()
    case 3:
        for document in try await record.documentList() {
            _ = try await record.document(document.id).refreshMetadata()
        }
    case 4:
        let document = try await record.document("d-1", as: Problem.self)
        document.notes = "changed"
        try await document.replace()
        _ = try await document.versions()
    case 5:
        _ = try await record.equipment().all()
    case 6:
        _ = try await record.measurements("HR").all()
    case 7:
        _ = try await record.audit().all()
    case 8:
        _ = try await record.aggregate(AggregateQuery(.count, of: "name"), over: .equipment)
    case 9:
        _ = try await record.demographics()
    case 10:
        let graph = try await record.smart(.medications)
        for fact in (try? graph.factIDs(of: .medications)) ?? [] {
            _ = try await record.smart(.medications, fact: fact)
        }
    case 11:
        let account = record.account("p@example.org")
        for message in try await account.inbox() {
            let whole = try await account.message(message.id)
            for attachment in whole.attachments { try await account.acceptAttachment(attachment, of: whole) }
            try await account.archive(whole)
        }
    case 12:
        _ = try await record.account("p@example.org").notifications()
    case 13:
        for listing in try await record.account("p@example.org").records() {
            _ = try await server.record(id: listing.id, token: record.token).information()
        }
    case 14:
        for app in try await server.apps() { _ = app.name }
    case 15:
        _ = try await server.capabilities()
    case 16:
        _ = try await record.carenet("c").information()
        _ = try await record.carenet("c").accounts()
    case 17:
        for document in try await record.documents().all() { _ = try await document.carenets() }
    case 18:
        _ = try await server.autonomousRecords()
    case 19:
        let new = Problem()
        new.notes = "new"
        try await record.add(new, externalID: "x", validation: .none)
        try await new.setStatus(.archived, reason: "old")
        _ = try await new.statusHistory()
    case 20:
        _ = try await record.reports(ofModel: "Problem").all()
    default:
        _ = try await server.version()
    }
}
