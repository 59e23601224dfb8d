import Foundation

/// What one client asks for, round after round of ten requests, and what the answers have to be.
///
/// Each client has a record of its own: it knows everything that is in it, so every answer can be checked
/// whole.
struct Workload {
    struct Step {
        var method: String
        var target: String
        var body: String?
        /// What is wrong with an answer; nil for a right one.
        var check: (Answer) -> String?
    }

    struct Answer {
        var status: Int
        var body: Data
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private static let namespace = "http://indivo.org/vocab/xml/documents#"
    private static let medications = 12
    private static let results = 20

    /// What a record holds before the run.
    static let history: [String] =
        (0..<medications).map { number in
            document(
                "Medication",
                [
                    ("drugName_title", "Medication \(number)"),
                    ("drugName_identifier", "\(300_000 + number)"),
                    ("drugName_system", "http://purl.bioontology.org/ontology/RXNORM/"),
                    ("startDate", "2026-01-05"),
                    ("instructions", "one tablet in the morning"),
                ]
            )
        }
        + (0..<results).map { number in
            document(
                "LabResult",
                [
                    ("test_name_title", "Glucose"), ("test_name_identifier", "2345-7"),
                    ("test_name_system", "http://purl.bioontology.org/ontology/LNC/"),
                    ("quantitative_result_value_value", "5.\(number)"),
                    ("collected_at", "2026-02-\(number < 9 ? "0" : "")\(number + 1)T08:00:00Z"),
                ]
            )
        }

    private static func document(_ model: String, _ fields: [(String, String)]) -> String {
        let content = fields.map { "<Field name=\"\($0.0)\">\($0.1)</Field>" }.joined()
        return "<Models xmlns=\"\(namespace)\"><Model name=\"\(model)\">\(content)</Model></Models>"
    }

    private let base: String
    private let client: Int
    /// Answers that have to stay as they were the first time.
    private var known: [String: Data] = [:]
    private(set) var pushed: [(name: String, id: String)] = []
    private var count = 0

    init(client: Int, record: String) {
        self.client = client
        base = "/records/\(record)"
    }

    /// The next request. Tell ``note(_:of:)`` the answer.
    mutating func next() -> Step {
        defer { count += 1 }
        switch count % 10 {
        case 0: return push()
        case 1:
            let body = Workload.equipment(pushed.last?.name ?? "")
            return read("/documents/\(pushed.last?.id ?? "")") {
                $0.text == body ? nil : "not the document pushed"
            }
        case 2:
            let size = Workload.equipment(pushed.last?.name ?? "").utf8.count
            let parts = [
                "<Document id=\"\(pushed.last?.id ?? "")\"", "size=\"\(size)\"", "<status>active</status>",
            ]
            return read("/documents/\(pushed.last?.id ?? "")/meta") { answer in
                parts.allSatisfy(answer.text.contains) ? nil : "not the metadata of the document pushed"
            }
        case 3, 4: return same("/reports/Medication/?limit=10", holding: "\"drugName_title\"", times: 10)
        case 5, 6:
            return same(
                "/reports/LabResult/?limit=5&order_by=collected_at&response_format=application/xml",
                holding: "<Model documentId=",
                times: 5
            )
        case 7:
            let total = Workload.history.count + 1 + pushed.count
            let first = pushed.last?.id ?? ""
            return read("/documents/?limit=10") { answer in
                let text = answer.text
                guard text.contains("total_document_count=\"\(total)\"") else {
                    return "not \(total) documents in all"
                }
                guard text.components(separatedBy: "<Document id=").count == 11 else {
                    return "not ten documents"
                }
                return text.range(of: "<Document id=\"\(first)\"")?.lowerBound
                    == text.range(of: "<Document id=\"")?
                    .lowerBound ? nil : "the newest document is not the first"
            }
        case 8: return same("", holding: "<Record id=", times: 1)
        default:
            let (name, id) = pushed.last ?? ("", "")
            return read("/reports/Equipment/?name=\(name)") { answer in
                let parts = ["\"__documentid__\": \"\(id)\"", "\"name\": \"\(name)\""]
                return parts.allSatisfy(answer.text.contains)
                    && answer.text.components(separatedBy: "__modelname__").count == 2
                    ? nil : "not the one fact of the document pushed"
            }
        }
    }

    /// Takes note of a right answer.
    mutating func note(_ answer: Answer, of step: Step) {
        if step.method == "POST" {
            pushed.append((name: equipmentName, id: Workload.id(in: answer.text) ?? ""))
        } else if step.target.contains("reports/Medication") || step.target.contains("reports/LabResult")
            || step.target == base
        {
            known[step.target] = answer.body
        }
    }

    /// Every document pushed is there, once.
    func lastStep() -> Step {
        let names = pushed.map(\.name).sorted()
        return Step(method: "GET", target: base + "/reports/Equipment/?limit=0", body: nil) { answer in
            let list = (try? JSONSerialization.jsonObject(with: answer.body)) as? [[String: Any]] ?? []
            return list.compactMap { $0["name"] as? String }.sorted() == names
                ? nil : "not every push is there once"
        }
    }

    private var equipmentName: String { "pump-\(client)-\(pushed.count)" }

    private static func equipment(_ name: String) -> String { document("Equipment", [("name", name)]) }

    private static func id(in text: String) -> String? {
        text.firstMatch(of: /^<Document id="([0-9a-f-]{36})"/).map { String($0.output.1) }
    }

    private func push() -> Step {
        let body = Workload.equipment(equipmentName)
        let ids = pushed.suffix(100).map(\.id)
        return Step(method: "POST", target: base + "/documents/", body: body) { answer in
            guard let id = Workload.id(in: answer.text), !ids.contains(id) else { return "no new document" }
            return answer.text.contains("size=\"\(body.utf8.count)\"")
                ? nil : "not the size of what was pushed"
        }
    }

    private func read(_ rest: String, _ check: @escaping (Answer) -> String?) -> Step {
        Step(method: "GET", target: base + rest, body: nil, check: check)
    }

    /// A read whose answer does not change in the run.
    private func same(_ rest: String, holding part: String, times: Int) -> Step {
        let expected = known[base + rest]
        return read(rest) { answer in
            if let expected { return answer.body == expected ? nil : "not the answer that came before" }
            return answer.text.components(separatedBy: part).count == times + 1
                ? nil : "not \(times) of \(part)"
        }
    }
}
