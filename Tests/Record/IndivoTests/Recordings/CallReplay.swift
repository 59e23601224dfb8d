import Foundation
import HTTPTypes
import Indivo
import TestSupport
import Testing

/// Makes a recorded call again through the method that the library has for it.
struct CallReplay {
    /// What came of it.
    enum Outcome {
        /// The method was called, and what came out was checked.
        case checked
        /// The library refused to send it, for a reason that the error tells.
        case refused(IndivoError)
    }

    /// The request has something that no argument of the method can say.
    struct Inexpressible: Error {
        let what: String

        init(_ what: String) { self.what = what }
    }

    let exchange: ServerExchange
    let call: IndivoCall
    let variables: [String: String]
    let transport: PlayingTransport

    init(_ exchange: ServerExchange, _ call: IndivoCall, _ variables: [String: String]) {
        self.exchange = exchange
        self.call = call
        self.variables = variables
        // A message's attachments follow it; where an id may have been used before, the library looks it up.
        transport = PlayingTransport(
            exchange,
            following: [
                "record_message_attach": 200, "record_document_meta_ext": 404,
                // A document that the server made of another that was not there is deleted again.
                "app_document_delete": 200,
            ]
        )
    }

    var expectation: Expectation { Expectation(exchange: exchange) }

    // MARK: Whom it is made on

    var server: IndivoServer {
        IndivoServer(
            api: URL(string: "http://127.0.0.1:8000") ?? URL(filePath: "/"),
            ui: URL(string: "http://127.0.0.1:8001") ?? URL(filePath: "/"),
            app: AppCredentials(
                id: variables["app"] ?? "app@apps.example.org",
                consumerKey: "key",
                consumerSecret: "secret"
            ),
            transport: transport
        )
    }

    var token: OAuthToken { OAuthToken(value: "token", secret: "secret") }
    var record: IndivoRecord { server.record(id: variables["record"] ?? "record", token: token) }
    var carenet: IndivoCarenet { server.carenet(id: variables["carenet"] ?? "", token: token) }
    var account: IndivoAccount { record.account(variables["account"] ?? "") }
    var storage: AppDocuments { call.path.hasPrefix("/records/") ? record.appDocuments : server.appDocuments }

    func variable(_ name: String) throws -> String {
        guard let value = variables[name] else { throw Inexpressible("there is no \(name)") }
        return value
    }

    var document: FileDocument { get throws { FileDocument(id: try variable("document"), in: record) } }
    var appDocument: AppDocuments.Document {
        get throws { AppDocuments.Document(id: try variable("document"), in: storage) }
    }

    /// The recorded body as a new document.
    var newDocument: FileDocument { FileDocument(exchange.content) }

    var relation: DocumentRelation {
        get throws {
            guard let relation = DocumentRelation(rawValue: try variable("relation")) else {
                throw Inexpressible("there is no such relation")
            }
            return relation
        }
    }

    var smartKind: SMARTGraph.Kind {
        get throws {
            guard let kind = SMARTGraph.Kind(rawValue: variables["model"] ?? "allergies") else {
                throw Inexpressible("there is no such kind")
            }
            return kind
        }
    }

    // MARK: Queries

    private func number(_ name: String) throws -> Int? {
        guard let text = exchange.query[name] else { return nil }
        guard let number = Int(text) else { throw Inexpressible("\(name) is no number") }
        return number
    }

    private func status() throws -> DocumentStatus {
        guard let text = exchange.query["status"] else { return .active }
        guard let status = DocumentStatus(rawValue: text) else {
            throw Inexpressible("there is no status “\(text)”")
        }
        return status
    }

    func documentQuery() throws -> DocumentQuery {
        let known = ["type", "status", "order_by", "limit", "offset"]
        if let other = exchange.query.first(where: { !known.contains($0.name) }) {
            throw Inexpressible("lists have no “\(other.name)”")
        }
        var query = DocumentQuery(
            type: exchange.query["type"].map { DocumentQuery.DocumentType($0) },
            status: try status(),
            limit: try number("limit"),
            offset: try number("offset") ?? 0
        )
        if let order = exchange.query["order_by"], !order.isEmpty {
            guard let key = DocumentQuery.Order.Key(rawValue: String(order.drop { $0 == "-" })) else {
                throw Inexpressible("documents have no order by “\(order)”")
            }
            query.order = order.hasPrefix("-") ? .descending(key) : .ascending(key)
        }
        // Where a type is given a server leaves the limit out of account.
        if query.type != nil { query.limit = nil }
        return query
    }

    func reportQuery() throws -> ReportQuery {
        var query = ReportQuery(status: try status())
        query.limit = try number("limit")
        query.offset = try number("offset") ?? 0
        let own = [
            "status", "limit", "offset", "order_by", "date_range", "group_by", "date_group", "aggregate_by",
            "response_format",
        ]
        for parameter in exchange.query where !own.contains(parameter.name) {
            let values = parameter.value.split(separator: "|", omittingEmptySubsequences: false).map(
                String.init
            )
            query.filters.append(
                .init(
                    field: parameter.name,
                    values: values.map { value in
                        // Numbers are no texts to the library.
                        if parameter.name == "value", let number = Double(value) { return .number(number) }
                        return .text(value)
                    }
                )
            )
        }
        if let order = exchange.query["order_by"], !order.isEmpty {
            query = query.ordered(by: String(order.drop { $0 == "-" }), descending: order.hasPrefix("-"))
        }
        if let range = exchange.query["date_range"] {
            let parts = range.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { throw Inexpressible("a date range of \(parts.count) parts") }
            query = query.dates(
                parts[0],
                from: parts[1].isEmpty ? nil : .text(parts[1]),
                to: parts[2].isEmpty ? nil : .text(parts[2])
            )
        }
        switch exchange.query["response_format"] {
        case "application/json", nil: query.format = .json
        case "application/xml", "text/xml": query.format = .xml
        case let other?: throw Inexpressible("models do not come in “\(other)”")
        }
        return query
    }

    func aggregateQuery() throws -> AggregateQuery? {
        func pair(_ name: String) throws -> (String, String)? {
            guard let text = exchange.query[name] else { return nil }
            let parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw Inexpressible("\(name) of \(parts.count) parts") }
            return (parts[0], parts[1])
        }
        guard let (operator_, field) = try pair("aggregate_by") else {
            if exchange.query["group_by"] != nil || exchange.query["date_group"] != nil {
                throw Inexpressible("groups without an aggregate")
            }
            return nil
        }
        guard let operation = AggregateQuery.Operation(rawValue: operator_) else {
            throw Inexpressible("there is no operator “\(operator_)”")
        }
        var grouping: AggregateQuery.Grouping?
        if let group = exchange.query["group_by"] {
            grouping = .field(group)
        } else if let (field, increment) = try pair("date_group") {
            guard let increment = AggregateQuery.Increment(rawValue: increment) else {
                throw Inexpressible("there is no increment “\(increment)”")
            }
            grouping = .dates(field, increment)
        }
        return AggregateQuery(operation, of: field, by: grouping)
    }

    // MARK: Replaying

    /// Makes the call, and checks what comes out where the server's answer was a success.
    /// - Throws: What the library throws; ``Inexpressible``.
    func run() async throws {
        if call.query == .none && !exchange.query.isEmpty { throw Inexpressible("the call has no query") }
        if call.body == .none && exchange.requestBody?.isEmpty == false {
            throw Inexpressible("the call has no body")
        }
        switch call.response {
        case .reports: try await runReports()
        case .models: try await runModels()
        default: try await runOther()
        }
    }

    /// The first page of a list, as it was recorded.
    func firstPage<Element>(_ list: PagedList<Element>) async throws -> PagedList<Element>.Page {
        var pages = list.pages.makeAsyncIterator()
        guard let page = try await pages.next() else { throw Inexpressible("there is no page") }
        return page
    }
}
