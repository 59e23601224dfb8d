// Names that a compiler meets first where the trait is missing, so that it says what to do.
#if !SMART
/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]) or \"Sandbox\"")
public struct SMARTServer {}

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]) or \"Sandbox\"")
public struct SMARTApp {}

/// Needs the trait `SMART`.
@available(*, unavailable, message: "name the trait: .package(…, traits: [\"SMART\"]) or \"Sandbox\"")
public struct BackendKey {}
#endif
