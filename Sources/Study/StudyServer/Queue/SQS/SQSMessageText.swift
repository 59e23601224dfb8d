import Foundation
import IndivoBase
import OrderedJSON

/// A message as the text that SQS carries: JSON, with the bytes in it, or with the object of S3 that has
/// them.
struct SQSMessageText: Sendable {
    /// SQS takes 1 MiB; queues that were made before 2025 take a quarter of it.
    static let maximumLength = 256 << 10

    /// An object of S3 with the bytes of a message.
    struct Object: Sendable, Hashable {
        let bucket: String
        let key: String
        let digest: String

        init(bucket: String, key: String, digest: String) {
            self.bucket = bucket
            self.key = key
            self.digest = digest
        }

        init?(_ json: JSONValue?) {
            guard let bucket = json?["bucket"]?.string, let key = json?["key"]?.string,
                let digest = json?["sha256"]?.string,
                key.hasPrefix("messages/"), UUID(uuidString: String(key.dropFirst("messages/".count))) != nil
            else { return nil }
            self.init(bucket: bucket, key: key, digest: digest)
        }
    }

    var id: String
    var content: StudyMessage.Content
    var subject: String?
    var received: String
    var client: String?
    var body: Body

    enum Body: Sendable {
        case inline(Data)
        case object(Object)
    }

    init(_ message: StudyMessage, object: Object?) {
        id = message.id
        content = message.content
        subject = message.subject
        received = message.received
        client = message.client
        body = object.map { .object($0) } ?? .inline(message.body)
    }

    /// Whether the bytes of a message are too many for SQS.
    static func needsObject(_ message: StudyMessage) -> Bool {
        message.body.count / 3 * 4 + 8192 > maximumLength
    }

    /// SQS takes the characters that XML takes: there are none but ASCII's.
    var text: String {
        var json: JSONValue = [
            "id": JSONValue(PercentEncoding.encode(id)), "content": JSONValue(content.rawValue),
            "received": JSONValue(received),
        ]
        if let subject { json["subject"] = JSONValue(PercentEncoding.encode(subject)) }
        if let client { json["client"] = JSONValue(PercentEncoding.encode(client)) }
        switch body {
        case .inline(let data): json["body"] = JSONValue(data.base64EncodedString())
        case .object(let object):
            json["object"] = [
                "bucket": JSONValue(object.bucket), "key": JSONValue(object.key),
                "sha256": JSONValue(object.digest),
            ]
        }
        return json.text()
    }

    /// Reads a message of a study's receiver, or of C3-PRO's first one, which put the envelope's parts into
    /// attributes.
    ///
    /// - Parameter message: As `ReceiveMessage` gives it.
    /// - Returns: `nil` for anything else.
    init?(_ message: JSONValue) {
        guard let text = message["Body"]?.string else { return nil }
        if let key = Self.attribute(message, "pkey") {
            let envelope: JSONValue = [
                "key_id": JSONValue(Self.attribute(message, "pkey_id") ?? ""),
                "symmetric_key": JSONValue(key),
                "message": JSONValue(text),
                "version": JSONValue(Self.attribute(message, "version") ?? "0.5.0"),
            ]
            let sent = message["Attributes"]?["SentTimestamp"]?.string.flatMap(Double.init) ?? 0
            self.init(
                StudyMessage(
                    content: .envelope,
                    received: Date(timeIntervalSince1970: sent / 1000).formatted(.iso8601),
                    body: Data(envelope.utf8())
                ),
                object: nil
            )
            return
        }
        guard let json = try? JSONValue(parsing: text), let id = Self.decoded(json["id"]),
            let content = json["content"]?.string.flatMap(StudyMessage.Content.init),
            let received = json["received"]?.string
        else { return nil }
        let data = json["body"]?.string.flatMap { Data(base64Encoded: $0) }
        let object = Object(json["object"])
        guard data != nil || object != nil else { return nil }
        self.init(
            StudyMessage(
                id: id,
                content: content,
                subject: Self.decoded(json["subject"]),
                received: received,
                client: Self.decoded(json["client"]),
                body: data ?? Data()
            ),
            object: object
        )
    }

    private static func attribute(_ message: JSONValue, _ name: String) -> String? {
        message["MessageAttributes"]?[name]?["StringValue"]?.string
    }

    private static func decoded(_ json: JSONValue?) -> String? {
        json?.string.flatMap { try? PercentEncoding.decode($0) }
    }
}
