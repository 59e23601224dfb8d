import Foundation
import HTTPCalls
import HTTPTypes
import OrderedJSON
import Synchronization
import Testing

@testable import StudyServer

private let objectOutsideTheFolder = """
    {"id": "a", "content": "envelope", "received": "x", "object": {"bucket": "b", "key": "../secret", \
    "sha256": "0"}}
    """

@Suite struct SQSTests {
    private let credentials = AWSCredentials(
        accessKey: "AKIDEXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    )

    private func signature(of request: HTTPRequest, _ body: String, service: String, at time: String) throws
        -> String
    {
        var signed = request
        let date = try Date(time, strategy: .iso8601)
        try AWSSignature(credentials: credentials, region: "us-east-1", service: service).sign(
            &signed,
            payload: AWSSignature.digest(of: Data(body.utf8)),
            at: date
        )
        return signed.headerFields[.authorization] ?? ""
    }

    /// From Amazon's suite of test vectors.
    @Test(
        "signatures are those of Amazon's vectors",
        arguments: [
            ("/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (
                "/?Param2=value2&Param1=value1",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
        ]
    )
    func vectors(path: String, expected: String) throws {
        let request = HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "example.amazonaws.com",
            path: path
        )
        let signed = try signature(of: request, "", service: "service", at: "2015-08-30T12:36:00Z")
        #expect(
            signed == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=\(expected)"
        )
    }

    @Test("a call of SQS is signed as botocore signs it")
    func botocore() throws {
        var request = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:5055", path: "/")
        request.headerFields[.contentType] = "application/x-amz-json-1.0"
        request.headerFields[try AWSSignature.name("x-amz-target")] = "AmazonSQS.SendMessage"
        let body = #"{"QueueUrl":"http://127.0.0.1:5055/123456789012/c3pro","MessageBody":"aGVsbG8="}"#
        let signed = try signature(of: request, body, service: "sqs", at: "2026-11-21T12:00:00Z")
        #expect(
            signed.hasSuffix("Signature=e6941330e5b1d5ec36802d8a55e1469951bdb3956285b952f4807e53284de0c7")
        )
        #expect(!signed.contains("wJalr"))
    }

    @Test("places are read with their region and settings")
    func places() throws {
        let place =
            "https://sqs.eu-central-1.amazonaws.com/123456789012/study?bucket=messages&dead=study-dead"
        let read = try SQSConfiguration(parsing: place, environment: ["AWS_REGION": "us-east-1"])
        #expect(
            read.region == "eu-central-1" && read.bucket == "messages" && read.deadLetters == "study-dead"
        )
        #expect(read.objects.absoluteString == "https://s3.eu-central-1.amazonaws.com")
        #expect(read.queue.absoluteString == "https://sqs.eu-central-1.amazonaws.com/123456789012/study")
        let other = try SQSConfiguration(
            parsing: "http://localhost:1/1/q?bucket=b",
            environment: ["AWS_REGION": "x-1"]
        )
        #expect(other.region == "x-1")
    }

    @Test(
        "places that cannot be used are refused",
        arguments: [
            "", "study", "https://sqs.eu-central-1.amazonaws.com/study?bucket=b",
            "https://sqs.eu-central-1.amazonaws.com/1/study",
            "https://sqs.eu-central-1.amazonaws.com/1/study?bucket=a/b",
            "https://sqs.eu-central-1.amazonaws.com/1/study?bucket=b&dead=../x",
            "http://localhost:1/1/study?bucket=b",
            "https://sqs.eu-central-1.amazonaws.com/1/study?bucket=b&colour=red",
        ]
    )
    func wrongPlaces(text: String) {
        #expect(throws: AWSError.self) { try SQSConfiguration(parsing: text) }
    }

    @Test("credentials come from the environment and are not shown")
    func hiddenCredentials() throws {
        #expect(throws: AWSError.self) { try AWSCredentials(environment: ["AWS_ACCESS_KEY_ID": "a"]) }
        let found = try AWSCredentials(
            environment: [
                "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "hidden",
                "AWS_SESSION_TOKEN": "hidden too",
            ])
        #expect(!"\(found)".contains("hidden"))
        var dumped = ""
        dump(found, to: &dumped)
        #expect(!dumped.contains("hidden"))
    }

    @Test("plain HTTP to another machine is refused")
    func plainHTTP() async throws {
        let place = try SQSConfiguration(parsing: "http://sqs.example.org/1/study?bucket=b&region=x&dead=d")
        await #expect(throws: AWSError.self) { _ = try await SQSMessageQueue(place, credentials) }
    }

    @Test("messages of C3-PRO's first receiver are envelopes")
    func firstReceiver() throws {
        let text = #"""
            {"Body": "bWVzc2FnZQ==", "Attributes": {"SentTimestamp": "1456789012345"}, "MessageAttributes": {
             "pkey": {"DataType": "String", "StringValue": "a2V5"}, "pkey_id": {"DataType": "String", \#
            "StringValue": "key-1"},
             "version": {"DataType": "String", "StringValue": "1.0.2"}}}
            """#
        let read = try #require(SQSMessageText(JSONValue(parsing: text)))
        guard case .inline(let body) = read.body else { return #expect(Bool(false), "it has no bytes") }
        let json = try JSONValue(parsing: body)
        #expect(json["symmetric_key"]?.string == "a2V5" && json["message"]?.string == "bWVzc2FnZQ==")
        #expect(json["key_id"]?.string == "key-1" && json["version"]?.string == "1.0.2")
        #expect(read.id == StudyMessage.digest(of: body))
        #expect(read.received == "2016-02-29T23:36:52Z")
    }

    @Test(
        "what is no message is not read",
        arguments: [
            "no JSON", "{}", #"{"id": "a", "content": "envelope", "received": "x"}"#,
            #"{"id": "a", "content": "other", "received": "x", "body": "YQ=="}"#,
            objectOutsideTheFolder,
        ]
    )
    func noMessage(text: String) { #expect(SQSMessageText(["Body": JSONValue(text)]) == nil) }

    /// Answers SQS's actions and S3's reads from a script, and keeps what was asked.
    private final class PlayedAWS: HTTPTransport {
        let asked = Mutex<[(action: String, body: JSONValue)]>([])
        private let batches: Mutex<[[JSONValue]]>
        private let read: @Sendable (_ path: String) -> HTTPAnswer

        init(_ batches: [[JSONValue]], read: @escaping @Sendable (_ path: String) -> HTTPAnswer) {
            self.batches = Mutex(batches)
            self.read = read
        }

        func send(_ request: HTTPRequest, body: Data?) async throws -> HTTPAnswer {
            guard let name = HTTPField.Name("x-amz-target"), let target = request.headerFields[name] else {
                return read(request.path ?? "")
            }
            let action = String(target.dropFirst("AmazonSQS.".count))
            asked.withLock { $0.append((action, (try? JSONValue(parsing: body ?? Data())) ?? .null)) }
            var json: JSONValue = ["Attributes": [:], "MessageId": "1"]
            if action == "ReceiveMessage" {
                json["Messages"] = JSONValue(batches.withLock { $0.isEmpty ? [] : $0.removeFirst() })
            }
            return HTTPAnswer(response: HTTPResponse(status: .ok), body: Data(json.utf8()))
        }

        func count(_ action: String) -> Int { asked.withLock { $0.count { $0.action == action } } }
    }

    private static func raw(_ number: Int, inObject: Bool, receives: Int = 1) -> JSONValue {
        let message = StudyMessage(
            id: "m\(number)",
            content: .package,
            received: "x",
            body: Data("b\(number)".utf8)
        )
        let object = SQSMessageText.Object(
            bucket: "b",
            key: "messages/\(UUID().uuidString)",
            digest: AWSSignature.digest(of: message.body)
        )
        return [
            "Body": JSONValue(SQSMessageText(message, object: inObject ? object : nil).text),
            "ReceiptHandle": JSONValue("h\(number)"),
            "Attributes": ["ApproximateReceiveCount": JSONValue(String(receives))],
        ]
    }

    private func played(_ aws: PlayedAWS) async throws -> SQSMessageQueue {
        let place = try SQSConfiguration(
            parsing: "https://sqs.eu-central-1.amazonaws.com/1/study?bucket=b&dead=d"
        )
        return try await SQSMessageQueue(place, credentials, maximumReceives: 3, transport: aws)
    }

    private static func refusal(_ status: HTTPResponse.Status, _ code: String) -> HTTPAnswer {
        HTTPAnswer(
            response: HTTPResponse(status: status),
            body: Data("<Error><Code>\(code)</Code></Error>".utf8)
        )
    }

    @Test("an object that cannot be read holds up no other message")
    func unreadableObject() async throws {
        let batch = [Self.raw(1, inObject: false), Self.raw(2, inObject: true), Self.raw(3, inObject: false)]
        let aws = PlayedAWS([batch]) { _ in Self.refusal(.forbidden, "AccessDenied") }
        let found = try await played(aws).receive(limit: 10, visibility: 60)
        #expect(found.map(\.message.id) == ["m1", "m3"])
        // It comes again later.
        let pauses = aws.asked.withLock { $0.filter { $0.action == "ChangeMessageVisibility" }.map(\.body) }
        #expect(pauses.map { $0["ReceiptHandle"]?.string } == ["h2"])
        #expect(pauses.first?["VisibilityTimeout"]?.integer == 120)
    }

    @Test("an object that stays unreadable makes a dead letter with its reason")
    func lastingTrouble() async throws {
        let aws = PlayedAWS([[Self.raw(2, inObject: true, receives: 3)]]) { _ in
            Self.refusal(.forbidden, "AccessDenied")
        }
        #expect(try await played(aws).receive(limit: 10, visibility: 60).isEmpty)
        let sent = aws.asked.withLock { $0.first { $0.action == "SendMessage" }?.body }
        #expect(sent?["QueueUrl"]?.string?.hasSuffix("/d") == true)
        let reason = sent?["MessageAttributes"]?["reason"]?["StringValue"]?.string ?? ""
        #expect(reason.contains("S3") && reason.contains("AccessDenied"), "\(reason)")
        #expect(aws.count("DeleteMessage") == 1)
    }

    @Test("a changed object is not taken for the message")
    func changedObject() async throws {
        let aws = PlayedAWS([[Self.raw(2, inObject: true)]]) { _ in
            HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("other".utf8))
        }
        #expect(try await played(aws).receive(limit: 10, visibility: 60).isEmpty)
        #expect(aws.count("ChangeMessageVisibility") == 1 && aws.count("DeleteMessage") == 0)
    }

    @Test("an outage of S3 makes no dead letter")
    func outage() async throws {
        for receives in [3, 4] {
            let aws = PlayedAWS([[Self.raw(2, inObject: true, receives: receives)]]) { _ in
                Self.refusal(.serviceUnavailable, "ServiceUnavailable")
            }
            let queue = try await played(aws)
            await #expect(throws: AWSError.self) { try await queue.receive(limit: 10, visibility: 60) }
            // It is counted anew.
            let sent = aws.asked.withLock { $0.filter { $0.action == "SendMessage" }.map(\.body) }
            #expect(sent.map { $0["QueueUrl"]?.string?.hasSuffix("/study") } == [true])
            #expect(
                sent.first?["MessageBody"]?.string?.contains("messages/") == true
                    && aws.count("DeleteMessage") == 1
            )
        }
    }

    @Test("what nobody tried is no dead letter after its last reception", arguments: [false, true])
    func untried(inObject: Bool) async throws {
        let aws = PlayedAWS([[Self.raw(2, inObject: inObject, receives: 3)]]) { _ in
            HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("b2".utf8))
        }
        let queue = try await played(aws)
        let received = try #require(try await queue.receive(limit: 10, visibility: 60).first)
        try await queue.release(received, after: 10, reason: nil)
        // It is counted anew, and its object stays.
        let sent = aws.asked.withLock { $0.filter { $0.action == "SendMessage" }.map(\.body) }
        #expect(sent.map { $0["QueueUrl"]?.string?.hasSuffix("/study") } == [true])
        #expect(sent.first?["DelaySeconds"]?.integer == 10)
        #expect(sent.first?["MessageBody"]?.string?.contains("messages/") == inObject)
        #expect(aws.count("DeleteMessage") == 1 && aws.count("ChangeMessageVisibility") == 0)
    }

    @Test("past the limit the object's trouble is the reason")
    func pastLimit() async throws {
        for (status, part) in [
            (HTTPResponse.Status.forbidden, "AccessDenied"), (.notFound, "without an end"),
        ] {
            let aws = PlayedAWS([[Self.raw(2, inObject: true, receives: 4)]]) { _ in
                Self.refusal(status, status == .notFound ? "NoSuchKey" : "AccessDenied")
            }
            #expect(try await played(aws).receive(limit: 10, visibility: 60).isEmpty)
            let sent = aws.asked.withLock { $0.first { $0.action == "SendMessage" }?.body }
            #expect(sent?["QueueUrl"]?.string?.hasSuffix("/d") == true)
            #expect(sent?["MessageAttributes"]?["reason"]?["StringValue"]?.string?.contains(part) == true)
        }
    }

    @Test("an object that cannot be deleted keeps no message")
    func undeletedObject() async throws {
        let deletes = Mutex(0)
        let batch = (1...3).map { Self.raw($0, inObject: $0 == 1) }
        let aws = PlayedAWS([batch]) { _ in
            let isFirst = deletes.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            return isFirst
                ? HTTPAnswer(response: HTTPResponse(status: .ok), body: Data("b1".utf8))
                : Self.refusal(.forbidden, "AccessDenied")
        }
        let queue = try await played(aws)
        let found = try await queue.receive(limit: 10, visibility: 60)
        #expect(found.count == 3)
        try await queue.delete(found)
        #expect(aws.count("DeleteMessage") == 3 && deletes.withLock { $0 } == 2)
    }

    // MARK: With a service

    @Test("the object of a large message is deleted with it")
    func deletedObject() async throws {
        let service = try await TestSQS()
        let queue = try await service.queue()
        let large = StudyMessage(
            content: .package,
            received: "2026-03-01T00:00:00Z",
            body: Data(count: 1_000_000)
        )
        try await queue.send(large)
        #expect(try await service.objects() == 1)
        let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
        #expect(received.message == large)
        #expect(try await queue.delete(received))
        #expect(try await service.objects() == 0)
    }

    @Test("a large message that is given up can be redelivered")
    func redelivered() async throws {
        let queue = try await TestSQS().queue(receives: 1)
        let large = StudyMessage(
            content: .package,
            received: "2026-03-01T00:00:00Z",
            body: Data(count: 400_000)
        )
        try await queue.send(large)
        let received = try #require(try await queue.receive(limit: 1, visibility: 60).first)
        try await queue.release(received, after: 0, reason: "trouble — ü")
        #expect(try await queue.deadLetters(limit: 5).map(\.reason) == ["trouble ? ?"])
        #expect(try await queue.redeliver(large.id))
        #expect(try await queue.receive(limit: 1, visibility: 60).first?.message == large)
    }

    @Test("strangers' messages become dead letters")
    func strangers() async throws {
        let service = try await TestSQS()
        let queue = try await service.queue()
        _ = try await service.client.call(
            "SendMessage",
            ["QueueUrl": JSONValue(service.configuration.queue.absoluteString), "MessageBody": "hello"],
            at: service.server
        )
        #expect(try await queue.receive(limit: 5, visibility: 60).isEmpty)
        #expect(
            try await queue.deadLetters(limit: 5).map(\.reason) == ["it is no message of a study's receiver"]
        )
    }

    @Test("a FIFO queue takes once what is sent twice")
    func fifo() async throws {
        let queue = try await TestSQS(isFIFO: true).queue()
        let message = StudyMessage(content: .package, received: "2026-03-01T00:00:00Z", body: Data("a".utf8))
        try await queue.send(message)
        try await queue.send(message)
        #expect(try await queue.receive(limit: 5, visibility: 60).map(\.message) == [message])
    }

    @Test("dead letters go where the redrive policy says")
    func redrive() async throws {
        let service = try await TestSQS()
        let configuration = service.withoutDeadLetters
        let credentials = TestSQS.credentials
        await #expect(throws: AWSError.self) { _ = try await SQSMessageQueue(configuration, credentials) }
        let name = configuration.queue.lastPathComponent
        let policy =
            #"""
            {"deadLetterTargetArn":"arn:aws:sqs:us-east-1:123456789012:\#(name)-dead","maxReceiveCount":"1"}
            """#
        _ = try await service.client.call(
            "SetQueueAttributes",
            [
                "QueueUrl": JSONValue(configuration.queue.absoluteString),
                "Attributes": ["RedrivePolicy": JSONValue(policy)],
            ],
            at: service.server
        )
        let queue = try await SQSMessageQueue(configuration, credentials)
        let message = StudyMessage(content: .package, received: "2026-03-01T00:00:00Z", body: Data("a".utf8))
        try await queue.send(message)
        #expect(try await queue.receive(limit: 1, visibility: 1).count == 1)
        try await Task.sleep(for: .milliseconds(1200))
        #expect(try await queue.receive(limit: 1, visibility: 1).isEmpty)
        #expect(try await queue.deadLetters(limit: 5).map(\.id) == [message.id])
    }
}
