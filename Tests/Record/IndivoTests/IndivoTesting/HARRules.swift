import Foundation

/// What HAR 1.2 requires of an archive: which members must be there, and of which type.
enum HARRules {
    /// What is wrong with an archive; empty when nothing is.
    static func problems(of archive: Data) throws -> [String] {
        guard let root = try JSONSerialization.jsonObject(with: archive) as? [String: Any] else {
            return ["the archive is no object"]
        }
        var check = Check()
        check.object(root["log"], "log") { log, check in
            check.text(log["version"], "version", allowed: ["1.1", "1.2"])
            check.object(log["creator"], "creator") { creator, check in
                check.text(creator["name"], "name")
                check.text(creator["version"], "version")
            }
            check.list(log["entries"], "entries") { Check.entry($0, &$1) }
        }
        return check.problems
    }

    private struct Check {
        var problems: [String] = []
        private var place: [String] = []

        mutating func fail(_ name: String, _ reason: String) {
            problems.append((place + [name]).joined(separator: ".") + ": " + reason)
        }

        mutating func text(_ value: Any?, _ name: String, allowed: [String]? = nil) {
            guard let text = value as? String else { return fail(name, "must be a text") }
            if let allowed, !allowed.contains(text) { fail(name, "is “\(text)”") }
        }

        mutating func number(_ value: Any?, _ name: String, least: Double = -1) {
            guard let number = value as? NSNumber else { return fail(name, "must be a number") }
            if number.doubleValue < least { fail(name, "is \(number)") }
        }

        mutating func object(_ value: Any?, _ name: String, _ body: ([String: Any], inout Check) -> Void) {
            guard let object = value as? [String: Any] else { return fail(name, "must be an object") }
            place.append(name)
            body(object, &self)
            place.removeLast()
        }

        mutating func list(_ value: Any?, _ name: String, _ body: ([String: Any], inout Check) -> Void) {
            guard let list = value as? [Any] else { return fail(name, "must be a list") }
            for (index, element) in list.enumerated() { object(element, "\(name)[\(index)]", body) }
        }

        static func entry(_ entry: [String: Any], _ check: inout Check) {
            check.text(entry["startedDateTime"], "startedDateTime")
            let date = (entry["startedDateTime"] as? String) ?? ""
            if date.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/#) == nil {
                check.fail("startedDateTime", "is no date and time of ISO 8601")
            }
            check.number(entry["time"], "time", least: 0)
            check.object(entry["cache"], "cache") { _, _ in }
            check.object(entry["timings"], "timings") { timings, check in
                for name in ["send", "wait", "receive"] { check.number(timings[name], name) }
            }
            check.object(entry["request"], "request") { request, check in
                check.message(request)
                check.text(request["method"], "method")
                check.text(request["url"], "url")
                if URL(string: request["url"] as? String ?? "")?.host() == nil {
                    check.fail("url", "is not absolute")
                }
                check.pairs(request["queryString"], "queryString")
                if let data = request["postData"] {
                    check.object(data, "postData") { data, check in
                        check.text(data["mimeType"], "mimeType")
                        if (data["text"] == nil) == (data["params"] == nil) {
                            check.fail("text", "and params exclude each other")
                        }
                        if data["params"] != nil { check.pairs(data["params"], "params") }
                        if data["text"] != nil { check.text(data["text"], "text") }
                    }
                }
            }
            check.object(entry["response"], "response") { response, check in
                check.message(response)
                check.number(response["status"], "status", least: 0)
                check.text(response["statusText"], "statusText")
                check.text(response["redirectURL"], "redirectURL")
                check.object(response["content"], "content") { content, check in
                    check.number(content["size"], "size", least: 0)
                    check.text(content["mimeType"], "mimeType")
                    if let encoding = content["encoding"] {
                        check.text(encoding, "encoding", allowed: ["base64"])
                    }
                }
            }
            for name in entry.keys where !entryNames.contains(name) && !name.hasPrefix("_") {
                check.fail(name, "is not known, and has no underscore before it")
            }
        }

        private static let entryNames: Set = [
            "pageref", "startedDateTime", "time", "request", "response", "cache", "timings",
            "serverIPAddress",
            "connection", "comment",
        ]

        mutating func message(_ message: [String: Any]) {
            text(message["httpVersion"], "httpVersion")
            number(message["headersSize"], "headersSize")
            number(message["bodySize"], "bodySize")
            pairs(message["headers"], "headers")
            pairs(message["cookies"], "cookies")
        }

        mutating func pairs(_ value: Any?, _ name: String) {
            list(value, name) { pair, check in
                check.text(pair["name"], "name")
                check.text(pair["value"], "value")
            }
        }
    }
}
