import Observation

// `@Observable` writes `Observation.ObservationRegistrar` into its class, and means Apple's module. In a file
// that imports FHIR the resource has that name, too, and hides the module; so it leads on to what the macro
// asks for.

/// What the macro `@Observable` needs of Apple's module Observation, whose name the resource hides.
public enum ObservationMacro {
    /// The protocol of observable classes.
    public typealias ObservableClass = Observable
    /// What registers that properties are read and written.
    public typealias Registrar = ObservationRegistrar
}

extension Observation {
    /// Apple's protocol, for the macro `@Observable`.
    public typealias Observable = ObservationMacro.ObservableClass
    /// Apple's structure, for the macro `@Observable`.
    public typealias ObservationRegistrar = ObservationMacro.Registrar
}
