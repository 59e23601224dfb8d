import Foundation
import IndivoXML
import TestSupport

/// Finds out what the documents held that were in the server before the recording began: from the reports
/// over them, and from the sample documents of the same patient.
struct SeedFacts {
    private static let namespace = "http://indivo.org/vocab/xml/documents#"

    /// SDMX by document id, for every document that some report shows a fact of.
    static func known(in recording: Recording) -> [String: String] {
        var models: [String: [[String: Any]]] = [:]
        var seen: [String: Set<String>] = [:]
        // Encounters come with the vital signs that were taken in them, medications with their fills: those
        // first.
        let reports = recording.exchanges.filter {
            $0.call.hasSuffix("generic_list") && $0.status == 200 && $0.responseText.hasPrefix("[")
        }
        let rows = reports.flatMap { exchange in
            (try? JSONSerialization.jsonObject(with: exchange.responseBody)) as? [[String: Any]] ?? []
        }
        for row in rows {
            guard let model = row["__modelname__"] as? String,
                let document = row["__documentid__"] as? String,
                model != "Fill"
            else { continue }
            var row = row
            if model == "Encounter", let signs = (row["vitalsigns_set"] as? [[String: Any]])?.first {
                row["vitalsigns_set"] = nil
                var sign = signs
                sign["encounter"] = row
                row = sign
            }
            let key =
                (try? JSONSerialization.data(
                    withJSONObject: row.filter { !($0.value is [Any]) && $0.key != "encounter" },
                    options: .sortedKeys
                ))
                .map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard seen[document, default: []].insert(key).inserted else {
                // The same vital signs, now with their encounter.
                if row["encounter"] != nil {
                    models[document] = models[document]?.map { $0["encounter"] == nil ? row : $0 }
                }
                continue
            }
            models[document, default: []].append(row)
        }
        return models.mapValues { rows in
            // The newest comes first in a report, and of a document's models the last is the oldest.
            if rows.count == 1, let typed = typedDocument(rows[0]) { return typed }
            let content = rows.map { model($0) }.joined()
            return "<Models xmlns=\"\(namespace)\">\(content)</Models>"
        }
    }

    /// Equipment, procedures and notes came as typed documents.
    private static func typedDocument(_ row: [String: Any]) -> String? {
        func element(_ name: String, _ field: String) -> String {
            (row[field] as? String).map { "<\(name)>\(escape($0))</\(name)>" } ?? ""
        }
        func coded(_ name: String, _ field: String) -> String {
            guard let text = row[field] as? String else { return "" }
            let attributes = ["type", "value", "abbrev"].compactMap { part in
                (row[field + "_" + part] as? String).map { " \(part)=\"\(escape($0))\"" }
            }
            return "<\(name)\(attributes.joined())>\(escape(text))</\(name)>"
        }
        let provider =
            "<provider>" + element("name", "provider_name") + element("institution", "provider_institution")
            + "</provider>"
        let content: String
        switch row["__modelname__"] as? String {
        case "Equipment":
            content =
                element("dateStarted", "date_started") + element("dateStopped", "date_stopped")
                + element("name", "name") + element("vendor", "vendor")
                + element("description", "description")
        case "Procedure":
            content =
                element("datePerformed", "date_performed") + coded("name", "name") + provider
                + element("location", "location") + element("comments", "comments")
        case "SimpleClinicalNote":
            content =
                element("dateOfVisit", "date_of_visit") + element("finalizedAt", "finalized_at")
                + coded("visitType", "visit_type") + element("visitLocation", "visit_location")
                + coded("specialty", "specialty") + "<signature>" + element("at", "signed_at") + provider
                + "</signature>"
                + element("chiefComplaint", "chief_complaint") + element("content", "content")
        default: return nil
        }
        let name = row["__modelname__"] as? String ?? ""
        return "<\(name) xmlns=\"\(namespace)\">\(content)</\(name)>"
    }

    private static func model(_ row: [String: Any]) -> String {
        let name = row["__modelname__"] as? String ?? ""
        var fields = ""
        for (key, value) in row.sorted(by: { $0.key < $1.key }) where !key.hasPrefix("__") {
            switch value {
            case let text as String: fields += "<Field name=\"\(key)\">\(escape(text))</Field>"
            case let list as [[String: Any]]:
                // What is nested is listed in the order of storage: the last first.
                let models = list.reversed().map(model).joined()
                fields += "<Field name=\"\(key)\"><Models>\(models)</Models></Field>"
            case let nested as [String: Any]: fields += "<Field name=\"\(key)\">\(model(nested))</Field>"
            case let number as NSNumber:
                let isBoolean = key.hasSuffix("_preferred_p")
                fields +=
                    """
                    <Field \
                    name=\"\(key)\">\(isBoolean ? "\(number.boolValue)" : "\(number.doubleValue)")</Field>
                    """
            default: break
            }
        }
        return "<Model name=\"\(name)\">\(fields)</Model>"
    }

    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The demographics that a record had, as the first report in SDMX tells; nil where none does before they
    /// are set.
    static func demographics(in recording: Recording) -> String? {
        let set = recording.exchanges.first { $0.call == "set_demographics" && $0.status == 200 }?.seq ?? .max
        let report = recording.exchanges.first {
            $0.call == "read_demographics" && $0.status == 200 && $0.seq < set
                && $0.responseText.contains("<Model ") && $0.responseText.contains("name=\"Demographics\"")
        }
        guard let report, let model = try? XMLNode(parsing: report.responseText).child(named: "Model") else {
            return nil
        }
        let values = Dictionary(
            model.children(named: "Field").map { ($0.attr("name") ?? "", $0.text()) },
            uniquingKeysWith: { first, _ in first }
        )
        func element(_ name: String, _ field: String) -> String {
            values[field].flatMap { $0.isEmpty ? nil : "<\(name)>\(escape($0))</\(name)>" } ?? ""
        }
        func group(_ name: String, _ content: String) -> String {
            content.isEmpty ? "" : "<\(name)>\(content)</\(name)>"
        }
        let name =
            element("familyName", "name_family") + element("givenName", "name_given")
            + element("middleName", "name_middle") + element("prefix", "name_prefix")
            + element("suffix", "name_suffix")
        let telephones = ["tel_1_", "tel_2_"].map { prefix in
            // One without a number is known by its type, or by being preferred.
            let content =
                element("type", prefix + "type")
                + "<number>\(escape(values[prefix + "number"] ?? ""))</number>"
            let isPreferred = values[prefix + "preferred_p"] == "true"
            let isThere =
                isPreferred || ["type", "number"].contains { values[prefix + $0]?.isEmpty == false }
            return isThere ? group("Telephone", content + "<preferred>\(isPreferred)</preferred>") : ""
        }.joined()
        let address =
            element("country", "adr_country") + element("city", "adr_city")
            + element("postalCode", "adr_postalcode") + element("region", "adr_region")
            + element("street", "adr_street")
        let content =
            element("dateOfBirth", "bday") + element("gender", "gender") + element("email", "email")
            + element("ethnicity", "ethnicity") + element("preferredLanguage", "preferred_language")
            + element("race", "race")
        return "<Demographics xmlns=\"\(namespace)\">\(content)\(group("Name", name))\(telephones)"
            + "\(group("Address", address))</Demographics>"
    }

    /// The demographics of a sample patient.
    static func demographics(patient: String) -> String? {
        try? String(contentsOf: samplesFolder.appending(path: patient + "/Demographics.xml"), encoding: .utf8)
    }

    private static var samplesFolder: URL {
        ProcessInfo.processInfo.environment["INDIVO_SAMPLES"].map { URL(fileURLWithPath: $0) }
            ?? ServerRecordings.folder.deletingLastPathComponent().appending(path: "samples")
    }

    /// The sample documents of a patient, with the field names of today.
    static func samples(patient: String) -> [(model: String, key: String, document: String)] {
        let files =
            (try? FileManager.default.contentsOfDirectory(
                at: samplesFolder.appending(path: patient),
                includingPropertiesForKeys: nil
            )) ?? []
        return files.filter { $0.lastPathComponent.hasPrefix("doc_") }.sorted { $0.path < $1.path }.compactMap
        { file in
            guard let data = try? Data(contentsOf: file), let root = try? XMLNode(parsing: data),
                let name = root.child(named: "Model")?.attr("name")
            else { return nil }
            let content = root.children(named: "Model").map { modernized($0) }.joined()
            let document = "<Models xmlns=\"\(namespace)\">\(content)</Models>"
            return (name, key(of: document), document)
        }
    }

    static func key(of document: String) -> String {
        (try? XMLNode(parsing: document))?.child(named: "Model").map { key($0) } ?? ""
    }

    /// What tells a fact from others of its model: its codes, dates and values.
    private static func key(_ model: XMLNode) -> String {
        model.children(named: "Field").filter { $0.children().isEmpty }.map { $0.text() }.filter {
            !$0.isEmpty
        }
        .map { $0.hasSuffix("T00:00:00Z") ? String($0.prefix(10)) : Double($0).map { "\($0)" } ?? $0 }
        .sorted().joined(separator: "|")
    }

    private static func modernized(_ model: XMLNode) -> String {
        let name = model.attr("name") ?? ""
        var fields = ""
        for field in model.children(named: "Field") {
            guard let modern = modernName(field.attr("name") ?? "", in: name) else { continue }
            if let list = field.child(named: "Models") {
                let items = list.children(named: "Model").map { modernized($0) }.joined()
                fields += "<Field name=\"\(modern)\"><Models>\(items)</Models></Field>"
            } else if let nested = field.child(named: "Model") {
                fields += "<Field name=\"\(modern)\">\(modernized(nested))</Field>"
            } else {
                fields += "<Field name=\"\(modern)\">\(escape(field.text()))</Field>"
            }
        }
        return "<Model name=\"\(name)\">\(fields)</Model>"
    }

    /// The name that a field of the samples has today; nil for one that is gone.
    private static func modernName(_ name: String, in model: String) -> String? {
        var name = name
        if name.hasSuffix("_code_title") {
            // A vital sign's name had its title in the code alone.
            guard model == "VitalSigns", !name.hasPrefix("bp_") else { return nil }
            name = name.replacing("_code_title", with: "_title")
        }
        name = name.replacing("_code_", with: "_")
        switch (model, name) {
        case ("LabResult", "date"): return "collected_at"
        case ("LabResult", _) where name.hasPrefix("name_"): return "test_" + name
        case ("Medication", _) where name.hasPrefix("name_"): return "drugName" + name.dropFirst(4)
        case ("Encounter", _) where name.hasPrefix("type_"): return "encounterType" + name.dropFirst(4)
        default: return name
        }
    }
}
