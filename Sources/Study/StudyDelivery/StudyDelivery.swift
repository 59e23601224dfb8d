// Keys, policies and errors are the queue's; an app that delivers to a study needs no second import for them.
@_exported import DurableQueue
// The formats are those of the study's server, too.
@_exported import StudyFormats

// The anti-spam token and a client's secret are secrets.
@_exported import struct IndivoBase.Secret

#if !canImport(X509)
#error("StudyDelivery needs the trait Study of swift-indivo: .package(…, traits: [\"Study\"])")
#endif
