import Foundation

/// A message to the people who manage a record.
///
/// ```swift
/// var message = OutgoingMessage(subject: "Your results", body: "All *well*.", bodyType: .markdown)
/// try message.attach(labResult)
/// try await record.send(message)
/// ```
/// The app chooses its id, and the server accepts each id once. So a message whose response was lost can be
/// sent again unchanged, and arrives once.
public struct OutgoingMessage: Sendable, Hashable {
    /// How a server shows the body.
    public enum BodyType: String, Sendable, Hashable, CaseIterable {
        case plaintext
        /// As the HTML that Markdown becomes.
        case markdown
    }

    /// How urgent it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// From the least urgent to the most.
        case low, medium, high
    }

    /// Unique among the app's messages; ASCII without `/?#;`.
    public var id: String
    /// At most 100 characters.
    public var subject: String
    /// What it says.
    public var body: String
    /// How a server shows the body.
    public var bodyType: BodyType
    /// How urgent it is.
    public var severity: Severity
    /// XML documents, which go into the record once the reader accepts them.
    public var attachments: [FileContent]

    /// A message with an id of its own.
    public init(
        subject: String,
        body: String,
        bodyType: BodyType = .plaintext,
        severity: Severity = .low,
        attachments: [FileContent] = [],
        id: String = UUID().uuidString.lowercased()
    ) {
        self.id = id
        self.subject = subject
        self.body = body
        self.bodyType = bodyType
        self.severity = severity
        self.attachments = attachments
    }

    /// Attaches a document, as it is now.
    /// - Parameter validation: Whether it is checked by the rules of its model; `.none` attaches it whatever
    ///   it says.
    /// - Throws: ``IndivoError`` when it breaks rules of its model, or cannot be written.
    public mutating func attach(_ document: IndivoDocument, validation: DocumentValidation = .model) throws {
        try document.check(validation, for: .recordMessageAttach)
        let content = try IndivoCall.recordMessageAttach.converting("the \(document.kind) cannot be written")
        {
            try FileContent(PreparedDocument(new: document))
        }
        attachments.append(content)
    }
}

extension IndivoRecord {
    /// Sends a message, with its attachments, to the record's owner and sharers (`record_send_message`,
    /// `record_message_attach`).
    ///
    /// Everything is checked before anything is sent: readers see a message at once, even without its
    /// attachments. After an error that leaves open what arrived, it can be sent again through this record:
    /// it arrives once, with each attachment.
    /// - Throws: ``IndivoError``; another message with the id of one that was sent before is refused.
    public func send(_ message: OutgoingMessage) async throws {
        let call = IndivoCall.recordSendMessage
        try call.check(message.subject, "a subject")
        for attachment in message.attachments { _ = try attachment.body(for: .recordMessageAttach) }
        let mayBeThere = unresolvedMessages.withLock { $0[message.id] == message }
        do {
            let form: FormParameters = [
                "subject": message.subject, "body": message.body, "body_type": message.bodyType.rawValue,
                "severity": message.severity.rawValue, "num_attachments": String(message.attachments.count),
            ]
            _ = try await send(
                call,
                path: ["message": message.id],
                body: .form(form),
                mayHaveBeenSentBefore: mayBeThere
            )
            for (index, attachment) in message.attachments.enumerated() {
                try await attach(attachment, to: message, number: index + 1, mayBeThere: mayBeThere)
            }
            unresolvedMessages.withLock { $0[message.id] = nil }
        } catch {
            // If the message arrived, it is still unknown whether its attachments did.
            if (error as? IndivoError).map({ $0.mayHaveBeenDone || $0.call != call.name }) ?? true {
                unresolvedMessages.withLock { $0[message.id] = message }
            }
            throw error
        }
    }

    /// Sends one attachment again (`record_message_attach`), if it is not known whether it arrived;
    /// ``send(_:)`` sends them all.
    /// - Parameters:
    ///   - attachment: XML.
    ///   - message: The message, which was sent before: a server accepts and drops attachments to an unknown
    ///     one.
    ///   - number: From 1 to the number of attachments that the message announced.
    /// - Throws: ``IndivoError``.
    public func attach(_ attachment: FileContent, to message: OutgoingMessage, number: Int) async throws {
        try await attach(attachment, to: message, number: number, mayBeThere: false)
    }

    private func attach(_ attachment: FileContent, to message: OutgoingMessage, number: Int, mayBeThere: Bool)
        async throws
    {
        let call = IndivoCall.recordMessageAttach
        let count = message.attachments.count
        try call.require(
            number >= 1 && number <= count,
            "the message has \(count) attachments, counted from 1, and none with number \(number)"
        )
        _ = try await send(
            call,
            path: ["message": message.id, "number": String(number)],
            body: attachment.body(for: call),
            mayHaveBeenSentBefore: mayBeThere
        )
    }

    /// Notifies the record's owner and whoever shares it (`record_notify`).
    /// - Parameters:
    ///   - content: Plain text of at most 500 characters.
    ///   - document: A document of this record that it is about.
    ///   - appURL: Where the app shows more, relative to its start page.
    /// - Throws: ``IndivoError``.
    public func notify(_ content: String, about document: (any RecordDocument)? = nil, appURL: String? = nil)
        async throws
    {
        let call = IndivoCall.recordNotify
        try call.require(!content.isEmpty, "a notification needs a content")
        try call.check(content, "a notification", atMost: 500)
        var form: FormParameters = ["content": content]
        if let document {
            let (record, id) = try document.stored(for: call)
            try call.require(
                record.id == self.id,
                "the \(document.kind) is in another record than the one to notify"
            )
            form.append(name: "document_id", value: id)
        }
        if let appURL { form.append(name: "app_url", value: appURL) }
        _ = try await send(call, body: .form(form))
    }
}
