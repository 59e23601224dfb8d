/// Why an outbox cannot do what it is asked: what its queue says.
public typealias OutboxError = QueueError
