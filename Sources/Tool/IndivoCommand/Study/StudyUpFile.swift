import FHIR
import Foundation
import IndivoBase
import OrderedJSON
import RecordCommands
import StudyServer
import StudyWarehouse

/// The configuration of `indivo study up`.
struct StudyUpFile: StudyServerFile {
    let path: String
    let json: JSONValue

    static let members: Set = [
        "title", "source", "queue", "store", "keys", "questionnaires", "freeText", "identities", "unproven",
        "withdrawnData", "consents", "samples", "contentDays", "knownDays", "allowPKCS1", "receiver",
        "pages", "operations", "audit", "schedule",
    ]

    private static let membersOfSeveral: Set = [
        "title", "studies", "receiver", "pages", "operations", "audit",
    ]

    /// - Parameter takesSeveral: Whether it may be the configuration of several studies.
    init(_ path: String, takesSeveral: Bool = false) throws {
        try self.init(StudyFile.read(path, limit: 1 << 20), path: path, takesSeveral: takesSeveral)
    }

    /// A configuration that is, or will be, in a file.
    init(_ data: Data, path: String, takesSeveral: Bool = false) throws {
        self.path = path
        json = try StudyFile.json(data, path)
        guard takesSeveral || !isOfSeveral else {
            throw refuse("this is of several studies; name one study's own configuration")
        }
        try check(json, "it", isOfSeveral ? Self.membersOfSeveral : Self.members)
    }

    /// Whether it is the configuration of several studies in one process.
    var isOfSeveral: Bool { json["studies"] != nil }

    func check(_ json: JSONValue, _ name: String, _ known: Set<String>) throws {
        guard let members = json.members else { throw refuse("\(name) is no object") }
        if let unknown = members.first(where: { !known.contains($0.name) }) {
            guard known != Self.members || !StudyConfiguration.members.contains(unknown.name) else {
                throw refuse(
                    "this is the phone's configuration, for indivo study submit, since it has "
                        + "“\(unknown.name)”; the server's has “receiver”, “store” and others "
                        + "(indivo study up --help)"
                )
            }
            throw refuse(
                "“\(unknown.name)” is not known; there are \(known.sorted().joined(separator: ", "))"
            )
        }
        if let twice = members.firstNamedTwice { throw refuse("“\(twice)” is there twice") }
    }

    private func choice<Value: RawRepresentable & CaseIterable>(_ name: String, _ standard: Value) throws
        -> Value
    where Value.RawValue == String {
        guard let text = try text(name) else { return standard }
        guard let value = Value(rawValue: text) else {
            let all = Value.allCases.map(\.rawValue).joined(separator: " or ")
            throw refuse("“\(name)” is \(all)")
        }
        return value
    }

    private func place(_ name: String, takesSQS: Bool) throws -> StudyPlace {
        let standard = name == "queue" ? "sqlite:queue.sqlite" : "sqlite:study.sqlite"
        let text = try text(name) ?? standard
        do {
            let place = try StudyPlace(text, option: name, takesSQS: takesSQS)
            guard case .file = place, !text.hasPrefix("sqlite:/") else { return place }
            return .file(URL(filePath: file(String(text.dropFirst("sqlite:".count)))))
        } catch {
            throw refuse("“\(name)” is not understood; it begins with sqlite: or postgresql://")
        }
    }

    /// The versions of the consent that are required.
    private func consents() throws -> RequiredConsents {
        guard let given = json["consents"] else { return RequiredConsents() }
        guard let list = given.elements else { throw refuse("“consents” is a list") }
        return RequiredConsents(
            try list.map { json in
                try check(json, "each of “consents”", ["version", "requiredFrom"])
                guard let name = try text("version", in: json), RequiredConsents.Version.isName(name),
                    let text = try text("requiredFrom", in: json),
                    let from = try? StudyDueCommand.date(text, "requiredFrom", .gmt)
                else {
                    throw refuse(
                        "each of “consents” has “version”, of 1 to 200 characters, and “requiredFrom” as "
                            + "2026-09-01T00:00:00Z"
                    )
                }
                return .init(name, from: WarehouseTime(FHIRDateTime(from)))
            }
        )
    }

    func address(_ object: JSONValue, port: UInt16) throws -> StudyUpPlan.Address {
        var address = StudyUpPlan.Address(port: port)
        if let text = try text("address", in: object) { address.address = text }
        if let value = object["port"] {
            guard let port = value.integer.flatMap(UInt16.init(exactly:)) else {
                throw refuse("“port” is a number from 0 to 65535")
            }
            address.port = port
        }
        address.host = try text("host", in: object)
        return address
    }

    /// Where the study is: what else the configuration names is not read.
    func places() throws -> StudyUpPlan {
        var plan = StudyUpPlan(
            queue: try place("queue", takesSQS: true),
            store: try place("store", takesSQS: false)
        )
        if let source = try text("source") { plan.source = source }
        return plan
    }

    /// What the configuration asks for, with the files that it names read.
    func plan() throws -> StudyUpPlan {
        var plan = try places()
        if let title = try text("title") { plan.title = title }
        plan.freeText = try choice("freeText", plan.freeText)
        plan.identities = try choice("identities", plan.identities)
        if json["samples"] != nil { plan.samples = try choice("samples", .facts) }
        plan.contentDays = try days("contentDays", StudyUpPlan.contentDays)
        plan.knownDays = try days("knownDays", StudyUpPlan.knownDays) ?? plan.knownDays
        plan.rules.unproven = try choice("unproven", plan.rules.unproven)
        plan.rules.withdrawnData = try choice("withdrawnData", plan.rules.withdrawnData)
        plan.rules.consents = try consents()
        plan.questionnaires = try StudyBackEnd.questionnaires(texts("questionnaires").map(file))
        guard let allowsPKCS1 = json["allowPKCS1"].map(\.boolean) ?? false else {
            throw refuse("“allowPKCS1” is true or false")
        }
        if let keys = try text("keys") {
            plan.keys = try StudyBackEnd.keys(file(keys), allowsPKCS1: allowsPKCS1)
        }
        try readReceiver(into: &plan)
        plan.schedule = try text("schedule").map { try StudyDueCommand.schedule(in: file($0)) }
        let people = try people()
        plan.pages = people.pages
        plan.operations = people.operations
        plan.audit = people.audit
        return plan
    }

    private func days(_ name: String, _ allowed: ClosedRange<Int>) throws -> Int? {
        guard let value = json[name] else { return nil }
        guard let days = value.integer, allowed.contains(days) else {
            throw refuse("“\(name)” is a number from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return days
    }

    /// What the people have who run it: pages, health and metrics, the audit log.
    func people() throws -> (
        pages: (users: URL, at: StudyUpPlan.Address)?, operations: StudyUpPlan.Address, audit: URL?
    ) {
        var pages: (users: URL, at: StudyUpPlan.Address)?
        if let object = json["pages"] {
            try check(object, "“pages”", ["users", "address", "port", "host"])
            guard let users = try text("users", in: object) else { throw refuse("“pages” needs “users”") }
            pages = (URL(filePath: file(users)), try address(object, port: 8090))
        }
        let operations = json["operations"] ?? [:]
        try check(operations, "“operations”", ["address", "port"])
        return (
            pages, try address(operations, port: 9464), try text("audit").map { URL(filePath: file($0)) }
        )
    }

    /// The receiver's configuration, with the address and the port, and the file that has the rest of it.
    func receiver() throws -> (file: ReceiverFile, configuration: ReceiverConfiguration) {
        let given = json["receiver"] ?? [:]
        guard let members = given.members else { throw refuse("“receiver” is no object") }
        let at = try address(given, port: 8084)
        let file = try ReceiverFile(
            JSONValue(members: members.filter { $0.name != "address" && $0.name != "port" }),
            path: path
        )
        var configuration = try file.configuration()
        configuration.address = at.address
        configuration.port = at.port
        return (file, configuration)
    }

    private func readReceiver(into plan: inout StudyUpPlan) throws {
        let receiver = try receiver()
        plan.receiver = receiver.configuration
        if let token = ProcessInfo.processInfo.environment["INDIVO_STUDY_ANTISPAM"], !token.isEmpty {
            plan.receiver.antispam.append(Secret(token))
        }
        plan.clients = try receiver.file.clients(beside: plan.queue, plan.receiver)
    }
}
