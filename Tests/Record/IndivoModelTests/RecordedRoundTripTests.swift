import Foundation
import IndivoModel
import IndivoXML
import TestSupport
import Testing

/// What a real server was sent and what it answered, read into objects and written back.
@Suite(
    "Recorded bodies",
    .enabled(
        if: ServerRecordings.areWanted,
        "no recordings beside the package; name their folder in INDIVO_RECORDINGS"
    )
)
struct RecordedRoundTripTests {
    @Test("every document and every answer is read and written back with nothing lost")
    func roundTrip() throws {
        let bodies = try RecordedBody.all()
        #expect(!bodies.isEmpty, "\(ServerRecordings.folder.path) holds no bodies")
        var counts: [String: Int] = [:]
        for body in bodies {
            let start = body.data.first { !" \n\r\t".utf8.contains($0) }
            let kind: String?
            switch start {
            case UInt8(ascii: "["), UInt8(ascii: "{"): kind = try json(body)
            default: kind = try (try? XMLNode(parsing: body.data)).map { try xml($0, body) }
            }
            counts[kind ?? "neither XML nor JSON", default: 0] += 1
        }
        let known = counts.filter { !["other XML", "other JSON", "neither XML nor JSON"].contains($0.key) }
        #expect(!known.isEmpty)
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print(
            """
            wrote back \(known.values.reduce(0, +)) recorded documents and answers with nothing lost (\(list))
            """
        )
    }

    // MARK: XML

    private func xml(_ source: XMLNode, _ body: RecordedBody) throws -> String {
        let isIndivo = source.namespace == "http://indivo.org/vocab/xml/documents#"
        switch (source.name, source.namespace) {
        case ("Models", _): try sdmx(source, body)
        case (let name, _) where isIndivo && Self.documents[name] != nil:
            try document(Self.documents[name] ?? GenericDocument.self, source, body)
        case ("Reports", nil): try document(Reports.self, source, body)
        case (let name, nil) where Self.answers[name] != nil:
            for type in Self.answers[name] ?? [] { try answer(type, source, body) }
        default:
            #expect(try XMLNode(parsing: source.document.data()).canonical() == source.canonical(), "\(body)")
            return "other XML"
        }
        return source.name
    }

    private static let documents: [String: IndivoDocument.Type] = [
        "Demographics": Demographics.self, "Equipment": EquipmentDocument.self,
        "Procedure": ProcedureDocument.self,
        "SimpleClinicalNote": SimpleClinicalNoteDocument.self, "Annotation": Annotation.self,
    ]

    private static let answers: [String: [any ServerResponse.Type]] = Dictionary(
        grouping: [
            Account.self, AggregateReports.self, AuditEntry.self, Carenets.self, CarenetAccounts.self,
            DocumentMetadata.self,
            DocumentList.self, DocumentStatusHistory.self, Message.self, Messages.self, Notifications.self,
            RecordInformation.self, RecordList.self,
        ] as [any ServerResponse.Type],
        by: { $0.elementName }
    )

    private func sdmx(_ source: XMLNode, _ body: RecordedBody) throws {
        var problems: [DocumentError] = []
        let document = try SDMXDocument(source, problems: &problems)
        #expect(problems.isEmpty || !body.isAnswer, "\(body): \(problems)")
        let written = try document.xml()
        #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(body)")
        let again = try SDMXDocument(XMLNode(parsing: written.document.data()), problems: &problems)
        #expect(again.models == document.models, "\(body)")
        // By way of JSON.
        let twin = try SDMXDocument(json: document.json(), problems: &problems)
        #expect(twin.models == document.models, "\(body)")
        #expect(try lines(twin.xml()) == lines(source), "\(body)")
    }

    /// Models and fields in their order, a line each; an empty list and none are the same.
    private func lines(_ node: XMLNode) throws -> [String] {
        try node.children().flatMap { child -> [String] in
            let inner = try lines(child)
            guard child.name != "Models" else { return inner }
            let id = child.attr("documentId") ?? ""
            return [
                """
                \(child.name) \(child.attr("name") ?? "") \(id) \
                \(child.children().isEmpty ? child.text() : "")
                """
            ] + inner
        }
    }

    private func document(_ type: IndivoDocument.Type, _ source: XMLNode, _ body: RecordedBody) throws {
        var problems: [DocumentError] = []
        let document = try type.read(from: source, problems: &problems)
        #expect(problems.isEmpty || !body.isAnswer || source.name != "Reports", "\(body): \(problems)")
        let written = try document.xml()
        #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(body)")
        let again = try type.read(from: XMLNode(parsing: written.document.data()), problems: &problems)
        #expect(again == document, "\(body)")
    }

    private func answer<Answer: ServerResponse>(_ type: Answer.Type, _ source: XMLNode, _ body: RecordedBody)
        throws
    {
        let answer = try Answer.read(from: source, root: Answer.elementName)
        let written = try answer.xml(updating: source)
        #expect(try written.canonical(withComments: true) == source.canonical(withComments: true), "\(body)")
        #expect(try Answer.read(from: XMLNode(parsing: written.document.data())) == answer, "\(body)")
        // With no source to lean on.
        #expect(try Answer.read(from: XMLNode(parsing: answer.xml().document.data())) == answer, "\(body)")
    }

    // MARK: JSON

    private func json(_ body: RecordedBody) throws -> String {
        guard let value = try? JSONSerialization.jsonObject(with: body.data) else {
            return "neither XML nor JSON"
        }
        let first = (value as? [Any])?.first as? [String: Any] ?? value as? [String: Any] ?? [:]
        if first["__modelname__"] as? String == "AggregateReport" {
            #expect(
                try SDMJ.rows(parsing: body.data).allSatisfy { $0["value"] != nil || $0["group"] != nil },
                "\(body)"
            )
            return "aggregates in JSON"
        }
        if first["__modelname__"] != nil || (value as? [Any])?.isEmpty == true {
            let document = try SDMXDocument(json: body.data)
            let written = try document.json()
            #expect(try plain(written) == plain(body.data), "\(body)")
            #expect(try SDMXDocument(json: written).models == document.models, "\(body)")
            return "SDMJ"
        }
        if first["id"] != nil, first["requires"] != nil {
            let objects = value as? [[String: Any]] ?? [first]
            let apps =
                try value is [Any]
                ? AppManifest.readList(json: body.data) : [AppManifest.read(json: body.data)]
            #expect(apps.map(manifest) == objects.map(known), "\(body)")
            return "manifests"
        }
        return "other JSON"
    }

    /// What a manifest says, by the names of JSON.
    private func manifest(_ app: AppManifest) -> [String: String] {
        let texts: [String: String?] = [
            "id": app.id, "name": app.name, "description": app.details, "author": app.author,
            "version": app.version,
            "mode": app.mode?.rawValue, "scope": app.scope, "icon": app.icon, "index": app.index,
            "smart_version": app.smartVersion, "oauth_callback_url": app.callbackURL,
            "indivo_version": app.indivoVersion,
            "autonomous_reason": app.autonomousReason, "has_ui": app.hasUI.map { "\($0)" },
            "frameable": app.isFrameable.map { "\($0)" },
            "requires": app.requirements.map { "\($0.type) \($0.methods)" }.sorted().joined(),
        ]
        return texts.compactMapValues { $0?.isEmpty == false ? $0 : nil }
    }

    /// The same of a manifest as another reader reads it.
    private func known(_ json: [String: Any]) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in json {
            switch value {
            case let text as String: texts[name] = text
            case let flag as Bool: texts[name] = "\(flag)"
            case let requires as [String: [String: [String]]]:
                texts[name] = requires.map { "\($0) \($1["methods"] ?? [])" }.sorted().joined()
            default: break
            }
        }
        return texts.filter { !$0.value.isEmpty }
    }

    /// JSON by another writer than ours, members in one order; an empty text is null, which SDMX does not
    /// tell apart.
    private func plain(_ json: Data) throws -> String {
        func plain(_ value: Any) -> Any {
            switch value {
            case let list as [Any]: list.isEmpty ? NSNull() : list.map(plain)
            case let object as [String: Any]: object.mapValues(plain)
            case let text as String where text.isEmpty: NSNull()
            default: value
            }
        }
        let value = try plain(JSONSerialization.jsonObject(with: json))
        let data = try JSONSerialization.data(
            withJSONObject: value,
            options: [.sortedKeys, .fragmentsAllowed]
        )
        return String(decoding: data, as: UTF8.self)
    }
}
