import Foundation
import HTTPTypes
import Indivo
import Synchronization
import Testing

/// Lists that change while they are read, on a server whose total and rows come from two statements.
@Suite("Lists that change while they are read")
struct ChangingListTests {
    /// A table of documents, the newest first, that others work on.
    private final class Table: Sendable {
        private struct State {
            var rows: [Int]
            var next: Int
            var requests = 0
        }

        private let state: Mutex<State>

        init(_ count: Int) { state = Mutex(State(rows: (0..<count).reversed(), next: count)) }

        func insert(_ count: Int) {
            state.withLock { state in
                for _ in 0..<count {
                    state.rows.insert(state.next, at: 0)
                    state.next += 1
                }
            }
        }

        func remove(_ ids: Set<Int>) { state.withLock { $0.rows.removeAll { ids.contains($0) } } }

        var total: Int { state.withLock { $0.rows.count } }
        var all: [Int] { state.withLock { $0.rows } }
        func rows(_ offset: Int, _ limit: Int) -> [Int] {
            state.withLock { Array($0.rows.dropFirst(offset).prefix(limit)) }
        }
        func nextRequest() -> Int {
            state.withLock { state in
                defer { state.requests += 1 }
                return state.requests
            }
        }
    }

    private enum Moment { case beforeRequest, betweenStatements }

    private func server(_ table: Table, _ others: @escaping @Sendable (Moment, Int) -> Void)
        -> AnsweringTransport
    {
        AnsweringTransport { request, _ in
            let query = FormParameters(
                decoding: String((request.path ?? "").split(separator: "?").last ?? "")
            )
            let number = table.nextRequest()
            others(.beforeRequest, number)
            let total = table.total
            others(.betweenStatements, number)
            let rows = table.rows(
                query["offset"].flatMap { Int($0) } ?? 0,
                query["limit"].flatMap { Int($0) } ?? 100
            )
            let isReport = request.path?.contains("/reports/Problem/") == true
            let body =
                isReport
                ? "<Models>" + rows.map { "<Model name=\"Problem\" documentId=\"d-\($0)\"/>" }.joined()
                    + "</Models>"
                : "<Documents total_document_count=\"\(total)\">"
                    + rows.map { "<Document id=\"d-\($0)\"/>" }.joined()
                    + "</Documents>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
    }

    private func ids(_ transport: AnsweringTransport, pageSize: Int, reports: Bool = false) async throws
        -> [Int]
    {
        var ids: [String?] = []
        if reports {
            let list = transport.record().reports(
                of: Problem.self,
                matching: ReportQuery().paged(by: pageSize)
            )
            for try await problem in list { ids.append(problem.id) }
        } else {
            for try await document in transport.record().documents(DocumentQuery(pageSize: pageSize)) {
                ids.append(document.id)
            }
        }
        return ids.compactMap { $0.flatMap { Int($0.dropFirst(2)) } }
    }

    @Test(
        "what others add between requests makes the list neither lose nor double a row",
        arguments: [1, 3, 7, 50],
        [true, false]
    )
    func adding(pageSize: Int, reports: Bool) async throws {
        // Each seed another order of events.
        for seed in 0..<3 {
            let table = Table(60)
            let transport = server(table) { moment, number in
                table.insert((number * 7 + seed * 5 + (moment == .beforeRequest ? 0 : 3)) % 4)
            }
            let seen = try await ids(transport, pageSize: pageSize, reports: reports)
            #expect(Set(seen).count == seen.count, "page size \(pageSize), seed \(seed): doubled")
            #expect(Set(0..<60).isSubset(of: seen), "page size \(pageSize), seed \(seed): lost")
            #expect(seen == seen.sorted(by: >))
        }
    }

    @Test("more added between two requests than a page holds", arguments: [1, 3, 10], [true, false])
    func addingMany(pageSize: Int, reports: Bool) async throws {
        let table = Table(30)
        let transport = server(table) { moment, number in
            if moment == .beforeRequest, number == 1 || number == 4 { table.insert(40) }
        }
        let seen = try await ids(transport, pageSize: pageSize, reports: reports)
        #expect(seen == (0..<30).reversed().map { $0 })
    }

    @Test("what others take away hides nothing that stays", arguments: [1, 3, 7, 20], [true, false])
    func removing(pageSize: Int, reports: Bool) async throws {
        for seed in 0..<3 {
            let table = Table(60)
            let removed = Set((0..<60).filter { ($0 + seed) % 3 == 0 })
            let transport = server(table) { moment, number in
                // The newest first, which have been read already, and in the middle of a request too.
                let gone = removed.sorted(by: >).dropFirst(number * 2 + (moment == .beforeRequest ? 0 : 1))
                    .prefix(1)
                table.remove(Set(gone))
            }
            let seen = try await ids(transport, pageSize: pageSize, reports: reports)
            #expect(Set(seen).count == seen.count, "page size \(pageSize), seed \(seed): doubled")
            #expect(Set(table.all).isSubset(of: seen), "page size \(pageSize), seed \(seed): lost")
        }
    }

    @Test(
        "an app that takes each document out of the list as it reads it sees them all",
        arguments: [1, 3, 10, 100]
    )
    func consuming(pageSize: Int) async throws {
        let table = Table(30)
        let transport = server(table) { _, _ in }
        var seen: [Int] = []
        for try await document in transport.record().documents(DocumentQuery(pageSize: pageSize)) {
            let id = try #require(document.id.flatMap { Int($0.dropFirst(2)) })
            seen.append(id)
            table.remove([id])
        }
        #expect(seen == (0..<30).reversed().map { $0 })
    }

    @Test("rows that are alike are all there, whatever the pages", arguments: [1, 2, 3, 4, 100])
    func alike(pageSize: Int) async throws {
        // Several facts of one document carry its id alone.
        let rows = ["a", "a", "a", "b", "a", "b", "b", "c"]
        let transport = AnsweringTransport { request, _ in
            let query = FormParameters(
                decoding: String((request.path ?? "").split(separator: "?").last ?? "")
            )
            let page = rows.dropFirst(query["offset"].flatMap { Int($0) } ?? 0).prefix(
                query["limit"].flatMap { Int($0) } ?? 0
            )
            let body =
                "<Models>" + page.map { "<Model name=\"Problem\" documentId=\"\($0)\"/>" }.joined()
                + "</Models>"
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(body.utf8))
        }
        let list = transport.record().reports(of: Problem.self, matching: ReportQuery().paged(by: pageSize))
        #expect(try await list.all().map(\.id) == rows)
    }

    @Test("a limit is kept while the list grows")
    func limit() async throws {
        let table = Table(30)
        let transport = server(table) { _, _ in table.insert(1) }
        let query = DocumentQuery(limit: 10, pageSize: 4)
        #expect(try await transport.record().documents(query).all().count == 10)
    }

    @Test("a server that always gives other rows does not keep the client reading for ever")
    func nonsense() async throws {
        let count = Mutex(0)
        let transport = AnsweringTransport { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let rows = (0..<(number > 500 ? 0 : 4)).map { "<Document id=\"d-\(number)-\($0)\"/>" }.joined()
            return HTTPAnswer(
                response: HTTPResponse(status: .ok),
                body: Data("<Documents total_document_count=\"20\">\(rows)</Documents>".utf8)
            )
        }
        await #expect(throws: IndivoError.self) {
            try await transport.record().documents(DocumentQuery(pageSize: 2)).all()
        }
        #expect(transport.requests.count < 500)
    }
}
