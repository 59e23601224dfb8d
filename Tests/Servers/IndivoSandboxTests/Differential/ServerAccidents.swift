import IndivoBase
import OAuth1
import TestSupport

/// Requests on which the real server fails with 500 by accident, where the sandbox says with 400 what is
/// wrong.
enum ServerAccidents {
    private struct Accident: Sendable {
        /// The calls on which it happens; empty for any.
        var calls: Set<String> = []
        /// Part of what the sandbox says; empty where the request alone shows the accident.
        var saying = ""
        let holds: @Sendable (ServerExchange) -> Bool
    }

    private static let accidents = [
        // Lists, reports.
        Accident(calls: [
            "record_document_list", "record_app_document_list", "app_document_list", "document_versions",
            "error",
        ]) {
            guard let field = query($0)["order_by"] else { return false }
            return !["created_at", "label", "size"].contains(field.drop { $0 == "-" })
        },
        Accident { exchange in
            ["limit", "offset"].contains { query(exchange)[$0].flatMap { Int($0) }.map { $0 < 0 } ?? false }
        },
        Accident(calls: ["generic_list", "carenet_generic_list"]) { exchange in
            let model = path(exchange).split(separator: "/").last.map(String.init)?.lowercased() ?? ""
            return ["document", "record", "account", "fact", "demographics", "carenet", "message"].contains(
                model
            )
        },
        Accident(calls: ["generic_list", "carenet_generic_list"]) {
            query($0)["aggregate_by"] != nil && query($0)["group_by"] == nil && query($0)["date_group"] == nil
        },
        Accident(saying: "Invalid grouping field") { query($0)["date_group"] != nil },
        Accident(saying: "Some groups are not texts") {
            query($0)["response_format"]?.hasSuffix("/xml") ?? false
        },
        Accident(saying: "no form in RDF") { _ in true },
        Accident(calls: ["account_inbox", "account_notifications"], saying: "Invalid order by field") { _ in
            true
        },
        // Texts that its columns have no room for.
        Accident { $0.call.contains("_label") && $0.requestText.unicodeScalars.count > 100 },
        Accident(calls: ["record_send_message"]) { (form($0)["subject"] ?? "").unicodeScalars.count > 100 },
        Accident(calls: ["record_send_message"]) {
            form($0)["num_attachments"].map { Int($0) == nil } ?? false
        },
        Accident(calls: ["record_notify"]) { (form($0)["content"] ?? "").unicodeScalars.count > 500 },
        Accident(calls: ["record_notify"], saying: "There is no document") { form($0)["document_id"] != nil },
        // Attachments that no message waits for, or that are no XML.
        Accident(calls: ["record_message_attach"], saying: "The message announced") { _ in true },
        Accident(calls: ["record_message_attach"]) { !$0.requestText.hasPrefix("<") },
        Accident(calls: ["record_message_attach"], saying: "didn't parse as XML") { _ in true },
        Accident(
            calls: ["account_inbox_message", "account_message_archive"],
            saying: "The inbox has no message"
        ) { _ in true },
        Accident(calls: ["account_inbox_message_attachment_accept"], saying: "has no ") { _ in true },
        Accident(calls: ["account_inbox_message_attachment_accept"], saying: "accepted before") { _ in true },
        // Documents.
        Accident(calls: ["document_create_by_rel_with_ext_id"]) { $0.status == 500 },
        Accident { $0.requestText.prefix(100).lowercased().contains("encoding=\"iso-8859-1\"") },
        Accident { (path($0).removingPercentEncoding ?? "\u{FFFD}").utf8.contains { $0 >= 0x80 } },
        // Signatures.
        Accident { (authorization($0)?["oauth_nonce"] ?? "").count > 100 },
        Accident { exchange in
            authorization(exchange)?["oauth_signature_method"].map { $0 != "HMAC-SHA1" } ?? false
        },
        Accident { exchange in authorization(exchange)?["oauth_timestamp"].map { Int($0) == nil } ?? false },
    ]

    /// The exchanges of the recording beside the package that are such, by name.
    static let known: Set = [
        "generic_list.non_fact_model", "generic_list.LabResult.limit_negative",
        "generic_list.LabResult.aggregate_count_xml", "generic_list.VitalSigns.aggregate_avg",
        "generic_list.VitalSigns.aggregate_max_date", "record_document_list.order_by_bogus",
        "document_create.latin1",
        "document_create_by_ext_id.char_utf8_rfc", "record_document_label.too_long",
        "record_message_attach.no_attachments_expected", "record_notify.too_long", "error.nonce_101",
        "error.method_hmac_sha256",
    ]

    /// - Parameter answer: What the sandbox says instead.
    static func isOne(_ exchange: ServerExchange, _ answer: String) -> Bool {
        exchange.status == 500
            && accidents.contains {
                ($0.calls.isEmpty || $0.calls.contains(exchange.call)) && $0.holds(exchange)
                    && ($0.saying.isEmpty || answer.contains($0.saying))
            }
    }

    private static func path(_ exchange: ServerExchange) -> String {
        String(exchange.path.prefix { $0 != "?" })
    }

    private static func query(_ exchange: ServerExchange) -> FormParameters {
        FormParameters(decoding: String(exchange.path.dropFirst(path(exchange).count + 1)))
    }

    private static func form(_ exchange: ServerExchange) -> FormParameters {
        FormParameters(decoding: exchange.requestText)
    }

    private static func authorization(_ exchange: ServerExchange) -> OAuthAuthorization? {
        exchange.requestHeader("Authorization").flatMap { try? OAuthAuthorization(parsing: $0) }
    }
}
