// Keys, policies and errors are the queue's; an app that uses an outbox needs no second import for them.
@_exported import DurableQueue
import IndivoXML

/// Why an outbox cannot do what it is asked: what its queue says.
public typealias OutboxError = QueueError

/// Not Foundation's, which macOS has.
typealias XMLNode = IndivoXML.XMLNode
