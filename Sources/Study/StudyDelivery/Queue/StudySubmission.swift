import DurableQueue
import Foundation
import StudyFormats

/// A delivery to a study, as a queue knows it without its content.
public struct StudySubmission: Sendable, Hashable, Codable, Identifiable {
    /// Made of the content and the participant: the same content gives the same id, by which server and queue
    /// recognise it.
    public let id: UUID
    public let study: String
    /// The participant's random id.
    public let subject: UUID
    /// What was asked or measured.
    public let item: String
    /// What was submitted.
    public let content: Content
    /// How the bytes are protected for the study.
    let protection: StudyProtection.Kind
    /// Whether they are encrypted for the study: a package in a CMS message, a resource in an envelope.
    public var isEncrypted: Bool { protection != .none }

    /// What was submitted.
    public enum Content: Sendable, Hashable, Codable {
        /// An archive.
        case package
        /// A FHIR resource; one with an id replaces what the server has under it.
        case resource(type: String, id: String?)
    }

    /// The MIME type of the bytes.
    public var contentType: String {
        switch content {
        case .package: protection == .cms ? "application/pkcs7-mime" : "application/zip"
        case .resource: "application/fhir+json; charset=utf-8"
        }
    }

    /// The item of the report of a withdrawal.
    static let withdrawal = "withdrawal"

    var isWithdrawal: Bool { item == Self.withdrawal }

    var isPatient: Bool {
        if case .resource("Patient", _) = content { true } else { false }
    }

    /// The submission of a queue's item; `nil` for a damaged one.
    public init?(_ item: QueueItem) {
        guard let submission = try? JSONDecoder().decode(StudySubmission.self, from: item.header) else {
            return nil
        }
        self = submission
    }

    init(
        id: UUID,
        study: String,
        subject: UUID,
        item: String,
        content: Content,
        protection: StudyProtection.Kind
    ) {
        self.id = id
        self.study = study
        self.subject = subject
        self.item = item
        self.content = content
        self.protection = protection
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(UUID.self, forKey: .id)
        study = try values.decode(String.self, forKey: .study)
        subject = try values.decode(UUID.self, forKey: .subject)
        item = try values.decode(String.self, forKey: .item)
        if let protection = try values.decodeIfPresent(StudyProtection.Kind.self, forKey: .protection) {
            self.protection = protection
            content = try values.decode(Content.self, forKey: .content)
        } else {
            (content, protection) = try EarlierForm(from: decoder).contentAndProtection
        }
    }

    /// The form in which apps that were built before submissions had a ``protection`` have stored them.
    private struct EarlierForm: Decodable {
        enum Content: Decodable {
            case package
            case envelope(type: String)
            case resource(type: String, id: String?)
        }

        let content: Content
        let isEncrypted: Bool

        var contentAndProtection: (StudySubmission.Content, StudyProtection.Kind) {
            switch content {
            case .package: (.package, isEncrypted ? .cms : .none)
            case .envelope(let type): (.resource(type: type, id: nil), .c3ProEnvelope)
            case .resource(let type, let id): (.resource(type: type, id: id), .none)
            }
        }
    }
}

/// An event of the delivery to a study.
public enum StudyStatus: Sendable {
    /// It was queued, or put back into the queue.
    case queued(StudySubmission)
    /// The number of its bytes that were sent.
    case sending(StudySubmission, sent: Int, of: Int)
    /// The server has it.
    case delivered(StudySubmission)
    /// The server refused it for good; it stays until ``StudyQueue/retry(_:)`` or ``StudyQueue/discard(_:)``.
    case setAside(StudySubmission, reason: String)
    /// It was discarded.
    case discarded(QueueItem.ID)
    /// Nothing more can be delivered for now.
    case stopped(any Error)
    /// Everything that can be delivered was delivered.
    case finished(QueueReport)

    init?(_ update: QueueUpdate) {
        switch update {
        case .queued(let item):
            guard let submission = StudySubmission(item) else { return nil }
            self = .queued(submission)
        case .sending(let item):
            guard let submission = StudySubmission(item) else { return nil }
            self = .sending(submission, sent: 0, of: item.payloadSize ?? 0)
        case .delivered(let item):
            guard let submission = StudySubmission(item) else { return nil }
            self = .delivered(submission)
        case .setAside(let item):
            guard let submission = StudySubmission(item), case .setAside(let reason) = item.state else {
                return nil
            }
            self = .setAside(submission, reason: reason)
        case .discarded(let item): self = .discarded(item.id)
        case .stopped(_, let error): self = .stopped(error)
        case .finished(let report): self = .finished(report)
        }
    }
}
