import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

@Suite("Lists")
struct PagedListTests {
    /// Plays a record with so many documents, and answers lists as a server does.
    private func server(of count: Int) -> AnsweringTransport {
        AnsweringTransport { request, _ in
            let query = FormParameters(
                decoding: String((request.path ?? "").split(separator: "?").last ?? "")
            )
            var ids = Array(0..<count)
            if query["type"] == nil {
                let offset = query["offset"].flatMap { Int($0) } ?? 0
                ids = Array(ids.dropFirst(offset).prefix(query["limit"].flatMap { Int($0) } ?? 100))
            }
            let body =
                "<Documents record_id=\"r-1\" total_document_count=\"\(count)\">"
                + ids.map { "<Document id=\"d-\($0)\"/>" }.joined() + "</Documents>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
    }

    private func ids(_ list: PagedList<FileDocument>) async throws -> [String] {
        var ids: [String] = []
        for try await document in list { ids.append(document.id ?? "") }
        return ids
    }

    @Test(
        "is the same whatever the pages",
        arguments: [0, 1, 3, 6, 7],
        [1, 3, 100]
    )
    func pages(count: Int, pageSize: Int) async throws {
        let transport = server(of: count)
        let list = transport.record().documents(DocumentQuery(pageSize: pageSize))
        #expect(try await ids(list) == (0..<count).map { "d-\($0)" })
        #expect(transport.requests.count == max(1, (count + pageSize - 1) / pageSize), "no request too many")
    }

    @Test("a limit and an offset are kept, over pages", arguments: [(5, 2), (3, 0), (100, 8), (2, 20)])
    func limits(limit: Int, offset: Int) async throws {
        let list = server(of: 10).record().documents(DocumentQuery(limit: limit, offset: offset, pageSize: 2))
        #expect(try await ids(list) == (0..<10).dropFirst(offset).prefix(limit).map { "d-\($0)" })
    }

    @Test("with a type everything comes at once, and limit and offset hold all the same")
    func types() async throws {
        let transport = server(of: 10)
        let list = transport.record().documents(
            DocumentQuery(type: .equipment, limit: 3, offset: 4, pageSize: 2)
        )
        #expect(try await ids(list) == ["d-4", "d-5", "d-6"])
        #expect(transport.requests.count == 1)
        let path = try #require(transport.requests.first?.path)
        #expect(path.contains("type=http%3A%2F%2Findivo.org%2Fvocab%2Fxml%2Fdocuments%23Equipment"))
        #expect(!path.contains("limit") && !path.contains("offset"))
    }

    @Test("tells the total, and after each page how far it is")
    func progress() async throws {
        let seen = Seen<PagedList<FileDocument>.Progress>()
        let list = server(of: 5).record().documents(DocumentQuery(pageSize: 2)).onProgress { seen.add($0) }
        #expect(try await list.total() == 5)
        #expect(seen.all.isEmpty)
        _ = try await list.all()
        #expect(seen.all.map(\.loaded) == [2, 4, 5] && seen.all.allSatisfy { $0.total == 5 })
        #expect(seen.all.last?.fraction == 1)
    }

    @Test("the progress is told on the actor that reads the list, however it is read")
    @MainActor func progressActor() async throws {
        // Any thread may serve the main queue.
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        let onMain = Seen<Bool>()
        let list = server(of: 5).record().documents(DocumentQuery(pageSize: 2)).onProgress { _ in
            onMain.add(DispatchQueue.getSpecific(key: mark) ?? false)
        }
        _ = try await list.all()
        for try await _ in list {}
        for try await _ in list.pages {}
        #expect(onMain.all == Array(repeating: true, count: 9))
    }

    @Test("where there is no total, the progress tells none before the end")
    func noTotal() async throws {
        let seen = Seen<PagedList<Problem>.Progress>()
        let transport = AnsweringTransport { request, _ in
            let query = FormParameters(
                decoding: String((request.path ?? "").split(separator: "?").last ?? "")
            )
            let models = Array(repeating: "<Model name=\"Problem\" documentId=\"d\"/>", count: 3)
                .dropFirst(query["offset"].flatMap { Int($0) } ?? 0).prefix(
                    query["limit"].flatMap { Int($0) } ?? 0
                )
            let body = "<Models>" + models.joined() + "</Models>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        let list = transport.record().reports(of: Problem.self, matching: ReportQuery().paged(by: 2))
        #expect(try await list.onProgress { seen.add($0) }.all().count == 3)
        #expect(seen.all.map(\.loaded) == [2, 3] && seen.all.map(\.total) == [nil, 3])
    }

    @Test(
        "what is added at the beginning meanwhile shows no row twice",
        arguments: [1, 2, 3, 100]
    )
    func growing(pageSize: Int) async throws {
        let requests = Mutex(0)
        let transport = AnsweringTransport { request, _ in
            let query = FormParameters(
                decoding: String((request.path ?? "").split(separator: "?").last ?? "")
            )
            let before = requests.withLock { count in
                defer { count += 1 }
                return count
            }
            // The newest first: one more for each request before this one.
            let entries = (0..<(7 + before)).reversed()
                .dropFirst(query["offset"].flatMap { Int($0) } ?? 0).prefix(
                    query["limit"].flatMap { Int($0) } ?? 0
                )
            let body =
                "<Reports><Summary total_document_count=\"\(7 + before)\"/>"
                + entries.map {
                    """
                    <Report><Meta/><Item><AuditEntry><Resources \
                    document_id=\"d-\($0)\"/></AuditEntry></Item></Report>
                    """
                }.joined() + "</Reports>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        let list = transport.record().audit(matching: ReportQuery().paged(by: pageSize))
        #expect(try await list.all().map { $0.resources?.documentID } == (0..<7).reversed().map { "d-\($0)" })
    }

    @Test("reads no page before it is asked for, and none after it is left")
    func lazy() async throws {
        let transport = server(of: 10)
        let list = transport.record().documents(DocumentQuery(pageSize: 2))
        #expect(transport.requests.isEmpty)
        for try await document in list where document.id == "d-2" { break }
        #expect(transport.requests.count == 2)
    }

    @Test(
        "numbers that make no page are refused before anything is sent",
        arguments: [
            DocumentQuery(limit: 0), DocumentQuery(limit: -3), DocumentQuery(offset: -1),
            DocumentQuery(pageSize: 0),
        ]
    )
    func badNumbers(query: DocumentQuery) async {
        let transport = server(of: 1)
        let error = await #expect(throws: IndivoError.self) {
            try await transport.record().documents(query).all()
        }
        #expect(transport.requests.isEmpty && error?.description.contains("give ") == true)
    }

    @Test("documents on the main actor are read there")
    @MainActor
    func onMainActor() async throws {
        var count = 0
        for try await document in server(of: 3).record().documents() {
            #expect(document.state == .pushed)
            count += 1
        }
        #expect(count == 3)
        let transport = AnsweringTransport("<Models><Model name=\"Problem\" documentId=\"d\"/></Models>")
        for problem in try await transport.record().reports(of: Problem.self).all() {
            #expect(problem.id == "d")
        }
        for try await problem in transport.record().reports(of: Problem.self) { #expect(problem.id == "d") }
    }
}

private final class Seen<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func add(_ value: Value) { values.withLock { $0.append(value) } }
}
