import Foundation
import HTTPTypes
import Indivo
import Testing

@Suite("Report queries")
struct ReportQueryTests {
    /// The parameters that a query is sent with.
    private func sent(_ query: ReportQuery) async throws -> FormParameters {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record().reports(of: LabResult.self, matching: query).all()
        return parameters(of: try #require(transport.requests.first))
    }

    private func parameters(of request: HTTPRequest) -> FormParameters {
        FormParameters(decoding: String((request.path ?? "").split(separator: "?").last ?? ""))
    }

    @Test("everything in a query goes out as the server writes it")
    func parameters() async throws {
        let query = ReportQuery(status: .archived)
            .filter("testName.identifier", equals: "2345-7", "3094-0")
            .filter("collectedByRole", equals: "nurse & co")
            .dates("collectedAt", from: "2026-01-01", to: .time("2026-02-01T10:00:00+02:00"))
            .ordered(by: "collected_at", descending: true)
            .limited(to: 20, offset: 5)
        let sent = try await sent(query)
        #expect(sent["status"] == "archived")
        #expect(sent["test_name_identifier"] == "2345-7|3094-0")
        #expect(sent["collected_by_role"] == "nurse & co")
        #expect(sent["date_range"] == "collected_at*2026-01-01*2026-02-01T08:00:00Z", "in UTC")
        #expect(sent["order_by"] == "-collected_at")
        #expect(sent["limit"] == "20" && sent["offset"] == "5")
        #expect(sent["response_format"] == "application/xml")
        #expect(
            try await self.sent(ReportQuery().dates("created_at", to: "2026-01-01"))["date_range"]
                == "created_at**2026-01-01"
        )
        #expect(try await self.sent(ReportQuery().format(.json))["response_format"] == "application/json")
    }

    @Test("columns name the fields that strings name, parts of compound values too")
    func columns() async throws {
        typealias Columns = LabResult.Columns
        let query = ReportQuery()
            .filter(Columns.testName.identifier, equals: "2345-7", "3094-0")
            .filter(Columns.quantitativeResult.normalRange.maximum.unit, equals: "mg/dL")
            .dates(Columns.collectedAt, from: "2026-01-01")
            .ordered(by: .createdAt, descending: true)
        #expect(
            query
                == ReportQuery().filter("testName.identifier", equals: "2345-7", "3094-0")
                .filter("quantitativeResult.normalRange.maximum.unit", equals: "mg/dL")
                .dates("collectedAt", from: "2026-01-01").ordered(by: "createdAt", descending: true)
        )
        let sent = try await sent(query)
        #expect(sent["test_name_identifier"] == "2345-7|3094-0" && sent["order_by"] == "-created_at")
        #expect(sent["date_range"] == "collected_at*2026-01-01*")
        #expect(
            AggregateQuery(.average, of: VitalSigns.Columns.weight.value, by: .year(VitalSigns.Columns.date))
                == AggregateQuery(.average, of: "weight.value", by: .year("date"))
        )
        #expect(
            ReportQuery().filter(VitalSigns.Columns.weight.value, equals: 70).filters[0].values == [
                .number(70)
            ]
        )
        #expect(AggregateQuery.Grouping.column(Columns.notes) == .field("notes"))
    }

    @Test("a field of any type takes a value of that type and no other")
    func values() async throws {
        let transport = AnsweringTransport("<Models/>")
        let query = ReportQuery().filter("weight.value", equals: 70.5, 71)
        _ = try await transport.record().reports(of: VitalSigns.self, matching: query).all()
        let sent = parameters(of: try #require(transport.requests.first))["weight_value"]
        #expect(sent?.split(separator: "|").map { Double($0) } == [70.5, 71])
        for (field, value) in [
            ("collectedAt", ReportQuery.Value.number(5)), ("testName.title", .number(5)),
            ("collectedAt", .truth(true)), ("collectedAt", .text("soon")),
            ("testName.title", .day("2026-01-01")),
        ] {
            await refused(ReportQuery().filter(field, equals: value))
        }
    }

    private func refused(
        _ query: ReportQuery,
        _ words: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let transport = AnsweringTransport("<Models/>")
        let error = await #expect(throws: IndivoError.self, sourceLocation: sourceLocation) {
            _ = try await transport.record().reports(of: LabResult.self, matching: query).all()
        }
        #expect(transport.requests.isEmpty, "nothing is sent", sourceLocation: sourceLocation)
        guard case .badArgument(let why)? = error?.reason else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
        if let words { #expect(why.contains(words), "\(why)", sourceLocation: sourceLocation) }
    }

    @Test(
        "dates go out by their value, however they were spelled",
        arguments: [
            (ReportQuery.Value.text(" 2011-01-02 "), "2011-01-02"),
            ("\n2011-01-02T08:00:00Z", "2011-01-02T08:00:00Z"),
            ("2011-01-02T24:00:00Z", "2011-01-03T00:00:00Z"),
            ("2011-01-02T08:00:00+00:00", "2011-01-02T08:00:00Z"),
            ("2011-01-02T08:00:00", "2011-01-02T08:00:00Z"),
            ("2011-01-02T08:00:00.250Z", "2011-01-02T08:00:00.25Z"),
            ("2011-01-02T08:00:00.1234567891Z", "2011-01-02T08:00:00.123456Z"), ("2011-01-02Z", "2011-01-02"),
            ("2011-01-02+05:00", "2011-01-01T19:00:00Z"),
            ("2011-01-02T08:00:00.5-01:30", "2011-01-02T09:30:00.5Z"),
            (.day("2011-01-02"), "2011-01-02"), (.time("2011-12-31T24:00:00Z"), "2012-01-01T00:00:00Z"),
        ]
    )
    func spellings(value: ReportQuery.Value, expected: String) async throws {
        let query = ReportQuery().dates("collectedAt", from: value)
        #expect(try await sent(query)["date_range"] == "collected_at*\(expected)*")
        #expect(
            try await sent(ReportQuery().filter("collectedAt", equals: value))["collected_at"] == expected
        )
    }

    @Test("a day without time is a calendar day in a field of days, whatever its zone")
    func days() async throws {
        let transport = AnsweringTransport("<Reports><Summary total_document_count=\"0\"/></Reports>")
        _ = try await transport.record().equipment(
            matching: ReportQuery().dates("dateStarted", from: "2011-01-02+05:00")
        ).all()
        #expect(
            parameters(of: try #require(transport.requests.first))["date_range"] == "date_started*2011-01-02*"
        )
    }

    @Test(
        "a year that a server cannot read is refused",
        arguments: ["12011-01-02", "-0044-03-15", "10000-01-01T00:00:00Z"]
    )
    func years(text: String) async {
        await refused(ReportQuery().dates("collectedAt", from: .text(text)), "outside the years 1 to 9999")
    }

    @Test("what a server refuses or fails on is refused here, with what to do instead")
    func pitfalls() async {
        await refused(ReportQuery().limited(to: 0), "give 1 or more, or nil for everything")
        await refused(ReportQuery().limited(to: -1), "give 1 or more")
        await refused(ReportQuery().limited(to: 5, offset: -1), "give 0 or more")
        await refused(ReportQuery().paged(by: 0), "give 1 or more")
        await refused(ReportQuery().filter("colour", equals: "red"), "testName.title (test_name_title)")
        await refused(ReportQuery().ordered(by: "-collected_at"), "no field “-collected_at”")
        await refused(ReportQuery().dates("testName.title", from: "2026-01-01"), "is no date")
        await refused(ReportQuery().dates("collectedAt"), "neither a start nor an end")
        await refused(ReportQuery().filter("testName.title", equals: "Glucosé"), "beyond ASCII")
        await refused(ReportQuery().filter("testName.title", equals: "a|b"), "takes “|” for “or”")
        await refused(
            ReportQuery().filter("notes", equals: "a").filter("notes", equals: "b"),
            "give all its values in one"
        )
        var query = ReportQuery()
        query.filters = [.init(field: "notes", values: [])]
        await refused(query, "has no value")
    }

    @Test("a truth is sent as the one text that servers understand")
    func truths() async throws {
        let transport = AnsweringTransport("<Models/>")
        let list = transport.record().reports(
            ofModel: "NobodysModel",
            matching: ReportQuery().filter("deep", equals: false)
        )
        _ = try await list.all()
        #expect(parameters(of: try #require(transport.requests.first))["deep"] == "0")
    }

    @Test("of a model that is not known every field goes out, and the server decides")
    func unknownModel() async throws {
        let transport = AnsweringTransport("<Models/>")
        _ = try await transport.record().reports(
            ofModel: "NobodysModel",
            matching: ReportQuery().filter("phase", equals: "rem").dates("started", from: "2026-01-01")
        ).all()
        let sent = parameters(of: try #require(transport.requests.first))
        #expect(sent["phase"] == "rem" && sent["date_range"] == "started*2026-01-01*")
    }

    // MARK: Aggregates

    private func aggregated(
        _ aggregate: AggregateQuery,
        over source: ReportQuery.Source,
        _ query: ReportQuery = ReportQuery(),
        answer: String = "[]"
    ) async throws -> (FormParameters, [AggregateQuery.Result]) {
        let transport = AnsweringTransport(type: "application/json", answer)
        let results = try await transport.record().aggregate(aggregate, over: source, matching: query)
        return (parameters(of: try #require(transport.requests.first)), results)
    }

    @Test("aggregates go out grouped and without an order, and unnamed groups come back")
    func aggregates() async throws {
        let (sent, results) = try await aggregated(
            AggregateQuery(.average, of: "weight.value", by: .month("date")),
            over: .model(VitalSigns.self),
            ReportQuery().dates("date", from: "2026-01-01"),
            answer: """
                [{"__modelname__":"AggregateReport","group":"2026-01","value":71.166666666666671},
                 {"__modelname__":"AggregateReport","group":null,"value":null}]
                """
        )
        #expect(sent["aggregate_by"] == "avg*weight_value" && sent["date_group"] == "date*month")
        #expect(sent["order_by"] == nil && sent["limit"] == "0", "all groups")
        #expect(sent["response_format"] == "application/json")
        #expect(results.map(\.group) == ["2026-01", nil])
        #expect(results[0].value == "71.166666666666671" && results[0].number == 71.166666666666671)
        #expect(results[1].value == nil)
        let (grouped, _) = try await aggregated(
            AggregateQuery(.count, of: "date", by: .field("weight.unit")),
            over: .model(VitalSigns.self)
        )
        #expect(grouped["group_by"] == "weight_unit" && grouped["aggregate_by"] == "count*date")
    }

    @Test("aggregates that servers fail on, or take otherwise, are refused here")
    func aggregatePitfalls() async {
        let vitals = ReportQuery.Source.model(VitalSigns.self)
        for (aggregate, source, query, words) in [
            (AggregateQuery(.count, of: "date"), vitals, ReportQuery(), "group it by a field or by dates"),
            (
                AggregateQuery(.count, of: "date", by: .year("date")), vitals,
                ReportQuery().ordered(by: "date"), "sort the results"
            ),
            (AggregateQuery(.sum, of: "date", by: .year("date")), vitals, ReportQuery(), "is no number"),
            (
                AggregateQuery(.maximum, of: "weight.unit", by: .year("date")), vitals, ReportQuery(),
                "neither a number nor a date"
            ),
            (
                AggregateQuery(.count, of: "date", by: .year("weight.unit")), vitals, ReportQuery(),
                "is no date"
            ),
            (
                AggregateQuery(.count, of: "height", by: .year("date")), vitals, ReportQuery(),
                "no field “height”"
            ),
            (
                AggregateQuery(.maximum, of: "date_measured"), .measurements("WEIGHT"), ReportQuery(),
                "in words"
            ),
            (
                AggregateQuery(.count, of: "record_id", by: .field("function")), .audit, ReportQuery(),
                "this record only"
            ),
        ] as [(AggregateQuery, ReportQuery.Source, ReportQuery, String)] {
            let transport = AnsweringTransport("[]")
            let error = await #expect(throws: IndivoError.self) {
                _ = try await transport.record().aggregate(aggregate, over: source, matching: query)
            }
            #expect(transport.requests.isEmpty)
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("a minimal report aggregates without groups")
    func ungrouped() async throws {
        let transport = AnsweringTransport(
            """
            <Reports><Summary total_document_count="1" limit="0" offset="0" \
            order_by="None"/><QueryParams/><Report><Meta>\
            <Document id="" type="" size="" digest="" \
            record_id=""><nevershare>false</nevershare></Document></Meta><Item>\
            <AggregateReport xmlns="http://indivo.org/vocab/xml/documents#" \
            value="71.1666666667"/></Item></Report></Reports>
            """
        )
        let results = try await transport.record().aggregate(
            AggregateQuery(.average, of: "value"),
            over: .measurements("WEIGHT")
        )
        #expect(results.map(\.group) == [nil] && results.map(\.number) == [71.1666666667])
    }

    @Test("audits have no status")
    func audits() async throws {
        let transport = AnsweringTransport(
            """
            <Reports><Summary total_document_count=\"0\" limit=\"100\" offset=\"0\" \
            order_by=\"None\"/></Reports>
            """
        )
        let list = transport.record().audit(matching: ReportQuery().filter("documentID", equals: "d-1"))
        #expect(try await list.all().isEmpty)
        let sent = parameters(of: try #require(transport.requests.first))
        #expect(sent["status"] == nil && sent["document_id"] == "d-1")
        #expect(transport.requests.count == 1)
    }
}
