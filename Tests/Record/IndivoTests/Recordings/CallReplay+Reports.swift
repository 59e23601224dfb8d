import Foundation
import Indivo
import IndivoModel
import Testing

extension CallReplay {
    /// The source of a report, by its call.
    private func source() throws -> ReportQuery.Source {
        switch call.name {
        case "equipment_list", "carenet_equipment_list": .equipment
        case "procedure_list", "carenet_procedure_list": .procedures
        case "simple_clinical_notes_list", "carenet_simple_clinical_notes_list": .simpleClinicalNotes
        case "measurement_list", "carenet_measurement_list": .measurements(try variable("code"))
        case "audit_query": .audit
        default: .model(named: try variable("model"))
        }
    }

    private func aggregates(_ aggregate: AggregateQuery) async throws {
        let source = try source()
        let query = try reportQuery()
        let results =
            call.path.hasPrefix("/carenets/")
            ? try await carenet.aggregate(aggregate, over: source, matching: query)
            : try await record.aggregate(aggregate, over: source, matching: query)
        if let rows = try? JSONSerialization.jsonObject(with: exchange.responseBody) as? [[String: Any]] {
            #expect(results.count == rows.count, "\(exchange)")
            for (result, row) in zip(results, rows) {
                #expect(
                    result.group == (row["group"].flatMap { $0 is NSNull ? nil : "\($0)" }),
                    "\(exchange)"
                )
                if let number = row["value"] as? NSNumber {
                    #expect(result.number == number.doubleValue, "\(exchange)")
                }
            }
        } else {
            let root = try expectation.root()
            let found = root.find("AggregateReport")
            #expect(!found.isEmpty && results.map(\.value) == found.map { $0.attr("value") }, "\(exchange)")
            #expect(results.map(\.group) == found.map { $0.attr("group") }, "\(exchange)")
        }
    }

    func runReports() async throws {
        if call.isDeprecated { return try await runDeprecatedAudits() }
        if let aggregate = try aggregateQuery() { return try await aggregates(aggregate) }
        let query = try reportQuery()
        let isCarenet = call.path.hasPrefix("/carenets/")
        switch call.name {
        case "equipment_list", "carenet_equipment_list":
            let page = try await firstPage(
                isCarenet ? carenet.equipment(matching: query) : record.equipment(matching: query)
            )
            try check(page, "Equipment") { item, element in
                try expectation.check(item.metadata, element.reported)
                #expect(item.name == element.item("name"), "\(exchange)")
                #expect(item.vendor == element.item("vendor"), "\(exchange)")
                #expect(item.details == element.item("description"), "\(exchange)")
                #expect(item.dateStarted?.lexical == element.item("dateStarted"), "\(exchange)")
                #expect(item.dateStopped?.lexical == element.item("dateStopped"), "\(exchange)")
            }
        case "procedure_list", "carenet_procedure_list":
            let page = try await firstPage(
                isCarenet ? carenet.procedures(matching: query) : record.procedures(matching: query)
            )
            try check(page, "Procedure") { item, element in
                try expectation.check(item.metadata, element.reported)
                #expect(item.name?.title == element.item("name"), "\(exchange)")
                #expect(item.datePerformed?.lexical == element.item("datePerformed"), "\(exchange)")
                #expect(item.comments == element.item("comments"), "\(exchange)")
            }
        case "simple_clinical_notes_list", "carenet_simple_clinical_notes_list":
            let page = try await firstPage(
                isCarenet
                    ? carenet.simpleClinicalNotes(matching: query)
                    : record.simpleClinicalNotes(matching: query)
            )
            try check(page, "SimpleClinicalNote") { item, element in
                try expectation.check(item.metadata, element.reported)
                #expect(item.dateOfVisit?.lexical == element.item("dateOfVisit"), "\(exchange)")
                #expect(item.chiefComplaint == element.item("chiefComplaint"), "\(exchange)")
                #expect(item.content == element.item("content"), "\(exchange)")
            }
        case "measurement_list", "carenet_measurement_list":
            let code = try variable("code")
            let page = try await firstPage(
                isCarenet
                    ? carenet.measurements(code, matching: query) : record.measurements(code, matching: query)
            )
            try check(page, "Measurement") { item, element in
                #expect(item.factID == element.attr("id") && item.type == element.attr("type"), "\(exchange)")
                #expect(item.value == element.attr("value").flatMap { Double($0) }, "\(exchange)")
                #expect(
                    item.date?.lexical == element.attr("datetime") && item.unit == element.attr("unit"),
                    "\(exchange)"
                )
                #expect(item.sourceDocumentID == element.attr("source_doc"), "\(exchange)")
            }
        case "audit_query":
            try check(await firstPage(record.audit(matching: query)), "AuditEntry", check)
        default:
            throw Inexpressible("there is no such report")
        }
    }

    private func check<Item>(
        _ page: PagedList<Item>.Page,
        _ name: String,
        _ check: (Item, XMLNode) throws -> Void
    ) throws {
        let root = try expectation.root()
        let items = Array(try root.find(XMLSelector(name)))
        #expect(page.elements.count == items.count, "\(exchange)")
        #expect(
            page.total.map(String.init) == root.child(named: "Summary")?.attr("total_document_count"),
            "\(exchange)"
        )
        for (element, item) in zip(page.elements, items) { try check(element, item) }
    }

    private func check(_ entry: AuditEntry, _ element: XMLNode) {
        let basic = element.child(named: "BasicInfo")
        #expect(entry.basic?.date?.lexical == basic?.attr("datetime"), "\(exchange)")
        #expect(entry.basic?.function == basic?.attr("view_func"), "\(exchange)")
        let resources = element.child(named: "Resources")
        #expect(entry.resources?.recordID ?? "" == resources?.attr("record_id"), "\(exchange)")
        #expect(entry.resources?.documentID ?? "" == resources?.attr("document_id"), "\(exchange)")
        #expect(
            entry.request?.method == element.child(named: "RequestInfo")?.attr("req_method"),
            "\(exchange)"
        )
        #expect(
            entry.response?.status.map(String.init) ?? "" == element.child(named: "ResponseInfo")?.attr(
                "resp_code"
            ) ?? "",
            "\(exchange)"
        )
    }

    private func runDeprecatedAudits() async throws {
        let known = ["limit", "offset"]
        if let other = exchange.query.first(where: { !known.contains($0.name) }) {
            throw Inexpressible("the call has no “\(other.name)”")
        }
        let path = call.path.replacing("{record}", with: record.id)
            .replacing("{document}", with: variables["document"] ?? "").replacing(
                "{function}",
                with: variables["function"] ?? ""
            )
        let reports = try await record.call(.get, path, query: exchange.query).xml()
        #expect(reports.name == "Reports", "\(exchange)")
    }

    // MARK: Models

    func runModels() async throws {
        if call.path.hasSuffix("/demographics") { return try await runDemographics() }
        let model = try variable("model")
        if exchange.query["response_format"] == "application/rdf+xml" {
            throw Inexpressible("reports are not read as graphs; smart(_:) gives the same")
        }
        if let aggregate = try aggregateQuery() { return try await aggregates(aggregate) }
        let query = try reportQuery()
        let list =
            call.path.hasPrefix("/carenets/")
            ? carenet.reports(ofModel: model, matching: query)
            : record.reports(ofModel: model, matching: query)
        try expectation.check(await firstPage(list).elements)
    }

    private func runDemographics() async throws {
        let isCarenet = call.path.hasPrefix("/carenets/")
        if exchange.status == 200, exchange.contentType == "application/rdf+xml" {
            guard !isCarenet else { throw Inexpressible("a carenet's demographics are not read as a graph") }
            try check(await record.demographicsGraph())
            return
        }
        guard ["application/xml", "application/json", nil].contains(exchange.query["response_format"]) else {
            throw Inexpressible("demographics do not come in that format")
        }
        let demographics = isCarenet ? try await carenet.demographics() : try await record.demographics()
        let fields = try #require(try expectation.models().first)
        let phones = demographics.telephones
        let said: [String: String?] = [
            "__documentid__": demographics.id, "bday": demographics.dateOfBirth?.lexical,
            "gender": demographics.gender?.rawValue, "email": demographics.email, "race": demographics.race,
            "ethnicity": demographics.ethnicity, "preferred_language": demographics.preferredLanguage,
            "name_family": demographics.name?.familyName, "name_given": demographics.name?.givenName,
            "name_middle": demographics.name?.middleName, "name_prefix": demographics.name?.prefix,
            "name_suffix": demographics.name?.suffix, "adr_city": demographics.address?.city,
            "adr_country": demographics.address?.country, "adr_postalcode": demographics.address?.postalCode,
            "adr_region": demographics.address?.region, "adr_street": demographics.address?.street,
            "tel_1_number": phones.first?.number, "tel_1_type": phones.first?.kind?.lexical,
            "tel_2_number": phones.count > 1 ? phones[1].number : nil,
            "tel_2_type": phones.count > 1 ? phones[1].kind?.lexical : nil,
        ]
        for (name, value) in said { #expect(value == fields[name], "\(exchange): \(name)") }
        for (index, phone) in phones.enumerated() {
            let name = "tel_\(index + 1)_preferred_p"
            #expect(
                TypedContent.isSame(phone.isPreferred.map { "\($0)" }, fields[name]),
                "\(exchange): \(name)"
            )
        }
    }

    func check(_ graph: SMARTGraph) throws {
        #expect(graph.content.data == exchange.responseBody, "\(exchange)")
        let abouts = exchange.responseBody.split(separator: UInt8(ascii: "\n"))
            .count { String(decoding: $0, as: UTF8.self).contains("rdf:about=") }
        let resources = try graph.resources()
        #expect(resources.count == abouts, "\(exchange)")
        #expect(resources.allSatisfy { !$0.types.isEmpty || $0.uri.contains("/records/") }, "\(exchange)")
    }
}

extension XMLNode {
    /// The metadata of the report that an item is in.
    fileprivate var reported: XMLNode {
        var node = self
        while let parent = node.parent(), node.name != "Report" { node = parent }
        return node.child(named: "Meta")?.child(named: "Document") ?? self
    }

    fileprivate func item(_ name: String) -> String? {
        child(named: name).flatMap { $0.text().isEmpty ? nil : $0.text() }
    }
}
