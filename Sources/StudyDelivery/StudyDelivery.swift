#if !Study
#error("StudyDelivery needs the trait Study of swift-indivo: .package(…, traits: [\"Study\"])")
#endif

// Keys, policies and errors are the queue's; an app that delivers to a study needs no second import for them.
@_exported import DurableQueue

// The anti-spam token and a client's secret are secrets.
@_exported import struct SecretText.Secret
