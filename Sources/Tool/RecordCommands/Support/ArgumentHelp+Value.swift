import ArgumentParser

extension ArgumentHelp {
    /// The help of an option, and what its value is called.
    package static func value(_ name: String, _ help: String) -> ArgumentHelp {
        ArgumentHelp(help, valueName: name)
    }
}
