// Keys, policies and errors are the queue's; an app that uses an outbox needs no second import for them.
@_exported import DurableQueue
